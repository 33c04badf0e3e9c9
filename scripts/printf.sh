#!/bin/sh
# Compares what printf prints on a GPU with what the simulator prints; 0 if it is the same.
#
#   scripts/printf.sh CHECKER [OUT]
#
# CHECKER  a built `checker`; the toolchain is found as always (WARPBOOK_CUDA)
# OUT      a folder that keeps both texts (default: a temporary one)
#
# Run at the top of the repository, on a machine with a GPU.
set -u
[ $# -ge 1 ] || { sed -n '2,9p' "$0"; exit 2; }
checker=$(realpath "$1")
out=${2:-$(mktemp -d)}; mkdir -p "$out"
for backend in sim gpu; do
    "$checker" run tests/fixtures/printf.cu --backend $backend --seed 1 --json > "$out/$backend.json" || {
        echo "printf.sh: the run on $backend failed; see $out/$backend.json" >&2; exit 1; }
    python3 -c 'import json, sys; sys.stdout.write(json.load(open(sys.argv[1]))["printf"])' "$out/$backend.json" > "$out/$backend.txt"
    [ -s "$out/$backend.txt" ] || { echo "printf.sh: nothing was printed on $backend" >&2; exit 1; }
done
cmp "$out/sim.txt" "$out/gpu.txt" && { echo "printf: $(wc -l < "$out/sim.txt") lines are the same"; exit 0; }
diff "$out/sim.txt" "$out/gpu.txt"
exit 1
