#!/bin/sh
# What the model of time is judged on besides the book, on a machine with an NVIDIA driver: times of kernels that are in no chapter, and
# how fast code is fetched.
#
#   scripts/gpu/model.sh CHECKER OUT [NAME...]
#
# CHECKER    a built `checker` (stripped, release)
# OUT        a folder for what comes back: report.txt, results/DEVICE/NAME.json for each pair of tests/fixtures/model, tables/fetch.json
# NAME       these pairs; `fetch` is scripts/clock/fetch.cu, which needs nvcc; `new` is `fetch` and the pairs that have no results yet;
#            without any, `fetch` and all pairs
#
# Run at the top of the repository. The CUDA toolkit is the machine's own. Seven seconds a pair, half a minute for `fetch`.
set -u
[ $# -ge 2 ] || { sed -n '2,13p' "$0"; exit 2; }
checker=$(realpath "$1"); mkdir -p "$2/tables"; out=$(realpath "$2"); shift 2
pairs=tests/fixtures/model
# shellcheck disable=SC2046 # names of folders, without spaces
[ $# -gt 0 ] || set -- fetch $(ls $pairs/kernels)
if [ "$1" = new ]; then
    set -- fetch
    for name in $(ls $pairs/kernels); do
        ls $pairs/results/*/"$name.json" > /dev/null 2>&1 || set -- "$@" "$name"
    done
fi
export WARPBOOK_OFFLINE=1
WARPBOOK_HOME=$(mktemp -d); export WARPBOOK_HOME
trap 'rm -rf "$WARPBOOK_HOME"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/report.txt"

fetch() {
    nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
    "$nvcc" -arch=native -O3 -o "$WARPBOOK_HOME/fetch" scripts/clock/fetch.cu || return
    timeout 60 "$WARPBOOK_HOME/fetch" > "$out/tables/fetch.json"
}

for name in "$@"; do
    if [ "$name" = fetch ]; then
        fetch >> "$out/report.txt" 2>&1
    else
        timeout 60 "$checker" --workbook $pairs bench "$name" --out "$out/results" >> "$out/report.txt" 2>&1
    fi
    echo "$name: exit $?" >> "$out/report.txt"
done
tail -c 6000 "$out/report.txt"
