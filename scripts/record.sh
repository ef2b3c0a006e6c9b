#!/usr/bin/env bash
# Records what other people's programs say, for tests to compare with.
#
#   scripts/record.sh scoring [OUT.json]   the figures of package scoring
#   scripts/record.sh images [FOLDER]      what the published image processors make
#                                          of sizes and of small images
#   scripts/record.sh parquet [FOLDER]     Parquet files as published sets are written
#   scripts/record.sh python               prints an interpreter that has the Hub's own
#                                          library, for the tests that compare with it
#
# Without OUT the recording that is kept with the tests is made anew.
#
# The programs come from PyPI, in the exact versions of scripts/record/requirements.txt
# (several gigabytes, because torch is among them), scripts/record/images.txt and
# scripts/record/hub.txt, into a Python environment each under CANDOR_CACHE (default
# ~/.cache/candor). CANDOR_PYTHON names another interpreter than python3; it must be
# 3.11 or newer.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly PYTHON=${CANDOR_PYTHON:-python3}
readonly RECORD=$REPO/scripts/record

main() {
  [[ $# -ge 1 && $# -le 2 ]] || usage
  case $1 in
    scoring) scoring "${2:-$REPO/scoring/testdata/peers.json}" ;;
    images) images "${2:-$REPO/imageproc/testdata/published}" ;;
    parquet) "$(python)" "$RECORD/parquet.py" "${2:-$REPO/harness/parquet/testdata}" ;;
    python) python ;;
    *) usage ;;
  esac
}

usage() {
  say "usage: scripts/record.sh scoring [OUT.json] | images [FOLDER] | parquet [FOLDER] | python"
  exit 2
}

scoring() {
  local out=$1 environment
  environment=$(environment "$RECORD/requirements.txt")
  # Global for the trap, and beside the goal, so that a recording is never seen half done.
  part=$(mktemp "$out.XXXXXX")
  trap 'rm -f "$part"' EXIT
  # One thread: sums in another order differ in the last place.
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$environment/bin/python" "$RECORD/scoring.py" "$part"
  chmod 644 "$part"
  mv "$part" "$out"
}

images() {
  local environment
  environment=$(environment "$RECORD/images.txt")
  "$environment/bin/python" "$RECORD/images.py" "$1"
}

# python prints an interpreter that has the Hub's own library.
python() {
  local environment
  environment=$(environment "$RECORD/hub.txt")
  printf '%s/bin/python\n' "$environment"
}

# environment LIST prints the folder of an environment with what LIST names;
# another list of versions is another environment.
environment() {
  local at list=$1
  command -v "$PYTHON" > /dev/null || die "$MISSING" "no $PYTHON: install Python 3.11 or newer"
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "$MISSING" "$("$PYTHON" --version) is too old: install Python 3.11 or newer, or name one in CANDOR_PYTHON"
  at=$CACHE/record/$("$PYTHON" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read() + sys.version.encode()).hexdigest()[:12])' "$list")
  if [[ ! -e $at/complete ]]; then
    say "== installing scripts/record/${list##*/} into $at (once)"
    rm -rf "$at"
    mkdir -p "$(dirname "$at")"
    "$PYTHON" -m venv "$at" >&2 || die "$MISSING" "no Python environment could be made (Debian: apt-get install python3-venv)"
    "$at/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list" >&2 ||
      die 1 "what scripts/record/${list##*/} names could not be installed"
    touch "$at/complete"
  fi
  printf '%s\n' "$at"
}

main "$@"
