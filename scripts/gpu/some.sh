#!/bin/sh
# Some problems on a machine with an NVIDIA driver: each is checked there and, if that went well, measured.
#
#   scripts/gpu/some.sh CHECKER OUT NAME...
#
# CHECKER    a built `checker` (stripped, release)
# OUT        a folder for what comes back: report.txt, results.tar.gz
#
# Run at the top of the repository. The CUDA toolkit is the machine's own.
set -u
[ $# -ge 3 ] || { sed -n '2,9p' "$0"; exit 2; }
checker=$(realpath "$1"); mkdir -p "$2"; out=$(realpath "$2"); shift 2
export WARPBOOK_OFFLINE=1
WARPBOOK_HOME=$(mktemp -d); export WARPBOOK_HOME
work=$(mktemp -d)
trap 'rm -rf "$WARPBOOK_HOME" "$work"' EXIT
mkdir -p "$work/results"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/report.txt"
for name in "$@"; do
    case $name in ex*) version=--solution ;; *) version= ;; esac
    # shellcheck disable=SC2086 # no version is no argument
    timeout 90 "$checker" "$name" $version --backend gpu > "$work/check.txt" 2>&1
    status=$?
    echo "check $name: exit $status" >> "$out/report.txt"
    if [ $status -ne 0 ]; then
        cat "$work/check.txt" >> "$out/report.txt"
        continue
    fi
    # shellcheck disable=SC2086
    timeout 120 "$checker" bench "$name" $version --out "$work/results" >> "$out/report.txt" 2>&1
    echo "bench $name: exit $?" >> "$out/report.txt"
done
tar -C "$work" -czf "$out/results.tar.gz" results
tail -c 9000 "$out/report.txt"
