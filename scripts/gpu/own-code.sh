#!/bin/bash
# Runs the fixtures of readers' own files on a GPU and on the simulator, and compares what they write, byte by byte.
# Usage: scripts/gpu/own-code.sh path/to/checker
set -euo pipefail
checker=$(realpath "${1:?usage: scripts/gpu/own-code.sh path/to/checker}")
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
for backend in sim gpu; do
    "$checker" run tests/fixtures/own/arguments.cu --seed 1 --backend $backend --dump "c=$out/$backend.npy" | grep '  c: '
done
cmp "$out/sim.npy" "$out/gpu.npy"
echo "the same on both"
