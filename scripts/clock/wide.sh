#!/bin/sh
# The requests of scripts/clock/wide.cu with the passes that a GPU's own counters say they took: scripts/clock/wide.sh OUT.csv
#
# Needs nvcc, ncu, python3, and the right to read counters.
set -eu
[ $# -eq 1 ] || { sed -n '2,4p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -O3 -std=c++17 -arch=native -o "$work/wide" "$here/wide.cu"
"$work/wide" > "$work/requests"
passes=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
ncu --csv --page raw --print-units base --clock-control none --metrics "$passes" "$work/wide" > "$work/log"
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
python3 - "$work/requests" "$work/log" "$gpu" > "$1" <<'END'
import csv, sys
requests = open(sys.argv[1]).read().split()
lines = [line for line in open(sys.argv[2]) if line.startswith('"')]
head, _, *rows = csv.reader(lines)
columns = [at for at, name in enumerate(head) if "wavefronts" in name and name.endswith(".sum")]
assert len(rows) == len(requests), (len(rows), len(requests))
print(f"# {sys.argv[3]}: scripts/clock/wide.sh. Bytes per lane, kind, mask, places of lanes 0 to 31 in elements, passes")
for request, row in zip(requests, rows):
    print(f"{request},{sum(int(row[at]) for at in columns)}")
END
