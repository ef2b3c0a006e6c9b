#!/usr/bin/env bash
# Sets Candor's OpenEnv server beside OpenEnv's own in Python, the newest and 0.3
# from PyPI, in turns on this machine: steps a second of the same environment,
# with 1 and with 128 sessions at once, and their ratio (x-python):
#
#   scripts/bench-openenv.sh [ARGUMENTS OF go test]
#
# The arguments are those of go test, such as -count 10 for benchstat.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

main() {
  cd "$REPO"
  need_go
  CANDOR_PEERS_OPENENV=$(scripts/record.sh openenv)
  CANDOR_PEERS_OPENENV_0_3=$(scripts/record.sh openenv-0.3)
  export CANDOR_PEERS_OPENENV CANDOR_PEERS_OPENENV_0_3
  go test -run '^$' -bench '^BenchmarkOpenEnv$' -benchtime 1x "$@" ./bench
}

main "$@"
