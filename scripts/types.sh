#!/bin/bash
# Checks the types of the scripts on the book's pages (book/theme/live), which are JavaScript with JSDoc, with the TypeScript compiler that
# scripts/types/package-lock.json pins. Ends with 77 where there is no npm.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v npm > /dev/null || { echo "scripts/types.sh: there is no npm"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp scripts/types/* "$work"
cp -r book/theme/live "$work/live"
# The editor is bundled and minified: its packages have types of their own, and were checked with them.
node -e 'const entry = require("fs").readFileSync("book/theme/editor/entry.js", "utf8");
    const names = [...entry.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names]) => names.split(",")).map((name) => name.trim());
    for (const name of names.filter(Boolean)) console.log(`export const ${name}: any;`)' > "$work/live/served/codemirror.d.ts"
cd "$work"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
node_modules/.bin/tsc -p tsconfig.json
