#!/usr/bin/env bash
# Brings up a real Ollama: the server at OLLAMA_HOST if it answers, else the
# ollama on the PATH, else a pinned release built from its Go module.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source-path=SCRIPTDIR source=engine.sh
. "$(dirname "${BASH_SOURCE[0]}")/engine.sh"
# shellcheck source-path=SCRIPTDIR source=server.sh
. "$(dirname "${BASH_SOURCE[0]}")/server.sh"

readonly MOST_REPLICAS=64

usage() {
  cat << EOF
usage: scripts/ollama.sh path      print the path of an ollama binary, building it if need be
       scripts/ollama.sh start     make sure that a server runs; print its URL
       scripts/ollama.sh status    say what runs; exit 0 if a server answers
       scripts/ollama.sh stop      stop the servers that start started, their runners included
       scripts/ollama.sh run CMD…  start, run CMD with OLLAMA_HOST set, stop what was started

start and run take --replicas N: so many servers, with one model store. Their URLs stand
one after another with commas, which candor, and only candor, takes in OLLAMA_HOST and
--host: it uses the servers as one. "candor help ollama" says when that pays.

The server at OLLAMA_HOST is used if that is set and answers, and never stopped.
Otherwise one is started on a free loopback port, with its own model store. So that
candor finds it:  export OLLAMA_HOST=\$(scripts/ollama.sh start)

  OLLAMA_HOST            a server to use
  CANDOR_OLLAMA_VERSION  build and use this release, such as v0.17.7, even if an
                         ollama is installed (otherwise $DEFAULT_VERSION is built if none is)
  CANDOR_CACHE           where builds, models and logs are kept (now $CACHE)

Exit status: 1 failed, 2 used wrongly, $MISSING something is missing on this machine.
EOF
}

main() {
  local command=${1:-} replicas=1
  [[ $# -eq 0 ]] || shift
  if [[ ($command == start || $command == run) && ${1:-} == --replicas* ]]; then
    replicas=${1#--replicas}
    shift
    if [[ -z $replicas && $# -gt 0 ]]; then
      replicas=$1
      shift
    fi
    replicas=${replicas#=}
    [[ $replicas =~ ^[1-9][0-9]?$ && $replicas -le $MOST_REPLICAS ]] ||
      die 2 "--replicas '$replicas' is no number from 1 to $MOST_REPLICAS"
  fi
  case $command in
    run) [[ $# -gt 0 ]] || wrong_usage ;;
    *) [[ $# -eq 0 ]] || wrong_usage ;;
  esac
  case $command in
    path) engine_path ;;
    start)
      server_start kept "$replicas"
      echo "$SERVER_URL"
      say "for candor to find it: export OLLAMA_HOST=$SERVER_URL"
      ;;
    status) server_status ;;
    stop) server_stop ;;
    run) server_run "$replicas" "$@" ;;
    -h | --help | help) usage ;;
    *) wrong_usage ;;
  esac
}

wrong_usage() {
  usage >&2
  exit 2
}

main "$@"
