#!/bin/sh
# What some solutions and their styles take on a machine with a GPU, and what its profiler says of each: scripts/near-best.sh OUT
#
# Needs nvcc with cuBLAS, ncu, and the right to read counters. Writes OUT/times.csv, OUT/ncu.csv, OUT/lines.csv.gz and OUT/device.txt;
# scripts/ncu/near-best.py makes the book's tables of them. About 60 s.
set -eu
[ $# -eq 1 ] || { sed -n '2,5p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1"; out=$(realpath "$1")
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$nvcc" -O3 -std=c++17 -arch=native "$here/peers/near-best.cu" -lcublas -o "$work/near-best"
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    ncu --version | sed -n 's/^Version /ncu /p'
    date -u +%F
} | paste -sd, - > "$out/device.txt"
echo "kernel,us,gb_per_s,gflop_per_s" > "$out/times.csv"
"$work/near-best" >> "$out/times.csv"
cat "$out/times.csv"
sections=""
for section in SpeedOfLight WarpStateStats SchedulerStats Occupancy InstructionStats LaunchStats MemoryWorkloadAnalysis ComputeWorkloadAnalysis \
               SourceCounters; do
    sections="$sections --section $section"
done
# shellcheck disable=SC2086 # words
ncu --clock-control none $sections -f -o "$work/report" "$work/near-best" once > "$out/ncu.log" 2>&1 || { tail -n 20 "$out/ncu.log"; exit 1; }
ncu --import "$work/report.ncu-rep" --csv --page raw --print-units base > "$out/ncu.csv"
ncu --import "$work/report.ncu-rep" --csv --page source > "$work/lines.csv" 2> "$work/lines.err" || cat "$work/lines.err"
gzip -9 -c "$work/lines.csv" > "$out/lines.csv.gz"
ls -l "$out"
