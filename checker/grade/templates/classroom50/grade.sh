#!/bin/sh
# Started at the top of a student's repository, in the image of the Containerfile; writes ./result.json.
set -eu
own=${WARPBOOK:-/opt/warpbook}
book=$(mktemp -d)
exec "$own/checker" grade . --student submission @EXERCISE@ \
    --workbook "$own/workbook" --seed-file "$own/seed" --rubric "$own/rubric.toml" --book "$book" --jobs 1 --limit 120 \
    --for classroom50 --out result.json
