#!/bin/sh
# Moodle VPL runs this in the folder of the submitted files; the program that it leaves, vpl_execution, is what grades.
set -eu
cat > vpl_execution <<'END'
#!/bin/sh
own=${WARPBOOK:-/opt/warpbook}
book=$(mktemp -d)
exec "$own/checker" grade . --student submission @EXERCISE@ \
    --workbook "$own/workbook" --seed-file "$own/seed" --rubric "$own/rubric.toml" --book "$book" --jobs 1 --limit 120 --for vpl
END
chmod +x vpl_execution
