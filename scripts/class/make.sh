#!/usr/bin/env bash
# Makes a class of STUDENTS students in FOLDER from the workbook itself: solutions, other styles, starters and mutants of all
# exercises in turn, each with a comment of its own, so that no two files are the same.
set -euo pipefail
folder=$1 students=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
mapfile -t kernels < <(ls "$top"/solutions/ex*/solution.cu "$top"/solutions/ex*/mutants/*.cu "$top"/solutions/ex*/styles/*.cu \
    "$top"/exercises/ex*/starter.cu | sort)
for ((student = 0; student < students; student++)); do
    # Steps that share no factor with the number of kernels visit all of them.
    kernel=${kernels[$((student * 37 % ${#kernels[@]}))]}
    exercise=$(grep -o 'ex[0-9][0-9]*' <<< "${kernel#"$top"/}" | head -1)
    mkdir -p "$folder/student$student/$exercise"
    { grep -v '^//@ mutant' "$kernel"; echo "// handed in by student $student"; } > "$folder/student$student/$exercise/kernel.cu"
done
