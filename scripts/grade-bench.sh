#!/usr/bin/env bash
# Throughput of `checker grade` over STUDENTS (200 unless given) generated submissions, nothing known before: submissions an
# hour, processor seconds for each, the slowest ones.
set -euo pipefail
students=${1:-200}
top=$(cd "$(dirname "$0")/.." && pwd)
checker=${CHECKER:-$top/target/release/checker}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$top/scripts/grade-class.sh" "$work/class" "$students"
# The compiler as it is; no kernel compiled before.
home=${WARPBOOK_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/warpbook}
mkdir "$work/home"
for kept in "$home"/toolchain "$home"/links "$home"/pch; do
    [ ! -e "$kept" ] || ln -s "$kept" "$work/home/"
done
begun=$(date +%s.%N)
( export WARPBOOK_HOME=$work/home; time "$checker" grade "$work/class" --workbook "$top" --seed 7 --book "$work/book" ) 2> "$work/time" || true
ended=$(date +%s.%N)
python3 - "$work" "$students" "$begun" "$ended" <<'END'
import glob, json, re, sys
work, students, begun, ended = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
clock = open(f"{work}/time").read()
cpu = sum(60 * float(m) + float(s) for m, s in re.findall(r"(?:user|sys)\s+(\d+)m([\d.]+)s", clock))
grades = [json.load(open(name)) for name in glob.glob(f"{work}/book/grades/*/*.json")]
graded = sum(grade["state"]["is"] == "graded" for grade in grades)
print(f"{graded} of {students} graded in {ended - begun:.0f} s: {3600 * students / (ended - begun):.0f} an hour, "
      f"{cpu / students:.2f} s of processor time each")
for grade in sorted(grades, key=lambda grade: -grade["seconds"])[:5]:
    verdict = (grade["report"] or {}).get("verdict", grade["state"]["is"])
    print(f"  {grade['seconds']:.1f} s  {grade['exercise']}  {verdict}")
END
