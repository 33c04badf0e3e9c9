#!/usr/bin/env bash
# What grading each exercise takes of Gradescope's smallest container: 768 MB and half a vCPU, in a control group of its own (root, v1 or
# v2; elsewhere an address space limit and one core, and a word says so). A line an exercise: seconds, seconds of processor time, most memory.
# Exit status 1 where one is not graded, or takes more than SECONDS (60).
#
#   scripts/class/fits.sh [SECONDS [exNN ...]]
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
checker=$(realpath "${CHECKER:-$top/target/release/checker}")
most=${1:-60}; shift || true
names=("$@"); [ ${#names[@]} -gt 0 ] || mapfile -t names < <(cd "$top/exercises" && printf "%s\n" ex*)
bytes=$((768 * 1024 * 1024))
work=$(mktemp -d)
groups=()
cleanup() {
    for group in "${groups[@]}"; do rmdir "$group" 2> /dev/null || true; done
    rm -rf "$work"
}
trap cleanup EXIT

# What a process in it may use, and how that is read back.
tree=/sys/fs/cgroup own=warpbook-$$
if [ -w $tree/cgroup.subtree_control ] && mkdir "$tree/$own" 2> /dev/null; then
    groups=("$tree/$own") how="control group, version 2"
    echo "+cpu +memory" > $tree/cgroup.subtree_control
    echo "50000 100000" > "$tree/$own/cpu.max"
    echo $bytes > "$tree/$own/memory.max"
    echo 0 > "$tree/$own/memory.swap.max" 2> /dev/null || true
    cpu() { awk '$1 == "usage_usec" { print $2 / 1e6 }' "$tree/$own/cpu.stat"; }
    peak() { cat "$tree/$own/memory.peak" 2> /dev/null || cat "$tree/$own/memory.current"; }
elif [ -w $tree/memory ] && mkdir "$tree/memory/$own" "$tree/cpu/$own" "$tree/cpuacct/$own" 2> /dev/null; then
    groups=("$tree/memory/$own" "$tree/cpu/$own" "$tree/cpuacct/$own") how="control groups, version 1"
    echo 100000 > "$tree/cpu/$own/cpu.cfs_period_us"
    echo 50000 > "$tree/cpu/$own/cpu.cfs_quota_us"
    echo $bytes > "$tree/memory/$own/memory.limit_in_bytes"
    cpu() { awk '{ print $1 / 1e9 }' "$tree/cpuacct/$own/cpuacct.usage"; }
    peak() { cat "$tree/memory/$own/memory.max_usage_in_bytes"; echo 0 > "$tree/memory/$own/memory.max_usage_in_bytes"; }
else
    how="no control group: an address space limit of 768 MB a process and one core"
    cpu() { awk '{ print ($1 + $2) / 100 }' <<< "$(times | tail -1 | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/); print 100 * (60 * u[1] + u[2]), 100 * (60 * s[1] + s[2]) }')"; }
    peak() { echo 0; }
fi
echo "768 MB and half a vCPU by: $how"
inside() {
    if [ ${#groups[@]} -gt 0 ]; then
        for group in "${groups[@]}"; do echo $BASHPID > "$group/cgroup.procs"; done
        exec "$@"
    fi
    ulimit -v $((bytes / 1024))
    exec taskset -c 0 "$@"
}
failed=0 slowest=0 largest=0
for name in "${names[@]}"; do
    mkdir -p "$work/$name/submission"
    cp "$top/solutions/$name/solution.cu" "$work/$name/submission/kernel.cu"
    # Nothing is compiled before, as on the first day of a course; the compiler itself is there.
    home=$work/$name/home
    mkdir -p "$home"
    for kept in "${WARPBOOK_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/warpbook}"/{toolchain,links}; do [ ! -e "$kept" ] || ln -s "$kept" "$home/"; done
    before=$(cpu) begun=$(date +%s.%N)
    (inside env WARPBOOK_HOME="$home" WARPBOOK_PCH=0 "$checker" grade "$work/$name/submission" --student one --exercise "$name" --workbook "$top" --seed 7 \
        --jobs 1 --limit "$most" --book "$work/$name/book" --for vpl) > "$work/$name/said" 2>&1 || true
    ended=$(date +%s.%N)
    points=$(grep '^Grade' "$work/$name/said" | cut -d' ' -f3 || true)
    line=$(awk -v b="$begun" -v e="$ended" -v c="$(cpu)" -v d="$before" -v p="$(peak)" 'BEGIN { printf "%5.1f s  %5.1f s of processor time  %4d MB", e - b, c - d, p / 1048576 }')
    echo "$name  $line  ${points:-not graded: $(tail -1 "$work/$name/said")}"
    [ -n "$points" ] || failed=1
    awk -v b="$begun" -v e="$ended" -v m="$most" 'BEGIN { exit !(e - b > m) }' && failed=1
done
exit $failed
