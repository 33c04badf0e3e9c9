#!/bin/sh
# What the model of time knows of a GPU, measured anew: scripts/clock/all.sh OUT [NAME...]
#
# Every program of this folder (or those named, without .cu) is built and run; OUT/tables/NAME.json is what it prints. They are the source of
# checker/model/devices/*.toml; book/results/DEVICE/tables has those of a device.
#
# Needs nvcc, and for `stores` ncu with the right to read counters. Two minutes on an H200.
set -u
[ $# -ge 1 ] || { sed -n '2,7p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1/tables"; out=$(realpath "$1"); shift
NVCC=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}; export NVCC
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2046 # names without spaces
[ $# -gt 0 ] || set -- $(cd "$here" && ls -- *.cu | sed 's/\.cu$//')
failed=0
for name in "$@"; do
    if [ "$name" = stores ]; then
        "$here/stores.sh" "$work/table.json"
    else
        "$NVCC" -arch=native -lineinfo -O3 -std=c++17 -o "$work/$name" "$here/$name.cu" && "$work/$name" > "$work/table.json"
    fi
    status=$?
    echo "$name: exit $status"
    if [ $status -eq 0 ]; then mv "$work/table.json" "$out/tables/$name.json"; else failed=1; fi
done
exit $failed
