#!/usr/bin/env bash
# A class on a machine with an NVIDIA driver: how fast the GPU tier is, how wide its intervals are, and what two cheats come to.
#
#   scripts/class/gpu.sh OUT [STUDENTS [SOLUTIONS]]
#
# OUT        a folder for what comes back: report.txt, the tables of the grade book
# STUDENTS   how many (24)
# SOLUTIONS  gradings of right kernels with fresh seeds on the simulator, on all cores of this machine (0)
#
# Run anywhere in a copy of the repository with target/gpu/checker (stripped, release), or CHECKER. The CUDA toolkit is the machine's own.
set -uo pipefail
[ $# -ge 1 ] || { sed -n '2,10p' "$0"; exit 2; }
mkdir -p "$1"
out=$(realpath "$1") students=${2:-24} solutions=${3:-0}
top=$(cd "$(dirname "$0")/../.." && pwd)
checker=$(realpath "${CHECKER:-$top/target/gpu/checker}")
export CHECKER=$checker WARPBOOK_OFFLINE=1
WARPBOOK_HOME=$(mktemp -d); export WARPBOOK_HOME
work=$(mktemp -d)
trap 'rm -rf "$WARPBOOK_HOME" "$work"' EXIT
report=$out/report.txt
: > "$report"
say() { echo "$*" | tee -a "$report"; }
used() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -1; }

say "machine: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(nproc) cores"
before=$(used)
"$top/scripts/class/make.sh" "$work/class" "$students"
cat > "$work/rubric.toml" <<'END'
[default]
results  = 4
findings = 2
goals    = 4
[[default.speed]]
at_least = 1.05
points   = 1
[[default.speed]]
at_least = 1.5
points   = 2
END
grade() { "$checker" grade "$1" --workbook "$top" --book "$2" --rubric "$work/rubric.toml" --seed 7 --backend gpu --jobs 1 "${@:3}"; }

# The device's roof is measured once a machine: not of the class's time.
mkdir -p "$work/first/warm/ex01"
cp "$top/solutions/ex01/solution.cu" "$work/first/warm/ex01/kernel.cu"
grade "$work/first" "$work/book0" >> "$report" 2>&1
say "first submission on this machine: exit $?"

begun=$(date +%s.%N)
grade "$work/class" "$work/book" >> "$report" 2>&1
say "class: exit $? (3: something is not graded)"
ended=$(date +%s.%N)
cp "$work/book/grades.csv" "$work/book/submissions.csv" "$out" 2>> "$report"
python3 - "$work/book" "$begun" "$ended" <<'END' | tee -a "$report"
import glob, json, sys
book, begun, ended = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
grades = [json.load(open(name)) for name in sorted(glob.glob(f"{book}/grades/*/*.json"))]
took = ended - begun
print(f"{len(grades)} submissions in {took:.0f} s: {3600 * len(grades) / took:.0f} an hour")
timed = [grade for grade in grades if (grade["report"] or {}).get("speedup")]
widths = []
for grade in timed:
    speedup = grade["report"]["speedup"]
    width = (speedup["high"] - speedup["low"]) / speedup["ratio"]
    widths.append(width)
    print(f"  {grade['exercise']}  {speedup['ratio']:.3f} in {speedup['low']:.3f} .. {speedup['high']:.3f}, {100 * width:.2f} % wide, "
          f"{speedup['samples']} rounds, {grade['seconds']:.1f} s")
if widths:
    widths.sort()
    print(f"{len(timed)} measured: {sum(width <= 0.02 for width in widths)} within 2 %, median {100 * widths[len(widths) // 2]:.2f} %, "
          f"widest {100 * widths[-1]:.2f} %")
print("seconds for a submission:", " ".join(f"{grade['seconds']:.1f}" for grade in sorted(grades, key=lambda grade: grade["seconds"])))
END

# Cheats that no simulation shows: the size that is measured is not among those that are simulated.
solution=$top/solutions/ex01/solution.cu
size=$(grep -oP '^time\s*=\s*\{\s*n\s*=\s*\K[0-9]+' "$top/exercises/ex01/problem.toml")
hand_in() { mkdir -p "$work/cheats/$1/ex01"; cat > "$work/cheats/$1/ex01/kernel.cu"; }
hand_in a-honest < "$solution"
# It never ends.
hand_in b-wedge <<END
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)
__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (n == $size)
        __nanosleep(1000);
    if (i >= n) return;
    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += 0.1f * (20.0f - t);
    after[i] = t;
}
END
# It keeps its results, and hands them out again where the inputs look the same.
hand_in c-memory <<END
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)
__device__ float kept[$size];
__device__ float of;
__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (n == $size && of == before[7]) {
        after[i] = kept[i];
        return;
    }
    float t = before[i];
    for (int k = 0; k < steps; ++k)
        t += 0.1f * (20.0f - t);
    after[i] = t;
    kept[i] = t;
    if (i == 7) of = t == t ? before[7] : 0;
}
END
{ cat "$solution"; echo "// another"; } | hand_in d-honest
begun=$(date +%s)
grade "$work/cheats" "$work/book-of-cheats" --limit 40 >> "$report" 2>&1
say "cheats: exit $? after $(($(date +%s) - begun)) s"
cat "$work/book-of-cheats/submissions.csv" | tee -a "$report"
for _ in 1 2 3 4 5; do after=$(used); [ "$after" -gt $((before + 64)) ] || break; sleep 1; done
say "device memory in use: $before MiB before, $after MiB after"
[ "$after" -le $((before + 64)) ] || say "FAIL: device memory is not free"

if [ "$solutions" -gt 0 ]; then
    say "right kernels with fresh seeds, on the simulator"
    begun=$(date +%s)
    NICE=0 "$top/scripts/class/solutions.sh" "$solutions" 1000 2>&1 | tee -a "$report"
    say "in $(($(date +%s) - begun)) s"
fi
