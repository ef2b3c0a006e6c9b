# shellcheck shell=bash
# What the scripts share. Sourced, never run.

# Without this a failure inside $(…) would go unnoticed there.
shopt -s inherit_errexit

# Exit statuses: 1 failed, 2 used wrongly, 4 something is missing here.
readonly MISSING=4

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly REPO

# Everything that is built or kept outside the tree.
CACHE=${CANDOR_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/candor}
[[ $CACHE == /* ]] || CACHE=$PWD/$CACHE
readonly CACHE

# say tells the user; that nobody listens any more is no failure.
say() { printf '%s\n' "$*" >&2 || true; }

# die STATUS MESSAGE…
die() {
  local status=$1
  shift
  say "error: $*"
  exit "$status"
}

# attend CMD… runs CMD, hands requests to end on to it, and returns its status
# when it has ended. An interrupt at the terminal reaches CMD by itself and is
# for it to handle; it does not end the script, which has to clear up. In the
# background CMD would ignore interrupts, were that not undone.
attend() {
  local child status=0 last=''
  (
    trap - INT QUIT
    exec "$@"
  ) <&0 7>&- 8>&- &
  child=$!
  trap : INT
  # shellcheck disable=SC2064 # this child is meant
  trap "kill -TERM $child" TERM HUP
  # A signal ends the waiting, too.
  until
    wait "$child" && status=0 || status=$?
    ! kill -0 "$child" 2> /dev/null
  do :; done
  # It may have done so just before CMD ended: bash still knows how, or says 127.
  wait "$child" 2> /dev/null && status=0 || last=$?
  [[ ${last:-127} -eq 127 ]] || status=$last
  return "$status"
}

# need_go checks that the Go command is there and new enough for go.mod; a
# recent one fetches the release that go.mod names by itself.
need_go() {
  local wanted
  wanted=$(awk '$1 == "go" { print $2; exit }' "$REPO/go.mod")
  command -v go > /dev/null ||
    die "$MISSING" "the go command is not on the PATH: install Go $wanted or newer from https://go.dev/dl"
  (cd "$REPO" && go list -m > /dev/null) ||
    die "$MISSING" "$(go version 2> /dev/null || echo 'this Go') does not do: install Go $wanted or newer from https://go.dev/dl"
  # NVML's binding wraps functions that its own header calls deprecated.
  export CGO_CFLAGS="${CGO_CFLAGS:--g -O2} -Wno-deprecated-declarations"
}

# need_compiler checks for the C and C++ compilers that cgo uses.
need_compiler() {
  local variable compiler
  for variable in CC CXX; do
    compiler=$(go env "$variable")
    # The value may carry arguments; its first word is the program.
    command -v "${compiler%% *}" > /dev/null ||
      die "$MISSING" "no ${compiler%% *}: install a C++ compiler (Debian, Ubuntu: apt-get install g++; Fedora: dnf install gcc-c++)"
  done
}

# python_environment LIST prints the folder of an environment with what LIST names;
# another list of versions is another environment. A list that calls itself complete is
# installed as it stands, whatever else its packages ask for.
python_environment() {
  local at list=$1 python=${CANDOR_PYTHON:-python3} complete=()
  command -v "$python" > /dev/null || die "$MISSING" "no $python: install Python 3.11 or newer"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "$MISSING" "$("$python" --version) is too old: install Python 3.11 or newer, or name one in CANDOR_PYTHON"
  at=$CACHE/record/$("$python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read() + sys.version.encode()).hexdigest()[:12])' "$list")
  if [[ ! -e $at/complete ]]; then
    say "== installing ${list#"$REPO/"} into $at (once)"
    rm -rf "$at"
    mkdir -p "$(dirname "$at")"
    "$python" -m venv "$at" >&2 || die "$MISSING" "no Python environment could be made (Debian: apt-get install python3-venv)"
    ! grep -q '^# complete:' "$list" || complete=(--no-deps)
    "$at/bin/python" -m pip install --quiet --disable-pip-version-check "${complete[@]}" -r "$list" >&2 ||
      die 1 "what ${list#"$REPO/"} names could not be installed"
    touch "$at/complete"
  fi
  printf '%s\n' "$at"
}
