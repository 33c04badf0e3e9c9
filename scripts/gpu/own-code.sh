#!/bin/bash
# Runs the fixtures of readers' own files on a GPU and on the simulator, and compares what they write, byte by byte.
# Usage: scripts/gpu/own-code.sh path/to/checker
set -euo pipefail
checker=$(realpath "${1:?usage: scripts/gpu/own-code.sh path/to/checker}")
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
# compare FILE OUTPUT...
compare() {
    local file=$1 backend output dumps
    shift
    for backend in sim gpu; do
        dumps=()
        for output in "$@"; do dumps+=(--dump "$output=$out/$backend-$output.npy"); done
        "$checker" run "tests/fixtures/own/$file" --seed 1 --backend $backend "${dumps[@]}" | grep -E '^  [a-z]+: '
    done
    for output in "$@"; do cmp "$out/sim-$output.npy" "$out/gpu-$output.npy"; done
}
compare arguments.cu c
compare textures.cu clamped bordered wrapped mirrored plane cube layers faces gathered fetched fractions pixels half
echo "the same on both"
