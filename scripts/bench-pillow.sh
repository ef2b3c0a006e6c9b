#!/usr/bin/env bash
# Sets the preparation of images beside the same work done by Pillow, one after
# the other on this machine and one core each:
#
#   scripts/bench-pillow.sh [ARGUMENTS OF go test]
#
# The arguments are those of go test, such as -count 10 for benchstat. The Python
# side, Pillow in the version of scripts/record/images.txt, lives in a virtual
# environment outside the tree.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly VENV=$CACHE/bench-pillow

main() {
  local pinned
  cd "$REPO"
  need_go
  command -v python3 > /dev/null || die "$MISSING" "no python3: install Python 3.11 or newer"
  pinned=$(grep '^pillow==' scripts/record/images.txt)
  if [[ ! -x $VENV/bin/python ]]; then
    say "== making $VENV"
    python3 -m venv "$VENV" || die "$MISSING" "no Python environment could be made (Debian: apt-get install python3-venv)"
  fi
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "$pinned"
  CANDOR_PILLOW=$VENV/bin/python go test -run '^$' -bench '^Benchmark(Prepare|PassThrough|Cores)$' -benchtime 1x "$@" ./bench
}

main "$@"
