#!/bin/sh
# The image is built from the Containerfile beside info.json.
set -eu
root=${GRADE:-/grade}
own=${WARPBOOK:-/opt/warpbook}
mkdir -p "$root/results"
book=$(mktemp -d)
exec "$own/checker" grade "$root/student" --student student @EXERCISE@ \
    --workbook "$own/workbook" --seed-file "$own/seed" --rubric "$own/rubric.toml" --book "$book" --jobs 1 --limit 45 \
    --for prairielearn --out "$root/results/results.json"
