#!/usr/bin/env bash
# Sets the preparation of images beside the same work done by Pillow, one after
# the other on this machine and one core each:
#
#   scripts/bench-pillow.sh [ARGUMENTS OF go test]
#
# The arguments are those of go test, such as -count 10 for benchstat. Pillow is
# the one that the recordings of images are made with (scripts/record.sh).

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

main() {
  local environment
  cd "$REPO"
  need_go
  environment=$(python_environment scripts/record/images.txt)
  CANDOR_PILLOW=$environment/bin/python go test -run '^$' -bench '^Benchmark(Prepare|PassThrough|Cores)$' -benchtime 1x "$@" ./bench
}

main "$@"
