#!/usr/bin/env bash
# Records what other people's programs say, for tests to compare with.
#
#   scripts/record.sh scoring [OUT.json]   the figures of package scoring; without
#                                          OUT the recording that is kept with the tests
#
# The programs come from PyPI, in the exact versions of scripts/record/requirements.txt,
# into a Python environment under CANDOR_CACHE (default ~/.cache/candor): several
# gigabytes, because torch is among them. CANDOR_PYTHON names another interpreter
# than python3; it must be 3.11 or newer.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly PYTHON=${CANDOR_PYTHON:-python3}
readonly NEEDED=$REPO/scripts/record/requirements.txt

main() {
  [[ $# -ge 1 && $# -le 2 && $1 == scoring ]] || {
    say "usage: scripts/record.sh scoring [OUT.json]"
    exit 2
  }
  local out=${2:-$REPO/scoring/testdata/peers.json} environment
  environment=$(environment)
  # Global for the trap, and beside the goal, so that a recording is never seen half done.
  part=$(mktemp "$out.XXXXXX")
  trap 'rm -f "$part"' EXIT
  # One thread: sums in another order differ in the last place.
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$environment/bin/python" "$REPO/scripts/record/scoring.py" "$part"
  chmod 644 "$part"
  mv "$part" "$out"
}

# environment prints the folder of an environment with what is needed; another
# list of versions is another environment.
environment() {
  local at
  command -v "$PYTHON" > /dev/null || die "$MISSING" "no $PYTHON: install Python 3.11 or newer"
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "$MISSING" "$("$PYTHON" --version) is too old: install Python 3.11 or newer, or name one in CANDOR_PYTHON"
  at=$CACHE/record/$("$PYTHON" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read() + sys.version.encode()).hexdigest()[:12])' "$NEEDED")
  if [[ ! -e $at/complete ]]; then
    say "== installing scripts/record/requirements.txt into $at (once; several gigabytes)"
    rm -rf "$at"
    mkdir -p "$(dirname "$at")"
    "$PYTHON" -m venv "$at" >&2 || die "$MISSING" "no Python environment could be made (Debian: apt-get install python3-venv)"
    "$at/bin/python" -m pip install --quiet --disable-pip-version-check -r "$NEEDED" >&2 ||
      die 1 "what scripts/record/requirements.txt names could not be installed"
    touch "$at/complete"
  fi
  printf '%s\n' "$at"
}

main "$@"
