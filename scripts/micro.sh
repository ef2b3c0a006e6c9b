#!/usr/bin/env bash
# Makes candor-micro anew: draws scenes, trains on them, converts, compares.
#
#   scripts/micro.sh [--smoke] [FOLDER]
#
# The model, its vocabulary and the loss curves end up in FOLDER (default: micro/
# under CANDOR_CACHE). It takes two hours or so on two cores and 9 GB of disk for
# the pixels of 36 000 scenes. Interrupted, it goes on where it was. With --smoke
# everything is a hundredth of the size: a model that knows nothing, in minutes,
# to see that all steps work.
#
# The Python packages are those of scripts/micro/requirements.txt, from PyPI, in
# an environment under CANDOR_CACHE (several gigabytes, because torch is among
# them). One seed gives one data set, but not one model to the last bit: sums in
# another order, by another processor or number of threads, train another one.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly STEPS=$REPO/scripts/micro

main() {
  SHRINK=1
  if [[ ${1:-} == --smoke ]]; then
    SHRINK=100
    shift
  fi
  if [[ $# -gt 1 || ${1:-} == -* ]]; then
    say "usage: scripts/micro.sh [--smoke] [FOLDER]"
    exit 2
  fi
  need_go
  local environment
  environment=$(python_environment "$STEPS/requirements.txt")
  MICRO_PYTHON=$environment/bin/python
  CANDOR_OLLAMA_BIN=${CANDOR_OLLAMA_BIN:-$("$REPO/scripts/ollama.sh" path)}
  export CANDOR_OLLAMA_BIN PYTHONPATH=$STEPS PYTHONDONTWRITEBYTECODE=1
  FOLDER=${1:-$CACHE/micro}
  mkdir -p "$FOLDER"
  FOLDER=$(cd "$FOLDER" && pwd)
  cd "$FOLDER"
  data
  train
  convert
}

# data: scenes to learn from (a1, a2), to judge oneself on (b), to measure on.
data() {
  [[ -s vocabulary.json ]] || step -c 'import vocabulary; vocabulary.build().save("vocabulary.json")'
  (cd "$REPO" && go build -o "$FOLDER/scenes" ./scripts/micro/scenes)
  draw held 102 800
  draw a1 100 12000
  draw a2 103 16000
  draw b 101 7000
}

draw() {
  [[ ! -e $1.done ]] || return 0
  ./scenes -seed "$2" -n $(($3 / SHRINK)) -out "$1"
  touch "$1.done"
}

# train: the eyes, the verdicts, what the model believes of scenes it never
# learnt from, and answers with that belief as their confidence.
train() {
  local common=(--held-out held --vocabulary vocabulary.json)
  eyes a1 --stop $((2100 / SHRINK))
  eyes a1 a2
  [[ -s beliefs.json ]] ||
    step "$STEPS/train_language.py" "${common[@]}" --target verdict --scenes a1 a2 --vision vision.pt --out verdict.pt \
      --plausible 0.03 --batch 20 --per 6 --steps $((800 / SHRINK)) --every 80 --measure 400 --log verdict.jsonl \
      --believe b=beliefs.json
  [[ -e model/model.safetensors ]] ||
    step "$STEPS/train_language.py" "${common[@]}" --target confidence --scenes b --beliefs beliefs.json --start verdict.pt \
      --out answer.pt --batch 20 --per 6 --rate 1.5e-3 --steps $((600 / SHRINK)) --every 100 --measure 300 \
      --log answer.jsonl --save model
}

eyes() {
  step "$STEPS/train_vision.py" "${common[@]}" --out vision.pt --steps $((3600 / SHRINK)) --every 150 --log vision.jsonl --scenes "$@"
}

step() { "$MICRO_PYTHON" "$@"; }

convert() {
  step "$STEPS/convert.py" model vocabulary.json candor-micro.gguf --describe "$(sed -n 's/^> //p' "$STEPS/CARD.md" | tr '\n' ' ' | sed 's/ *$//')"
  # A model that has learnt nothing finds all tokens about as likely as each
  # other, so that the likeliest tells nothing.
  local bars=(--prompts 200)
  [[ $SHRINK -eq 1 ]] || bars=(--prompts 8 --share 0 --apart 0.05)
  step "$STEPS/agree.py" --checkpoint model --vocabulary vocabulary.json --scenes held "${bars[@]}"
  say "the model is $FOLDER/candor-micro.gguf; what the program carries is infer/ollama/micro/candor-micro.gguf"
}

main "$@"
