#!/usr/bin/env bash
# Sets candor bench beside Locust, a load generator from PyPI, one after the
# other at the same server of fixed service time, and prints the ratio of their
# answers a second (x-locust):
#
#   scripts/bench-load.sh [ARGUMENTS OF go test]
#
# The arguments are those of go test, such as -count 10 for benchstat.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

main() {
  local environment
  cd "$REPO"
  need_go
  environment=$(python_environment scripts/bench-load.txt)
  CANDOR_LOCUST=$environment/bin/locust go test -run '^$' -bench '^BenchmarkLoad$' -benchtime 1x "$@" ./bench
}

main "$@"
