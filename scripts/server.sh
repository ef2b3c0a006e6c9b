# shellcheck shell=bash
# Starting and stopping a server of our own. Sourced by ollama.sh.

readonly SERVER=$CACHE/server # logs, model store, home directory and states
readonly START_SECONDS=60 STOP_SECONDS=15
SERVER_URL= # with replicas several, by commas

# place N sets STATE and LOG to those of our Nth server. A state is pid, start
# time, binary, URL and owner, a line each.
place() {
  local suffix=.$1
  [[ $1 -gt 1 ]] || suffix=''
  STATE=$SERVER/state$suffix LOG=$SERVER/serve$suffix.log
}

# started lists the numbers of the servers that have a state.
started() {
  local file
  for file in "$SERVER"/state "$SERVER"/state.[0-9]*; do
    [[ ! -s $file || $file == *.new ]] || case $file in
      */state) echo 1 ;;
      *) echo "${file##*.}" ;;
    esac
  done
}

# server_start OWNER [REPLICAS] sets SERVER_URL to a server that answers, or to
# so many. OWNER is kept for a server that stays until it is stopped, run for
# one that ends with server_run.
server_start() {
  local owner=$1 replicas=${2:-1} number urls=''
  if [[ -n ${OLLAMA_HOST:-} ]]; then
    SERVER_URL=$(host_urls "$OLLAMA_HOST")
    if all_answer "$SERVER_URL"; then
      [[ $replicas -eq 1 || $SERVER_URL == *,* ]] ||
        die 2 "OLLAMA_HOST names one server; to start $replicas of our own, unset it"
      say "using the server at $SERVER_URL"
      return
    fi
    say "nothing answers at OLLAMA_HOST ($SERVER_URL): using a server of our own"
  fi
  mkdir -p "$SERVER"
  local binary
  binary=$(engine_path)
  exec 9> "$SERVER/lock"
  flock 9
  for ((number = 1; number <= replicas; number++)); do
    place "$number"
    one_start "$binary" "$owner" "$number"
    urls+=${urls:+,}$SERVER_URL
  done
  SERVER_URL=$urls
  exec 9>&-
}

# one_start BINARY OWNER NUMBER sets SERVER_URL to the server of the state at
# hand, started if need be.
one_start() {
  local binary
  binary=$(readlink -f "$1")
  if read_state && is_ours && answers "$URL"; then
    [[ $binary == "$BINARY" ]] ||
      die 1 "a server of another engine ($BINARY) is running: scripts/ollama.sh stop ends it"
    [[ $OWNER == kept ]] || write_state "$PID" "$BINARY" "$URL" "$2"
    say "using the running server at $URL"
    SERVER_URL=$URL
  else
    end_server
    launch "$binary" "$2" "$3"
  fi
}

# launch BINARY OWNER NUMBER
launch() {
  local binary=$1 log=$LOG pid address prune=''
  # All have one store, so that a model that one has all have. A server that
  # starts removes what no model there needs: not under another's feet.
  [[ $3 -eq 1 ]] || prune=1
  mkdir -p "$SERVER/home" "$SERVER/models"
  : > "$log" # it is looked into below, perhaps before the server has opened it
  # A session of its own: an interrupt at the terminal is not for the server, and
  # its runners can be found by the session even when it is gone. It takes a
  # free port and says which in its log.
  env HOME="$SERVER/home" OLLAMA_HOST=127.0.0.1:0 OLLAMA_MODELS="$SERVER/models" OLLAMA_NO_CLOUD=1 \
    OLLAMA_NOPRUNE="${OLLAMA_NOPRUNE:-$prune}" OLLAMA_CONTEXT_LENGTH="${OLLAMA_CONTEXT_LENGTH:-4096}" GIN_MODE=release \
    setsid "$binary" serve < /dev/null > "$log" 2>&1 8>&- 9>&- &
  pid=$!
  write_state "$pid" "$binary" "" "$2"
  for ((i = 0; i < START_SECONDS * 10; i++)); do
    kill -0 "$pid" 2> /dev/null || break
    address=$(sed -n 's/.*Listening on \(127\.0\.0\.1:[0-9]*\).*/\1/p' "$log" | head -n 1)
    if [[ -n $address ]] && answers "http://$address"; then
      write_state "$pid" "$binary" "http://$address" "$2"
      SERVER_URL=http://$address
      say "started $binary at $SERVER_URL (log: $log)"
      return
    fi
    sleep 0.1
  done
  read_state && end_server
  die 1 "the Ollama server did not come up: $(tail -n 3 "$log")"
}

# server_stop [OWNER] stops our servers, or only those that OWNER has.
server_stop() {
  local number found=''
  mkdir -p "$SERVER"
  exec 9> "$SERVER/lock"
  flock 9
  for number in $(started); do
    place "$number"
    if ! read_state || [[ -n ${1:-} && $OWNER != "$1" ]]; then
      continue
    fi
    found=1
    if is_ours; then say "stopping the server at $URL"; else say "the server at $URL is gone; clearing up after it"; fi
    end_server
  done
  [[ -n $found$* ]] || say "no server of ours is running"
  exec 9>&-
}

server_status() {
  local number status=0
  if [[ -n ${OLLAMA_HOST:-} ]] && all_answer "$(host_urls "$OLLAMA_HOST")"; then
    echo "a server answers at OLLAMA_HOST ($(host_urls "$OLLAMA_HOST"))"
    return
  fi
  if [[ -z $(started) ]]; then
    echo "no server of ours is running"
    return 1
  fi
  for number in $(started); do
    place "$number"
    one_status || status=1
  done
  return "$status"
}

one_status() {
  if ! read_state || ! is_ours; then
    echo "the server that was started (process $PID) is gone; scripts/ollama.sh stop clears up after it"
    return 1
  elif ! answers "$URL"; then
    echo "the server (process $PID) runs but does not answer at $URL; its log is $LOG"
    return 1
  fi
  echo "our server (process $PID, $BINARY) answers at $URL"
}

# server_run REPLICAS CMD… runs CMD with so many servers and stops them again if
# nobody else wants them: neither a start of its own nor another server_run.
server_run() {
  local replicas=$1
  shift
  mkdir -p "$SERVER"
  exec 8> "$SERVER/users"
  flock -s 8
  trap leave_server EXIT
  server_start run "$replicas"
  OLLAMA_HOST=$SERVER_URL attend "$@" # the trap stops the server after it
}

leave_server() {
  trap '' PIPE INT TERM HUP # this must not be cut short
  ! flock -n -x 8 || server_stop run
}

# end_server ends the server of the state just read, if there is one, and
# everything that it left behind.
end_server() {
  [[ -n ${PID:-} ]] || return 0
  if is_ours; then
    kill -TERM "$PID" 2> /dev/null || true
    for ((i = 0; i < STOP_SECONDS * 10; i++)); do
      is_ours || break
      sleep 0.1
    done
  fi
  # The server ends its runners itself unless it was killed.
  local left
  for ((i = 0; i < 50; i++)); do
    left=$(leftovers)
    [[ -n $left ]] || break
    # shellcheck disable=SC2086 # a list of process ids
    kill -KILL $left 2> /dev/null || true
    sleep 0.1
  done
  rm -f "$STATE"
  [[ -z $left ]] || die 1 "processes of the server cannot be killed: $left"
}

# leftovers lists the processes of the server's session that run its binary, or
# a helper installed beside it. Checking both keeps us from others' processes
# that came to the same numbers.
leftovers() {
  local process file
  for process in /proc/[0-9]*; do
    stat_field "${process#/proc/}" 6
    [[ $REPLY == "$PID" ]] || continue
    file=$(executable "${process#/proc/}")
    if [[ $file == "$BINARY" || $file == "${BINARY%/*/*}"/lib/ollama/* ]]; then
      echo "${process#/proc/}"
    fi
  done
}

# is_ours: the recorded process still is the one that was started. A process
# that has ended but was not waited for has no executable and is not.
is_ours() {
  stat_field "$PID" 22
  [[ $REPLY == "$STARTED" && $(executable "$PID") == "$BINARY" ]]
}

# stat_field PID N sets REPLY to field N of /proc/PID/stat, counted as in
# proc(5), or to nothing when the process is gone. Field 2, the name, may hold
# blanks.
stat_field() {
  local line fields
  REPLY=''
  { read -r line < "/proc/$1/stat"; } 2> /dev/null || return 0
  read -ra fields <<< "${line##*) }"
  REPLY=${fields[$2 - 3]:-}
}

# executable PID prints the file that a process runs, if it can be told.
executable() {
  local path
  path=$(readlink "/proc/$1/exe" 2> /dev/null) || return 0
  echo "${path% (deleted)}"
}

# write_state PID BINARY URL OWNER
write_state() {
  stat_field "$1" 22
  printf '%s\n' "$1" "$REPLY" "$2" "$3" "$4" > "$STATE.new"
  mv "$STATE.new" "$STATE"
}

# read_state sets PID, STARTED, BINARY, URL and OWNER, or fails when there is no
# state.
read_state() {
  PID='' STARTED='' BINARY='' URL='' OWNER=''
  [[ -s $STATE ]] || return 1
  { read -r PID && read -r STARTED && read -r BINARY && read -r URL && read -r OWNER; } < "$STATE" &&
    [[ $PID =~ ^[0-9]+$ ]]
}

# host_url HOST prints the URL that a value of OLLAMA_HOST means: the scheme is
# http and the port 11434 unless said.
host_url() {
  local value scheme=http port=11434 path='' login=''
  # Blanks and quotes around it are no part of it, as for candor.
  value=$(tr -d "[:space:]\"'" <<< "$1")
  if [[ $value == *://* ]]; then
    scheme=${value%%://*}
    scheme=${scheme,,}
    value=${value#*://}
    if [[ $scheme == https ]]; then port=443; else port=80; fi
  fi
  if [[ $value == */* ]]; then
    path=/${value#*/}
    value=${value%%/*}
  fi
  if [[ $value == *@* ]]; then
    login=${value%@*}@
    value=${value##*@}
  fi
  if [[ $value =~ ^(\[.*\]|[^:]*):([0-9]+)$ ]]; then
    value=${BASH_REMATCH[1]} port=${BASH_REMATCH[2]}
  fi
  echo "$scheme://$login${value:-127.0.0.1}:$port${path%/}"
}

# host_urls LIST prints the URLs of hosts by commas, by commas.
host_urls() {
  local hosts host urls=''
  IFS=, read -ra hosts <<< "$1"
  for host in "${hosts[@]}"; do
    urls+=${urls:+,}$(host_url "$host")
  done
  echo "$urls"
}

# all_answer URLS: an Ollama server answers at each of these, by commas.
all_answer() {
  local urls url
  IFS=, read -ra urls <<< "$1"
  for url in "${urls[@]}"; do
    answers "$url" || return 1
  done
}

# answers URL: an Ollama server answers there. Without curl bash itself asks.
answers() {
  if command -v curl > /dev/null; then
    local answer
    answer=$(no_proxy=127.0.0.1,localhost,::1,${no_proxy:-${NO_PROXY:-}} \
      curl -fsS --max-time 5 "$1/api/version" 2> /dev/null) || return 1
    [[ $answer == *'"version"'* ]]
    return
  fi
  local address=${1#http://}
  [[ $address != *://* ]] || die "$MISSING" "curl is needed to ask $1"
  # shellcheck disable=SC2016 # expanded by the inner shell
  timeout 5 bash -c '
    exec 3<> "/dev/tcp/$1/$2"
    printf "GET /api/version HTTP/1.0\r\nHost: %s\r\n\r\n" "$1" >&3
    grep -q "\"version\"" <&3' _ "$(tr -d '[]' <<< "${address%:*}")" "${address##*:}" 2> /dev/null
}
