#!/bin/sh
# All the GPU work of a change, on a machine with an NVIDIA driver; no Rust and no network are needed there.
#
#   scripts/gpu/all.sh CHECKER TOOLCHAIN OUT [SECONDS]
#
# CHECKER    a built `checker` (stripped, release)
# TOOLCHAIN  a folder with NVRTC, nvdisasm and the CUDA headers; - for what the machine has
# OUT        a folder for what comes back: report.txt, figures.json, checks.tar.gz, results.tar.gz
# SECONDS    stop starting new work after so long (default 440)
#
# Run at the top of the repository. What does not fit into the time is named in report.txt.
set -u
[ $# -ge 3 ] || { sed -n '2,13p' "$0"; exit 2; }
checker=$(realpath "$1"); mkdir -p "$3"; out=$(realpath "$3"); limit=${4:-440}
begin=$(date +%s)
export WARPBOOK_OFFLINE=1
[ "$2" = - ] || { WARPBOOK_CUDA=$(realpath "$2"); export WARPBOOK_CUDA; }
WARPBOOK_HOME=$(mktemp -d); export WARPBOOK_HOME
work=$(mktemp -d)
trap 'rm -rf "$WARPBOOK_HOME" "$work"' EXIT
mkdir -p "$work/checks" "$work/results"
report=$out/report.txt
: > "$report"

elapsed() { echo $(($(date +%s) - begin)); }
say() { echo "[$(elapsed)s] $*" | tee -a "$report"; }
# due WHAT: is there time left for it?
due() { [ "$(elapsed)" -lt "$limit" ] || { say "not run, out of time: $*"; return 1; }; }
pack() {
    tar -C "$work" -czf "$out/checks.tar.gz" checks
    tar -C "$work" -czf "$out/results.tar.gz" results
}

say "machine"
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.mem,power.limit --format=csv >> "$report" 2>&1
"$checker" doctor >> "$report" 2>&1

say "roof, twice"
for n in 1 2; do
    timeout 60 "$checker" bench --roof --json > "$work/roof$n.json" 2>> "$report" || say "roof failed: $?"
    cat "$work/roof$n.json" >> "$report"
done

names="$(ls kernels) $(ls exercises)"

say "checks on the GPU"
for name in $names; do
    due "check $name" || continue
    case $name in ex*) version=--solution ;; *) version= ;; esac
    # shellcheck disable=SC2086 # no version is no argument
    timeout 90 "$checker" "$name" $version --backend gpu --json > "$work/checks/$name.json" 2> "$work/checks/$name.err"
    status=$?
    say "check $name: exit $status"
    [ $status -eq 0 ] || { head -c 1500 "$work/checks/$name.err"; head -c 3000 "$work/checks/$name.json"; } >> "$report"
done
pack

say "measurements"
for name in $names; do
    due "bench $name" || continue
    case $name in ex*) version=--solution ;; *) version= ;; esac
    # shellcheck disable=SC2086
    timeout 120 "$checker" bench "$name" $version --out "$work/results" >> "$report" 2>&1 || say "bench $name: exit $?"
done
pack

say "repeatability: five runs of a DRAM-bound pair; a kernel against itself"
echo '{' > "$out/figures.json"
for name in ${WARPBOOK_REPEAT:-two-elements wide-loads}; do
    [ -d "kernels/$name" ] || continue
    due "repeat $name" || continue
    timeout 150 "$checker" bench "$name" --repeat 5 --json > "$work/repeat.json" 2>> "$report" || say "repeat $name: exit $?"
    { printf '"repeat %s": ' "$name"; cat "$work/repeat.json"; echo ','; } >> "$out/figures.json"
    grep -h -A3 '"spread"' "$work/repeat.json" >> "$report"
    due "itself $name" || continue
    timeout 60 "$checker" bench "$name" --itself --json > "$work/itself.json" 2>> "$report" || say "itself $name: exit $?"
    { printf '"itself %s": ' "$name"; cat "$work/itself.json"; echo ','; } >> "$out/figures.json"
    grep -h '"verdict"' "$work/itself.json" >> "$report"
done
{ printf '"roof": '; cat "$work/roof2.json"; echo '}'; } >> "$out/figures.json"

say "bad kernels: each must end in a report with exit status 1"
for kind in endless out-of-bounds misaligned trap assert printf-flood deadlock; do
    due "bad $kind" || continue
    sh "$(dirname "$0")/bad-kernel.sh" "$kind" > "$work/bad.cu" || continue
    timeout 90 "$checker" run "$work/bad.cu" --backend gpu > "$work/checks/bad-$kind.txt" 2>&1
    say "bad kernel $kind: exit $?"
    head -n 12 "$work/checks/bad-$kind.txt" >> "$report"
done
pack
say "done"
