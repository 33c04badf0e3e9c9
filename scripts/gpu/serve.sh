#!/bin/bash
# The GPU's switch of a served page, on a machine that has a GPU: scripts/gpu/serve.sh. Solves ex01 in a copy of the workbook, checks it
# through the server as the page does, and fails unless its report has a time measured on this GPU with its interval.
# CHECKER: a built `checker`; without it one is built.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v nvidia-smi > /dev/null || { echo "scripts/gpu/serve.sh: there is no GPU here"; exit 77; }
if [[ -n ${CHECKER:-} ]]; then
    checker=$(realpath "$CHECKER")
else
    cargo build --release --quiet
    checker=$(realpath "${CARGO_TARGET_DIR:-target}/release/checker")
fi
work=$(mktemp -d)
trap 'kill "${server:-}" 2> /dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$work/book/src" "$work/exercises" "$work/solutions" "$work/kernels"
cp -r exercises/ex01 "$work/exercises/"
cp -r solutions/ex01 "$work/solutions/"
printf '[book]\ntitle = "One"\n' > "$work/book/book.toml"
sed -i 's/^chapter .*/chapter = "one"/' "$work/exercises/ex01/problem.toml"
printf '# Summary\n\n- [One](one.md)\n' > "$work/book/src/SUMMARY.md"
printf '# One\n\n{{exercise ex01}}\n' > "$work/book/src/one.md"
cp "$work/solutions/ex01/solution.cu" "$work/exercises/ex01/kernel.cu"
"$checker" --workbook "$work" book serve --port 0 > "$work/said" &
server=$!
for _ in $(seq 600); do grep -q token= "$work/said" && break; sleep 0.1; done
link=$(head -n 1 "$work/said")
ask() { curl --silent --show-error --max-time 300 -H "x-warpbook-token: ${link##*token=}" "$@"; }
ask "${link%%/#*}/api/state" | grep -o '"gpu":[^,]*'
ask "${link%%/#*}/api/job" -d '{"page":"gpu","work":{"do":"check","name":"ex01","gpu":true}}' > "$work/events"
python3 - "$work/events" << 'END'
import json, sys
told = json.loads(open(sys.argv[1]).read().strip().split("data: ")[-1])["told"]
speedup = told["report"]["speedup"]
assert told["badge"] == "PASSED", told["badge"]
assert speedup["provenance"]["source"] == "measured", speedup
assert speedup["low"] <= speedup["ratio"] <= speedup["high"], speedup
print(f"{told['badge']}: {speedup['ratio']:.2f}x, {speedup['low']:.2f} to {speedup['high']:.2f}, on {speedup['provenance']['device']}")
END
