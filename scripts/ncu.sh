#!/bin/sh
# The GPU's own counters of every kernel of the workbook: scripts/ncu.sh WORK OUT
#
# Needs nvcc, ncu, and the right to read counters. WORK is made, and OUT is turned into the committed table, by the tests
# that tests/e2e/hardware/mod.rs names. Writes OUT/ncu.1.csv to OUT/ncu.3.csv, OUT/manifest.txt and OUT/device.txt: three runs, since
# what depends on time differs between them.
set -eu
[ $# -eq 2 ] || { sed -n '2,7p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$2"
work=$(realpath "$1"); out=$(realpath "$2")
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
stubs=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64/stubs
binary=$(mktemp); trap 'rm -f "$binary"' EXIT
"$nvcc" -std=c++17 -O1 -o "$binary" "$here/ncu/driver.cpp" -L"$stubs" -lcuda
"$binary" "$work"

cp "$work/manifest.txt" "$out/manifest.txt"
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    ncu --version | sed -n 's/^Version /ncu /p'
} | paste -sd, - > "$out/device.txt"
for run in 1 2 3; do
    ncu --csv --page raw --print-units base --clock-control none --metrics "$(cat "$work/metrics.txt")" "$binary" "$work" > "$out/ncu.log"
    grep '^"' "$out/ncu.log" > "$out/ncu.$run.csv"
done
