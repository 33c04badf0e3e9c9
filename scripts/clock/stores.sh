#!/bin/sh
# What scripts/clock/stores.cu measures, with what a GPU's own counters say of the same launches: scripts/clock/stores.sh OUT.json
#
# Needs nvcc, ncu, python3, and the right to read counters.
set -eu
[ $# -eq 1 ] || { sed -n '2,4p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -O3 -std=c++17 -arch=native -o "$work/stores" "$here/stores.cu"
"$work/stores" > "$work/rates.json"
left=l1tex__m_l1tex2xbar_write_sectors.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
ncu --csv --page raw --print-units base --clock-control none --metrics "$left" "$work/stores" once > "$work/log"
"$here/stores.py" "$work/rates.json" "$work/log" > "$1"
