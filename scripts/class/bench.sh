#!/usr/bin/env bash
# Throughput of `checker grade` over STUDENTS (200 unless given) generated submissions, nothing known before: submissions an
# hour, processor seconds for each (of all processes where there are control groups and the right to make one; a shell does not count
# workers), what two cores make of that, the slowest ones.
set -euo pipefail
students=${1:-200}
top=$(cd "$(dirname "$0")/../.." && pwd)
checker=${CHECKER:-$top/target/release/checker}
work=$(mktemp -d)
group=
for tree in /sys/fs/cgroup/cpuacct /sys/fs/cgroup; do
    if [ -f "$tree/cgroup.procs" ] && mkdir "$tree/grade-bench-$$" 2> /dev/null; then
        group=$tree/grade-bench-$$
        break
    fi
done
trap 'rm -rf "$work"; [ -z "$group" ] || rmdir "$group"' EXIT
"$top/scripts/class/make.sh" "$work/class" "$students"
# The compiler as it is; no kernel compiled before.
home=${WARPBOOK_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/warpbook}
mkdir "$work/home"
for kept in "$home"/toolchain "$home"/links "$home"/pch; do
    [ ! -e "$kept" ] || ln -s "$kept" "$work/home/"
done
begun=$(date +%s.%N)
( [ -z "$group" ] || echo $BASHPID > "$group/cgroup.procs"
  export WARPBOOK_HOME=$work/home; time "$checker" grade "$work/class" --workbook "$top" --seed 7 --book "$work/book" ) 2> "$work/time" || true
ended=$(date +%s.%N)
sleep 0.5
python3 - "$work" "$students" "$begun" "$ended" "$group" <<'END'
import glob, json, os, re, sys
work, students, begun, ended, group = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
clock = open(f"{work}/time").read()
cpu = sum(60 * float(m) + float(s) for m, s in re.findall(r"(?:user|sys)\s+(\d+)m([\d.]+)s", clock))
if os.path.exists(f"{group}/cpuacct.usage"):
    cpu = int(open(f"{group}/cpuacct.usage").read()) / 1e9
elif os.path.exists(f"{group}/cpu.stat"):
    cpu = int(re.search(r"usage_usec (\d+)", open(f"{group}/cpu.stat").read())[1]) / 1e6
grades = [json.load(open(name)) for name in glob.glob(f"{work}/book/grades/*/*.json")]
graded = sum(grade["state"]["is"] == "graded" for grade in grades)
print(f"{graded} of {students} graded in {ended - begun:.0f} s: {3600 * students / (ended - begun):.0f} an hour, "
      f"{cpu / students:.2f} s of processor time each{'' if group else ' without workers'}: {2 * 3600 * students / cpu:.0f} an hour on two whole cores")
if len(grades) < students:
    print("it ended before its time:", *clock.splitlines()[-8:], sep="\n  ")
for grade in sorted(grades, key=lambda grade: -grade["seconds"])[:5]:
    verdict = (grade["report"] or {}).get("verdict", grade["state"]["is"])
    print(f"  {grade['seconds']:.1f} s  {grade['exercise']}  {verdict}")
END
