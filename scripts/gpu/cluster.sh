#!/bin/bash
# Runs the fixtures with clusters that are right on a GPU (sm_90 or newer) and on the simulator, and compares what they write, byte by
# byte. Outputs of floats are compared, too: these kernels add in one order.
# Usage: scripts/gpu/cluster.sh path/to/checker
set -euo pipefail
checker=$(realpath "${1:?usage: scripts/gpu/cluster.sh path/to/checker}")
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
for file in tests/fixtures/checks/right/cluster_*.cu; do
    outputs=$(sed -n 's|^//@ out \([a-z]*\):.*|\1|p' "$file")
    for backend in sim gpu; do
        dumps=()
        for output in $outputs; do dumps+=(--dump "$output=$out/$backend-$output.npy"); done
        "$checker" run "$file" --seed 1 --backend $backend "${dumps[@]}" > "$out/report" || { cat "$out/report"; exit 1; }
    done
    for output in $outputs; do cmp "$out/sim-$output.npy" "$out/gpu-$output.npy"; done
    echo "the same on both: $file"
done
