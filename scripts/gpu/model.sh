#!/bin/sh
# Times of kernels that are in no chapter, on a machine with an NVIDIA driver: what the model of time is judged on besides the book.
#
#   scripts/gpu/model.sh CHECKER OUT [NAME...]
#
# CHECKER    a built `checker` (stripped, release)
# OUT        a folder for what comes back: report.txt, and results/DEVICE/NAME.json for each pair of tests/fixtures/model
# NAME       these pairs; all without
#
# Run at the top of the repository. The CUDA toolkit is the machine's own. Seven seconds a pair.
set -u
[ $# -ge 2 ] || { sed -n '2,10p' "$0"; exit 2; }
checker=$(realpath "$1"); mkdir -p "$2"; out=$(realpath "$2"); shift 2
[ $# -gt 0 ] || set -- $(ls tests/fixtures/model/kernels)
export WARPBOOK_OFFLINE=1
WARPBOOK_HOME=$(mktemp -d); export WARPBOOK_HOME
trap 'rm -rf "$WARPBOOK_HOME"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/report.txt"
for name in "$@"; do
    timeout 60 "$checker" --workbook tests/fixtures/model bench "$name" --out "$out/results" >> "$out/report.txt" 2>&1
    echo "bench $name: exit $?" >> "$out/report.txt"
done
tail -c 6000 "$out/report.txt"
