# shellcheck shell=bash
# Finding or building an ollama binary. Sourced by ollama.sh.
#
# The pinned release is the last that the go command can build: from v0.30 on
# the engine is a separate C++ program. Its module lacks the folder that holds
# three C++ headers (module archives leave vendor folders out). One of them,
# nlohmann/json, is taken from the system or from its Debian package; the other
# two serve only an audio and image reader that the engine never calls here, and
# are stood in for.

readonly DEFAULT_VERSION=v0.24.0

# engine_path prints the path of an ollama binary.
engine_path() {
  local version=${CANDOR_OLLAMA_VERSION:-} installed
  if [[ -z $version ]] && installed=$(command -v ollama); then
    echo "$installed"
    return
  fi
  version=${version:-$DEFAULT_VERSION}
  [[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
    die 2 "CANDOR_OLLAMA_VERSION is '$version'; it should look like $DEFAULT_VERSION"
  local folder
  folder=$CACHE/ollama/$version/$(machine)
  [[ -x $folder/ollama ]] || engine_build "$version" "$folder"
  echo "$folder/ollama"
}

# machine names the processor, for the build uses all that it has to offer and
# fails on another that has less.
machine() {
  echo "$(uname -m)-$({ grep -m1 -E '^(flags|Features)' /proc/cpuinfo || true; } | sha256sum | cut -c1-12)"
}

# engine_build VERSION FOLDER puts the binary into FOLDER, wholly or not at all.
engine_build() (
  version=$1 folder=$2
  [[ $(uname -s) == Linux ]] ||
    die "$MISSING" "building Ollama is only known to work on Linux: install it from https://ollama.com/download"
  need_go
  need_compiler
  mkdir -p "$folder"
  exec 9> "$folder/lock"
  flock -n 9 || say "waiting for another build of Ollama $version"
  flock 9
  [[ ! -x $folder/ollama ]] || exit 0 # the other one has built it
  rm -rf "$folder"/build.* # what a killed build left: nobody else is building now
  work=$(mktemp -d "$folder/build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  write_standins "$work/include"
  include=$work/include$(json_headers "$work")
  say "building Ollama $version from its Go module; this takes some minutes, once"
  # Without -march=native the engine is 12 to 20 times slower.
  (cd "$work" && GOFLAGS='' GOBIN=$work CGO_ENABLED=1 CPLUS_INCLUDE_PATH=$include \
    CGO_CFLAGS='-O3 -march=native' CGO_CXXFLAGS='-O2 -march=native' \
    go install -ldflags "-s -w -X github.com/ollama/ollama/version.Version=${version#v}" \
    "github.com/ollama/ollama@$version" >&2) ||
    die 1 "Ollama $version could not be built; the messages above say why"
  verify "$work/ollama" "${version#v}" "$work"
  mv "$work/ollama" "$folder/ollama"
  say "built $folder/ollama"
)

# verify BINARY VERSION HOME
verify() {
  local reported
  reported=$(env -u OLLAMA_HOST HOME="$3" "$1" --version 2>&1) ||
    die 1 "the Ollama just built does not run: $reported"
  [[ $reported == *"$2"* ]] || die 1 "the Ollama just built says '$reported', not $2"
}

# json_headers WORK prints ":FOLDER" if nlohmann/json had to be fetched into
# FOLDER, and nothing if the compiler finds it by itself.
json_headers() {
  local package=nlohmann-json3-dev log=$1/apt.log
  local compiler
  read -ra compiler <<< "$(go env CXX)"
  if echo '#include <nlohmann/json.hpp>' | "${compiler[@]}" -E -x c++ - > /dev/null 2>&1; then
    return
  fi
  if ! command -v apt-get > /dev/null || ! command -v dpkg > /dev/null; then
    die "$MISSING" "the C++ headers of nlohmann/json are missing: install the package (Debian, Ubuntu: $package; Fedora: json-devel; Arch, Alpine: nlohmann-json)"
  fi
  # Fetched and unpacked beside the build, not installed. A fresh machine has no
  # package lists yet, and only root may get them.
  (cd "$1" && { apt-get download $package || { apt-get update && apt-get download $package; }; }) > "$log" 2>&1 ||
    die "$MISSING" "package $package could not be fetched: install it (apt-get install $package). apt-get said: $(tail -n 1 "$log")"
  dpkg -x "$1"/$package*.deb "$1/json"
  echo ":$1/json/usr/include"
}

# write_standins FOLDER writes headers that declare what the engine's unused
# media reader mentions, with functions that always fail.
write_standins() {
  mkdir -p "$1/miniaudio" "$1/stb"
  cat > "$1/miniaudio/miniaudio.h" << 'EOF'
#pragma once
#include <cstdarg>
#include <cstring>
// No audio: whatever is asked for is unavailable.
using ma_result = int;
using ma_uint64 = unsigned long long;
enum : ma_result { MA_SUCCESS = 0, ma_unavailable_here = 1 };
enum ma_format { ma_format_f32 };
enum ma_encoding_format { ma_encoding_format_wav };
struct ma_decoder {};
struct ma_encoder {};
struct ma_decoder_config {};
struct ma_encoder_config {};
template <class... T> ma_decoder_config ma_decoder_config_init(T...) { return {}; }
template <class... T> ma_encoder_config ma_encoder_config_init(T...) { return {}; }
template <class... T> ma_result ma_decoder_init_memory(T...) { return ma_unavailable_here; }
template <class... T> ma_result ma_decoder_get_length_in_pcm_frames(T...) { return ma_unavailable_here; }
template <class... T> ma_result ma_decoder_read_pcm_frames(T...) { return ma_unavailable_here; }
template <class... T> ma_result ma_decoder_uninit(T...) { return MA_SUCCESS; }
EOF
  cat > "$1/stb/stb_image.h" << 'EOF'
#pragma once
// No images by this way: none can be decoded.
template <class... T> unsigned char *stbi_load_from_memory(T...) { return nullptr; }
inline void stbi_image_free(void *) {}
EOF
}
