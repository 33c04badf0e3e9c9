#!/usr/bin/env bash
# Kills `checker grade` at POINTS random points (1000 unless given), going on each time, and compares what comes of it with a run
# that nobody killed: no grade lost, none counted twice, none different.
set -euo pipefail
points=${1:-1000}
top=$(cd "$(dirname "$0")/.." && pwd)
checker=${CHECKER:-$top/target/release/checker}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$top/scripts/grade-class.sh" "$work/class" 24
grade() { "$checker" grade "$work/class" --workbook "$top" --seed 7 --quiet --book "$work/$1" "${@:2}"; }

grade whole > "$work/whole.out"
kills=0 rounds=0
while [ "$kills" -lt "$points" ]; do
    rounds=$((rounds + 1))
    # A fresh book now and then: most of the points are to lie in the middle of the work.
    [ $((rounds % 12)) -ne 1 ] || rm -rf "$work/killed"
    grade killed > /dev/null 2>&1 &
    pid=$!
    sleep "$(awk -v seed="$RANDOM" 'BEGIN { srand(seed); printf "%.3f", rand() * rand() * 3 }')"
    if kill -9 "$pid" 2> /dev/null; then kills=$((kills + 1)); fi
    wait "$pid" 2> /dev/null || true
    for grade in "$work"/killed/grades/*/*.json; do
        [ ! -e "$grade" ] || python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$grade" \
            || { echo "half-written after kill $kills: $grade"; exit 1; }
    done
done
grade killed > "$work/killed.out"
cmp "$work/whole/grades.csv" "$work/killed/grades.csv"
left=$(find "$work/killed" -name '.*.new' | wc -l)
[ "$(ls "$work"/whole/grades/*/*.json | wc -l)" -eq "$(ls "$work"/killed/grades/*/*.json | wc -l)" ]
[ "$left" -eq 0 ]
echo "$kills kills in $rounds rounds: no grade lost, none twice, none different"
