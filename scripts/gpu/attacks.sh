#!/bin/bash
# attacks.sh CHECKER OUT: kernels that want a good time without the work, on a machine with a GPU. Each must be refused
# (exit status 1, one of the words); honest ones must pass. Reports go to the folder OUT, a line each to standard output.
# Exit status: 0 when everything is as it should be.
set -u
checker=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
here=$(cd "$(dirname "$0")/../.." && pwd)
failed=0

# try PROBLEM KERNEL STATUS WORDS
try() {
    local book
    book=$(mktemp -d)
    cp -r "$here/tests/fixtures/small/." "$book"
    rm "$book"/exercises/ex01/*
    cp "$here/tests/fixtures/attacks/$1/"{problem.toml,reference.cu,starter.cu} "$book/exercises/ex01/"
    cp "$here/tests/fixtures/attacks/$1/$2.cu" "$book/exercises/ex01/kernel.cu"
    (cd "$book" && WARPBOOK_ROOT="$book" "$checker" ex01 --backend gpu --seed 7) >"$out/$1-$2.txt" 2>&1
    local status=$?
    rm -r "$book"
    # shellcheck disable=SC2254 # a pattern: [01] is either
    case $status in $3) expected=1 ;; *) expected=0 ;; esac
    if [ $expected = 1 ] && grep -qE "$4" "$out/$1-$2.txt"; then
        echo "ok    $1/$2 (exit $status)"
    else
        echo "FAIL  $1/$2: exit $status, wanted $3 and /$4/"
        failed=1
    fi
}

# What a kernel remembers is gone before every sample, so these do all of the work, every time: they pass, and are no faster
# than the starter (their ratio is in the report). Whoever gives a wrong answer instead is refused.
not_faster() {
    try "$1" "$2" "[01]" "." >/dev/null
    if grep -q "FASTER" "$out/$1-$2.txt"; then
        echo "FAIL  $1/$2: FASTER"
        failed=1
    else
        echo "ok    $1/$2 is not FASTER"
    fi
}

try sum starter 0 "PASSED"
try sum honest-globals 0 "PASSED"
not_faster sum remembers-samples
not_faster sum counts-launches
not_faster sum static-in-a-function
not_faster sum scratch-is-right-already
not_faster sum output-is-right-already
not_faster sum shared-memory-of-before
try sum one-in-a-hundred-by-the-timer 1 "WRONG RESULT"
try sum beyond-the-roof 1 "WRONG RESULT|IMPOSSIBLE"
try roof faster-than-the-roof 1 "IMPOSSIBLE"
# What the checker notes of a kernel lies in memory that this can write to.
try judge starter 0 "PASSED"
try judge forges-counts 1 "WRONG RESULT"
try sum changes-answers 1 "WRONG RESULT|WRITE OUT OF BOUNDS"
try judge forges-clock 1 "WRITE OUT OF BOUNDS"
# Wrong at sizes and for inputs that are no case.
try judge first-fill-only 1 "WRONG RESULT"
try judge nothing-between 1 "WRONG RESULT"
try never-timed honest 0 "PASSED"
try never-timed starter 1 "WRONG RESULT"
try never-timed nothing-at-the-time-size 1 "WRONG RESULT"
exit $failed
