#!/bin/sh
# What keeps some kernels of the workbook busy, and what spills move, by a GPU's own counters: scripts/ncu/limits.sh OUT.json
#
# Needs nvcc, ncu, python3, and the right to read counters. Metrics that the profiler does not know are left out.
set -eu
[ $# -eq 1 ] || { sed -n '2,4p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -O3 -std=c++17 -arch=sm_90 -o "$work/limits" "$here/limits.cu"
ncu --query-metrics --chip gh100 | awk '{ print $1 }' > "$work/known"
metrics=$("$here/limits.py" metrics "$work/known")
(cd "$here/../.." && ncu --csv --page raw --print-units base --clock-control none --metrics "$metrics" "$work/limits") > "$work/log"
device=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
version=$(ncu --version | sed -n 's/^Version /ncu /p')
"$here/limits.py" table "$work/log" "$device" "$version" > "$1"
