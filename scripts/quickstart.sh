#!/usr/bin/env bash
# The main job once, on any Linux machine with Go and a C++ compiler: brings up
# a real Ollama, asks candor-micro, the small model that candor brings along,
# claims about drawn images into runs/quickstart, and prints the summary. Run
# again it goes on with an interrupted run; a finished one it only shows,
# without a server.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly RUN=runs/quickstart TASKS=300 # of all three splits together
# What candor exits with.
readonly USAGE=2 INTERRUPTED=130

main() {
  cd "$REPO"
  case ${1:-} in
    '') quickstart ;;
    --at-server) evaluate ;; # called below, with OLLAMA_HOST set
    -h | --help | help) usage ;;
    *)
      usage >&2
      exit "$USAGE"
      ;;
  esac
}

usage() {
  cat << END
usage: scripts/quickstart.sh

Builds candor, brings up an Ollama (scripts/ollama.sh), asks candor-micro $TASKS claims
about drawn images into $RUN, and prints the summary. candor-micro is a very small model
that candor brings along: for trying Candor out, no result about real models (./candor help
micro). Run again it goes on where it was interrupted; a finished run it only shows.
END
}

quickstart() {
  need_go
  trap 'advise $?' EXIT
  mkdir -p runs
  exec 7> runs/.quickstart.lock
  flock -n 7 || {
    trap - EXIT
    die 1 "another quickstart is at work on $RUN: when it has ended, run scripts/quickstart.sh again to see" \
      "its result, or first remove $RUN to start anew"
  }
  say "building candor"
  go build -o candor ./cmd/candor || die 1 "candor could not be built; the messages above say why"
  if finished; then
    say "$RUN is finished; to start anew remove it: rm -r $RUN"
    ./candor eval --resume "$RUN"
  else
    attend scripts/ollama.sh run scripts/quickstart.sh --at-server
    next_steps
  fi
}

# finished: no task of the run is missing or in error.
finished() {
  grep -q '^  "state": "finished"' "$RUN/run.json" 2> /dev/null &&
    grep -q '^  "complete": true' "$RUN/summary.json" 2> /dev/null
}

evaluate() {
  local where=(--out "$RUN")
  if [[ -e $RUN/run.json ]]; then
    say "going on with $RUN"
    where=(--resume "$RUN")
  fi
  # One thread: the model is so small that more would only wait for each other.
  exec ./candor eval --split all --num-tasks "$TASKS" --num-thread 1 "${where[@]}"
}

next_steps() {
  cat >&2 << END

The answers and figures are in $RUN. What next:
  ./candor help            commands and topics; ./candor help metrics explains the figures
  export OLLAMA_HOST=\$(scripts/ollama.sh start)
                           starts a server that stays (scripts/ollama.sh stop ends it), and tells candor
  ./candor doctor --num-thread 1
                           asks that server what it honours
  ./candor help micro      what candor-micro is; with --model NAME candor asks another model
END
}

# advise STATUS ends the output of a quickstart that did not succeed with what
# to do: candor's own advice supposes a server, which is gone by now.
advise() {
  case $1 in
    0) ;;
    "$INTERRUPTED" | 143) say "interrupted: run scripts/quickstart.sh again to go on" ;;
    *)
      [[ -e $RUN/run.json ]] || return 0 # what is missing has been said
      if [[ $1 == "$USAGE" ]]; then
        say "$RUN is a run of other settings or of another server: remove it (rm -r $RUN) to start anew"
      else
        say "when that is mended, run scripts/quickstart.sh again to go on; to start anew, remove $RUN first"
      fi
      ;;
  esac
}

main "$@"
