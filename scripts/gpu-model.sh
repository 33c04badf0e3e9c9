#!/bin/sh
# Times of kernels that are in no chapter, on a machine with an NVIDIA driver: what the model of time is judged on besides the book.
#
#   scripts/gpu-model.sh CHECKER OUT
#
# CHECKER    a built `checker` (stripped, release)
# OUT        a folder for what comes back: report.txt, and results/DEVICE/NAME.json for each pair of tests/fixtures/model
#
# Run at the top of the repository. The CUDA toolkit is the machine's own. A minute and a half.
set -u
[ $# -eq 2 ] || { sed -n '2,9p' "$0"; exit 2; }
checker=$(realpath "$1"); mkdir -p "$2"; out=$(realpath "$2")
export WARPBOOK_OFFLINE=1
WARPBOOK_HOME=$(mktemp -d); export WARPBOOK_HOME
trap 'rm -rf "$WARPBOOK_HOME"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/report.txt"
for folder in tests/fixtures/model/kernels/*/; do
    name=$(basename "$folder")
    timeout 60 "$checker" --workbook tests/fixtures/model bench "$name" --out "$out/results" >> "$out/report.txt" 2>&1
    echo "bench $name: exit $?" >> "$out/report.txt"
done
tail -c 6000 "$out/report.txt"
