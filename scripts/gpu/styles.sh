#!/bin/sh
# How fast are the other right answers? Measures every style of the exercises named against the starter, so that a speed goal leaves room
# for all of them, and every mutant `slow`, which has to be slower than a goal asks for. On a machine with a GPU, at the top of the
# repository:
#
#   scripts/gpu/styles.sh CHECKER [--slow] NAME...
#
# --slow     the mutants alone
set -u
[ $# -ge 2 ] || { sed -n '2,9p' "$0"; exit 2; }
checker=$(realpath "$1"); shift
styles=yes
[ "$1" = --slow ] && { styles=; shift; }
for name in "$@"; do
    kept=$(mktemp)
    cp "exercises/$name/kernel.cu" "$kept"
    for version in "solutions/$name"/styles/*.cu "solutions/$name"/mutants/*.cu; do
        [ -f "$version" ] || continue
        case $version in
            */styles/*) [ "$styles" ] || continue ;;
            *) grep -q '^//@ mutant slow:' "$version" || continue ;;
        esac
        grep -v '^//@ mutant' "$version" > "exercises/$name/kernel.cu"
        echo "$version"
        timeout 90 "$checker" bench "$name" 2>&1 | grep "$name" | head -n 2
    done
    mv "$kept" "exercises/$name/kernel.cu"
done
