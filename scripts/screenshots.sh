#!/usr/bin/env bash
# Makes the pictures of the README anew, from the pages that Candor writes of the
# quickstart's run and of a small sweep, both asked of candor-micro here. Needs
# a Chromium.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly RUN=runs/quickstart SWEEP=runs/screenshots

main() {
  cd "$REPO"
  if [[ ${1:-} == --at-server ]]; then
    exec ./candor sweep "$SWEEP.toml" --out "$SWEEP" > /dev/null
  fi
  scripts/quickstart.sh > /dev/null
  ./candor report "$RUN"
  sweep_file > "$SWEEP.toml"
  scripts/ollama.sh run scripts/screenshots.sh --at-server
  go test ./harness/report/page -count 1 -run '^TestScreenshots$' \
    -run-page "$REPO/$RUN/report.html" -sweep-page "$REPO/$SWEEP/report.html"
}

sweep_file() {
  cat << END
num-tasks = 60
split = "all"
num-thread = 1
baseline = "temperature=0,rule=brier"

[axes]
temperature = [0, 0.7, 1.5]
rule = ["brier", "log"]

[rescore]
rule = ["brier", "log"]
END
}

main "$@"
