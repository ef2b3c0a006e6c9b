#!/usr/bin/env bash
# Installs what the tests need and runs them all:
#
#   scripts/test.sh           formatting, vet, and every test under the race detector
#   scripts/test.sh --peers   the same, with an older engine, fuzzing, benchmarks, simulations,
#                             and the figures of other people's programs recorded anew

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The release that honours presence_penalty, beside the pinned one that does not.
readonly OLD_VERSION=v0.17.7
readonly FUZZ_TIME=${CANDOR_FUZZ_TIME:-60s}

main() {
  local peers=false
  case $# in
    0) ;;
    1)
      [[ $1 == --peers ]] || wrong_usage
      peers=true
      ;;
    *) wrong_usage ;;
  esac
  cd "$REPO"
  install_needed
  check_formatting
  step go vet ./...
  engine
  if $peers; then
    old_engine
    chromium
    record_peers
    openblas
    fuzz
    simulate
    make_micro
    step go test -run '^$' -bench . -benchtime 100ms ./...
  fi
  # Last, so that its own lines end the output.
  step go test -race -timeout 45m ./...
}

wrong_usage() {
  say "usage: scripts/test.sh [--peers]"
  exit 2
}

# step says what is run and runs it.
step() {
  say "== $*"
  "$@"
}

# install_needed gets a C++ compiler where there is none and we may install one.
install_needed() {
  need_go
  if ! command -v g++ > /dev/null && command -v apt-get > /dev/null && [[ $(id -u) -eq 0 ]]; then
    say "== installing g++"
    { apt-get update && apt-get install -y --no-install-recommends g++ libc6-dev; } > "${TMPDIR:-/tmp}/candor-apt.log" 2>&1 ||
      die "$MISSING" "g++ could not be installed: $(tail -n 1 "${TMPDIR:-/tmp}/candor-apt.log")"
  fi
  need_compiler
}

check_formatting() {
  local bad
  say "== gofmt -l ."
  # The one of the release that go.mod names.
  bad=$("$(go env GOROOT)/bin/gofmt" -l .)
  [[ -z $bad ]] || die 1 "not formatted as gofmt does: ${bad//$'\n'/ }"
}

# engine names the pinned engine for the tests, whatever else is installed.
engine() {
  local version
  version=$(sed -n 's/^readonly DEFAULT_VERSION=//p' scripts/engine.sh)
  say "== a real Ollama $version"
  CANDOR_OLLAMA_BIN=$(CANDOR_OLLAMA_VERSION=$version scripts/ollama.sh path)
  export CANDOR_OLLAMA_BIN
}

old_engine() {
  say "== a real Ollama $OLD_VERSION"
  CANDOR_OLLAMA_BIN_OLD=$(CANDOR_OLLAMA_VERSION=$OLD_VERSION scripts/ollama.sh path)
  export CANDOR_OLLAMA_BIN_OLD
}

# record_peers asks other people's programs anew and tests against what they say.
record_peers() {
  local recording python
  recording=$(mktemp -d)
  step scripts/record.sh scoring "$recording/peers.json"
  CANDOR_PEERS=$recording/peers.json step go test -count 1 -v -run 'Peers|Recording' ./scoring
  step scripts/record.sh images "$recording/images"
  CANDOR_PUBLISHED=$recording/images step go test -count 1 -v -run AsPublished ./imageproc
  python=$(scripts/record.sh python)
  CANDOR_PEERS=$python step go test -count 1 -v -run Peers ./harness/hub ./harness/claim
  python=$(scripts/record.sh tables)
  CANDOR_PEERS_TABLES=$python step go test -count 1 -v -run PeersTables ./harness/export
  python=$(scripts/record.sh verifiers)
  CANDOR_PEERS_VERIFIERS=$python CANDOR_PEERS_VERIFIERS_OLD=$(scripts/record.sh verifiers-0.3) \
    step go test -count 1 -v -run PeersVerifiers ./harness/export
  CANDOR_PEERS_VERIFIERS=$python step go test -count 1 -v -timeout 30m -run Peers ./scripts/verifiers
  python=$(scripts/record.sh mlflow)
  CANDOR_PEERS_MLFLOW=$python step go test -count 1 -v -run PeersMLflow ./harness/export
  python=$(scripts/record.sh lens-python 0.1.3)
  CANDOR_PEERS_LENS_013=$python CANDOR_PEERS_LENS_021=$(scripts/record.sh lens-python 0.2.1) \
    step go test -count 1 -v -run PackagesLive ./harness/lens
  openenv_peers
  CANDOR_PEERS_GEMMA=$(scripts/record.sh gemma) step go test -count 1 -v -timeout 60m -run PeersGemma ./harness/lens/command
  rm -rf "$recording"
}

# openenv_peers plays with the servers of four OpenEnvs.
openenv_peers() {
  local -x CANDOR_PEERS_OPENENV CANDOR_PEERS_OPENENV_0_1 CANDOR_PEERS_OPENENV_0_2 CANDOR_PEERS_OPENENV_0_3
  CANDOR_PEERS_OPENENV=$(scripts/record.sh openenv)
  CANDOR_PEERS_OPENENV_0_1=$(scripts/record.sh openenv-0.1)
  CANDOR_PEERS_OPENENV_0_2=$(scripts/record.sh openenv-0.2)
  CANDOR_PEERS_OPENENV_0_3=$(scripts/record.sh openenv-0.3)
  step go test -count 1 -v -run Peers ./harness/openenv/... ./harness/serve
  step scripts/record.sh exchanges "$recording/exchanges"
  CANDOR_OPENENV_EXCHANGES=$recording/exchanges step go test -count 1 -v -run AsRecorded ./harness/openenv
}

# chromium gets a browser where there is none and we may install one; the tests
# of the report's page find it, and say so where they are skipped without.
chromium() {
  if ! command -v chromium > /dev/null && command -v apt-get > /dev/null && [[ $(id -u) -eq 0 ]]; then
    say "== installing chromium"
    { apt-get update && apt-get install -y --no-install-recommends chromium; } > "${TMPDIR:-/tmp}/candor-apt.log" 2>&1 || true
  fi
  step go test -count 1 -v -run Browser ./harness/report/page
}

# openblas tests the build that uses it, where it is or can be installed.
openblas() {
  if ! has_openblas && command -v apt-get > /dev/null && [[ $(id -u) -eq 0 ]]; then
    say "== installing libopenblas-dev"
    { apt-get update && apt-get install -y --no-install-recommends libopenblas-dev; } > "${TMPDIR:-/tmp}/candor-apt.log" 2>&1 || true
  fi
  if has_openblas; then
    step go vet -tags openblas ./scoring/batch
    step go test -count 1 -tags openblas ./scoring/batch
  else
    say "== no libopenblas: its build is not tested (Debian, Ubuntu: apt-get install libopenblas-dev)"
  fi
}

has_openblas() {
  # shellcheck disable=SC2046 # the value may carry arguments
  $(go env CC) -x c - -lopenblas -o /dev/null <<< 'int main(void) { return 0; }' 2> /dev/null
}

# fuzz runs each fuzz target for a while.
fuzz() {
  local package target
  go list ./... | while read -r package; do
    for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
      step go test -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZ_TIME" "$package" < /dev/null
    done
  done
}

# simulate counts how often intervals and p-values keep what they promise, asks
# candor-micro about images that are not as they should be, and breaks a sweep of
# 24 cells off again and again.
simulate() {
  step env CANDOR_SLOW=1 go test -run 'TestIntervalCoverage|TestPCalibratedIsUniform' -v -timeout 60m ./scoring
  step env CANDOR_SLOW=1 go test -count 1 -run TestMicro -v -timeout 60m ./harness/run
  step env CANDOR_SLOW=1 go test -count 1 -run TestSweepBrokenOnEngine -v -timeout 60m ./cmd/candor
}

# make_micro goes through all steps of making candor-micro, with a model that
# learns next to nothing; the engine must agree with PyTorch about it all the same.
make_micro() {
  local folder
  folder=$(mktemp -d)
  step scripts/micro.sh --smoke "$folder"
  rm -rf "$folder"
}

main "$@"
