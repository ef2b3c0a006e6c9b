#!/usr/bin/env bash
# Sets the full summary of one run (9000 tasks, 500 images, 10 000 replicates
# of every metric, 1000 of smooth ECE) in Go beside the same work in numpy,
# scipy and scikit-learn, one after the other on this machine:
#
#   scripts/bench-numpy.sh
#
# The Python side lives in a virtual environment outside the tree.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly PACKAGES=(scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1)
readonly VENV=$CACHE/bench-numpy

main() {
  [[ $# -eq 0 ]] || { say "usage: scripts/bench-numpy.sh"; exit 2; }
  cd "$REPO"
  need_go
  command -v python3 > /dev/null || die "$MISSING" "no python3: install Python 3.11 or newer"
  if [[ ! -x $VENV/bin/python ]]; then
    say "== making $VENV"
    python3 -m venv "$VENV"
  fi
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "${PACKAGES[@]}"
  say "== go test -bench BenchmarkSummary ./bench"
  local go python
  go=$(go test -run '^$' -bench '^BenchmarkSummary$' -benchtime 3x ./bench)
  say "== numpy and scikit-learn"
  # A kernel forced on all OpenBLAS in the environment would hold numpy back.
  python=$(env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE "$VENV/bin/python" scripts/bench-numpy.py)
  report "$go" "$python"
}

# report prints seconds and ratios, from the output of go test and of Python.
report() {
  GO=$1 PYTHON=$2 python3 - << 'END'
import json, os, re

go = dict(re.findall(r"BenchmarkSummary/(\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", os.environ["GO"]))
print(f"{'':12}{'Go':>10}{'numpy, by hand':>20}{'public functions':>20}")
for name, took in json.loads(os.environ["PYTHON"]).items():
    ours = float(go[name]) / 1e9
    cells = "".join(f"{took[way]:10.2f} s {took[way] / ours:6.1f}×" for way in ("blocks", "plain"))
    print(f"{name:12}{ours:8.2f} s{cells}")
END
}

main "$@"
