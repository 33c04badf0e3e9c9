#!/bin/sh
# Compares what printf prints on a GPU with what the simulator prints; 0 if it is the same.
#
#   scripts/gpu/printf.sh CHECKER [OUT]
#
# CHECKER  a built `checker`; the toolchain is found as always (WARPBOOK_CUDA)
# OUT      a folder that keeps the texts (default: a temporary one)
#
# printf.cu is what is documented, and decides the exit status. printf_odd.cu is what is not: its lines are shown where
# the two differ, `<` the simulator's and `>` the GPU's, and the GPU's are run twice, since some may be anything.
# Run at the top of the repository, on a machine with a GPU.
set -u
[ $# -ge 1 ] || { sed -n '2,11p' "$0"; exit 2; }
checker=$(realpath "$1")
out=${2:-$(mktemp -d)}; mkdir -p "$out"
# printed NAME BACKEND TO: what tests/fixtures/NAME.cu prints there.
printed() {
    "$checker" run "tests/fixtures/$1.cu" --backend "$2" --seed 1 --json > "$out/$3.json" || {
        echo "printf.sh: $1.cu on $2 failed; see $out/$3.json" >&2; return 1; }
    python3 -c 'import json, sys; sys.stdout.write(json.load(open(sys.argv[1]))["printf"])' "$out/$3.json" > "$out/$3.txt"
    [ -s "$out/$3.txt" ] || { echo "printf.sh: $1.cu printed nothing on $2" >&2; return 1; }
}
if printed printf_odd sim odd-sim && printed printf_odd gpu odd-gpu && printed printf_odd gpu odd-again; then
    echo "printf_odd.cu on the GPU:"; cat -v "$out/odd-gpu.txt"
    echo "printf_odd.cu, simulator < and GPU >:"; diff -a "$out/odd-sim.txt" "$out/odd-gpu.txt" | cat -v
    cmp -s "$out/odd-gpu.txt" "$out/odd-again.txt" || {
        echo "printf_odd.cu, the GPU once more:"; diff -a "$out/odd-gpu.txt" "$out/odd-again.txt" | cat -v; }
fi
printed printf sim sim && printed printf gpu gpu || exit 1
cmp "$out/sim.txt" "$out/gpu.txt" && { echo "printf: $(wc -l < "$out/sim.txt") lines are the same"; exit 0; }
diff "$out/sim.txt" "$out/gpu.txt"
exit 1
