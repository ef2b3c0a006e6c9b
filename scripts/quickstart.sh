#!/usr/bin/env bash
# The main job once, on any Linux machine with Go and a C++ compiler: brings up
# a real Ollama, makes a tiny model, runs an evaluation into runs/quickstart and
# prints its summary. Run again it resumes an interrupted run; a finished one it
# only shows.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly MODEL=candor-tiny-qwen35 ARCHITECTURE=qwen35
readonly RUN=runs/quickstart TASKS=60

main() {
  cd "$REPO"
  case ${1:-} in
    '')
      need_go
      say "building candor"
      go build -o candor ./cmd/candor || die 1 "candor could not be built; the messages above say why"
      exec scripts/ollama.sh run scripts/quickstart.sh --at-server
      ;;
    --at-server) # called above, with OLLAMA_HOST set
      evaluate
      ;;
    *)
      say "usage: scripts/quickstart.sh"
      exit 2
      ;;
  esac
}

evaluate() {
  go run ./scripts/tinyvlm -arch "$ARCHITECTURE" -register "$MODEL" >&2
  if [[ -e $RUN/run.json ]]; then
    say "$RUN exists: finishing it if it is not, else showing it (remove the folder to start anew)"
    exec ./candor eval --resume "$RUN"
  else
    # One thread: the model is so small that more would only wait for each other.
    exec ./candor eval --model "$MODEL" --dataset demo --split all --partition all \
      --num-tasks "$TASKS" --seed 0 --num-thread 1 --out "$RUN"
  fi
}

main "$@"
