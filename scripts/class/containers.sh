#!/usr/bin/env bash
# The container files of `checker dist`, built by buildah, and in each image the platform's own entry point over ex12's worked answer: as
# another user than the one who built it, and without a network. Root; where there is no buildah, a word says so, and nothing failed.
#
#   scripts/class/containers.sh [PLATFORM...]
#
# The image python:3-slim is pulled, or is there already (with PULL=never). On a machine without control groups for it, BUILDAH_ISOLATION=chroot.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
checker=$(realpath "${CHECKER:-$top/target/release/checker}")
command -v buildah > /dev/null || { echo "not tried: there is no buildah"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
platforms=("$@"); [ ${#platforms[@]} -gt 0 ] || platforms=(prairielearn classroom50 autolab vpl)

# In the folder of a submission, with what `dist` made beside it: what the platform does, and a word of its answer that says all points.
entry() {
    case $1 in
        prairielearn) echo 'mkdir -p g/student; mv kernel.cu g/student; GRADE=$PWD/g sh ../dist/tests/run.sh; cat g/results/results.json' ;;
        classroom50) echo 'sh ../dist/grade.sh; cat result.json' ;;
        autolab) echo 'cp ../dist/autograde-Makefile Makefile; make' ;;
        vpl) echo 'sh ../dist/vpl_evaluate.sh; ./vpl_execution' ;;
        *) echo "no container file for $1" >&2; exit 2 ;;
    esac
}
failed=0
for platform in "${platforms[@]}"; do
    does=$(entry "$platform")
    "$checker" dist "$work/$platform" --workbook "$top" --for "$platform" --exercise ex12 --checker "$checker" > /dev/null
    begun=$(date +%s)
    buildah build --pull="${PULL:-missing}" --network host -q -t "checker-$platform" "$work/$platform" > "$work/built" 2>&1 \
        || { echo "$platform: the image cannot be built"; tail -5 "$work/built"; failed=1; continue; }
    built=$(($(date +%s) - begun))
    container=$(buildah from --pull=never "localhost/checker-$platform")
    buildah copy -q "$container" "$top/solutions/ex12/solution.cu" /handed-in/kernel.cu > /dev/null
    buildah copy -q "$container" "$work/$platform" /dist > /dev/null
    buildah run "$container" -- chown -R 1000:1000 /handed-in
    unshare --net buildah run --user 1000:1000 --workingdir /handed-in "$container" -- sh -c "$does" > "$work/said" 2>&1 || true
    buildah rm "$container" > /dev/null
    if grep -q 'ex12: PASSED, 10 of 10' "$work/said"; then
        echo "$platform: built in $built s; the worked answer has 10 of 10"
    else
        echo "$platform: the worked answer has not its points"; tail -5 "$work/said"; failed=1
    fi
done
exit $failed
