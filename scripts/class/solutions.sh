#!/usr/bin/env bash
# Grades right kernels (solutions and other styles) COUNT times (1000 unless given) with seeds that nobody saw before, SEED and up: each
# must have all points. A false fail is a mistake in a tolerance or in how inputs are drawn; it is named with the seed that shows it.
set -euo pipefail
count=${1:-1000} seed=${2:-$(date +%s)}
top=$(cd "$(dirname "$0")/../.." && pwd)
checker=${CHECKER:-$top/target/release/checker}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kernel in "$top"/solutions/ex*/solution.cu "$top"/solutions/ex*/styles/*.cu; do
    exercise=$(grep -o 'ex[0-9][0-9]*' <<< "${kernel#"$top"/solutions/}" | head -1)
    name=$(basename "$kernel" .cu)
    mkdir -p "$work/class/$exercise-by-$name/$exercise"
    cp "$kernel" "$work/class/$exercise-by-$name/$exercise/kernel.cu"
done
kernels=$(find "$work/class" -name kernel.cu | wc -l)
done=0 failed=0 open=0
while [ "$done" -lt "$count" ]; do
    rm -rf "$work/book"
    nice -n "${NICE:-19}" "$checker" grade "$work/class" --workbook "$top" --seed "$seed" --quiet --book "$work/book" > "$work/said" 2>&1 || true
    read -r wrong later < <(python3 - "$work/book" "$seed" 3>&1 1>&2 <<'END'
import glob, json, os, sys
book, seed = sys.argv[1:]
wrong = later = 0
for name in sorted(glob.glob(f"{book}/grades/*/*.json")):
    grade = json.load(open(name))
    points, who = grade["points"], grade["student"]["name"]
    if grade["state"]["is"] == "not-graded":
        later += 1
        print(f"not graded: {who}: {grade['state']['why']}")
    # Of a measured time nothing is said here.
    elif any(item["came"] != "earned" for item in points["items"]):
        wrong += 1
        why = next(item["why"] for item in points["items"] if item["came"] != "earned")
        print(f"FALSE FAIL: {who}: {grade['report']['verdict']}: {why}; --seed {grade['seed']} (class seed {seed})")
os.write(3, f"{wrong} {later}\n".encode())
END
)
    [ "$(find "$work/book/grades" -name '*.json' | wc -l)" -eq "$kernels" ] || { cat "$work/said"; exit 3; }
    done=$((done + kernels)) failed=$((failed + wrong)) open=$((open + later)) seed=$((seed + 1))
    echo "$done graded, $failed false fails, $open not graded"
done
[ "$failed" -eq 0 ]
