#!/bin/sh
# Is a right answer slower with other blocks? Measures the answers of the exercises named with blocks of 32 to 1024 threads against the
# starter, beside what the model says of each, which must not refuse what is fast. On a machine with a GPU, at the top of the repository:
#
#   scripts/gpu/blocks.sh CHECKER NAME...
set -u
[ $# -ge 2 ] || { sed -n '2,6p' "$0"; exit 2; }
checker=$(realpath "$1"); shift
for name in "$@"; do
    kept=$(mktemp)
    cp "exercises/$name/kernel.cu" "$kept"
    for block in 32 64 128 256 512 1024; do
        sed -E "s/^(\/\/@ let +block *= )[0-9]+/\1$block/" "solutions/$name/solution.cu" > "exercises/$name/kernel.cu"
        echo "$name, blocks of $block"
        timeout 90 "$checker" bench "$name" 2>&1 | grep "$name" | head -n 1
        timeout 90 "$checker" "$name" --backend sim --plain --seed 3 -v 2>&1 | grep -E 'modelled' | head -n 2
    done
    cp "$kept" "exercises/$name/kernel.cu"
    rm "$kept"
done
