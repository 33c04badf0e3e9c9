#!/usr/bin/env bash
# Runs the differential kernels on this machine's GPU (sm_90 or newer). Needs nvcc.
# Usage: run_on_gpu.sh WORK OUTDIR
#   WORK    written by `cargo run -p simulator-tests --example differential -- write WORK`
#   OUTDIR  receives index.txt and outputs.bin for `... --example differential -- pack OUTDIR`
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: run_on_gpu.sh WORK OUTDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$1
out=$2
mkdir -p "$out"
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
binary=$(mktemp)
trap 'rm -f "$binary"' EXIT
# -lcuda comes from the toolkit's stubs where no driver package put it in place.
stubs=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64/stubs
"$nvcc" -std=c++17 -O1 -o "$binary" "$here/driver.cpp" -L"$stubs" -lcuda
# Compiled beforehand, all cores at once; what ptxas refuses, the driver names. Programs are not optimised: of ptxas 13.0
# it is the hardware's answers that are wanted, and from -O1 on it folds `min.s32 t, x, y; max.u32 d, t, y` to `mov d, y`.
ptxas=$(dirname "$(readlink -f "$nvcc")")/ptxas
assemble() {
    (cd "$work" && xargs -d '\n' -P "$(nproc)" -I{} "$ptxas" "$1" -arch=sm_90 -o {}.cubin {}.ptx 2>/dev/null) || true
}
(cd "$work" && ls) | sed -n '/^program/s/\.ptx$//p' | assemble -O0
(cd "$work" && ls) | sed -n '/^program/d;s/\.ptx$//p' | assemble -O3
rm -f "$out/index.txt" "$out/outputs.bin"
until "$binary" "$work" "$out"; do
    [ $? -eq 3 ] || exit 1
done
