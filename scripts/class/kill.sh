#!/usr/bin/env bash
# Kills `checker grade` at POINTS random points (1000 unless given; SEED says which), going on each time. Whatever a kill leaves: every
# grade that was there before is there and the same, none is half-written. Whenever a book is complete it is held against one that nobody
# killed, and another is begun. The class is a few submissions of the small workbook that tests use, so a kill costs a second.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
checker=${CHECKER:-$top/target/release/checker}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$top/tests/fixtures/small" "$work/workbook"
python3 - "$work" "$checker" "${1:-1000}" "${2:-1}" <<'END'
import glob, json, os, random, shutil, signal, subprocess, sys, time
work, checker, points, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
book = f"{work}/killed"

def hand_in(student, exercise, kernel, comment=""):
    folder = f"{work}/class/{student}/{exercise}"
    os.makedirs(folder)
    with open(f"{work}/workbook/{kernel}") as source, open(f"{folder}/kernel.cu", "w") as out:
        out.write("".join(line for line in source if not line.startswith("//@ mutant")) + comment)

for number in range(4):
    hand_in(f"right{number}", "ex01", "solutions/ex01/solution.cu", f"// {number}\n")
    hand_in(f"other{number}", "ex02", "solutions/ex02/solution.cu", f"// {number}\n")
hand_in("copy", "ex01", "solutions/ex01/solution.cu", "// 0\n")
hand_in("starter", "ex01", "exercises/ex01/starter.cu")
hand_in("wrong", "ex01", "solutions/ex01/mutants/tail.cu")
os.makedirs(f"{work}/class/two/ex02")
for name in ("a.cu", "b.cu"):
    open(f"{work}/class/two/ex02/{name}", "w").write("// which?\n")

def start(name):
    # The lowest priority: it may run for long.
    return subprocess.Popen(["nice", "-n", "19", checker, "grade", f"{work}/class", "--workbook", f"{work}/workbook", "--seed", "7",
                             "--quiet", "--book", name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

def grades(name):
    """Every grade, without what a clock or a cache says."""
    found = {}
    for path in glob.glob(f"{name}/grades/*/*.json"):
        with open(path) as file:
            grade = json.load(file)
        grade["seconds"] = 0
        for stage in (grade["report"] or {}).get("stages", [])[:1]:
            stage["summary"] = ""
        found[os.path.relpath(path, name)] = grade
    return found

def differs(one, other, at=""):
    if isinstance(one, dict) and isinstance(other, dict):
        return "".join(differs(one.get(name), other.get(name), f"{at}.{name}") for name in {**one, **other})
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return "".join(differs(*pair, f"{at}[{index}]") for index, pair in enumerate(zip(one, other)))
    return "" if one == other else f"\n  {at}: {json.dumps(one)[:200]} / {json.dumps(other)[:200]}"

def table(name):
    with open(f"{name}/grades.csv") as file:
        return file.read()

begun = time.monotonic()
for _ in range(2):
    # The second time everything is compiled already, as in the runs that are killed.
    shutil.rmtree(f"{work}/whole", ignore_errors=True)
    begun = time.monotonic()
    run = start(f"{work}/whole")
    assert run.wait() == 0, run.stderr.read()
takes = time.monotonic() - begun
whole, csv = grades(f"{work}/whole"), table(f"{work}/whole")

kills = complete = 0
where = [0] * 10
while kills < points:
    before = grades(book)
    run = start(book)
    wait = rng.random() * takes
    try:
        status = run.wait(timeout=wait)
        assert status == 0, f"kill {kills}: {run.stderr.read()}"
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGKILL)
        run.wait()
        kills += 1
        where[min(9, int(10 * wait / takes))] += 1
    after = grades(book)
    for name, grade in before.items():
        assert after.get(name) == grade, f"kill {kills}: {name} is lost or another{differs(grade, after.get(name))}"
    for name, grade in after.items():
        assert whole.get(name) == grade, \
            f"kill {kills}: {name} is another than in a run that nobody killed{differs(whole.get(name), grade)}"
    if run.returncode == 0:
        assert after == whole and table(book) == csv, f"kill {kills}: the book is complete, and another"
        left = [name for name in glob.glob(f"{book}/**/.*", recursive=True) if not name.endswith("/.lock")]
        assert not left, left
        shutil.rmtree(book)
        complete += 1
run = start(book)
assert run.wait() == 0 and grades(book) == whole and table(book) == csv
print(f"{kills} kills over {complete + 1} grade books of {len(whole)} submissions: no grade lost, none twice, none different")
print(f"a run takes {takes:.1f} s; kills by tenths of it: {where}")
END
