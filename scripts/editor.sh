#!/bin/bash
# Bundles the editor that the book's pages have from the npm packages that book/theme/editor/package-lock.json pins, into
# book/theme/editor/codemirror.js, with the packages' licences beside it. Needs npm, and the registry that it is configured for.
set -euo pipefail
cd "$(dirname "$0")/../book/theme/editor"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json entry.js "$work"
cd "$work"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
# What its install script would have linked.
esbuild=$(find node_modules/@esbuild -path '*/bin/esbuild' | head -n 1)
"$esbuild" entry.js --bundle --format=esm --minify --target=es2022 --legal-comments=none \
    --banner:js='// CodeMirror 6, MIT: bundled by scripts/editor.sh; the licences are in LICENSES beside package.json.' --outfile=codemirror.js
for package in $(node -e 'const { packages } = require("./package-lock.json");
    for (const [path, about] of Object.entries(packages)) if (path && !about.dev) console.log(path)' | sort); do
    printf '%s %s\n\n' "${package#node_modules/}" "$(node -p "require('./$package/package.json').version")"
    cat "$package"/LICENSE*
    printf '\n'
done > LICENSES
cd - > /dev/null
cp "$work/codemirror.js" "$work/LICENSES" .
printf '%s bytes, %s compressed\n' "$(wc -c < codemirror.js)" "$(gzip -9 < codemirror.js | wc -c)"
