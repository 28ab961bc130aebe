#!/bin/sh
# The documents as HTML, with the C interface and, where mandoc is installed, the manual.
#     tools/html.sh TREE FOLDER     writes FOLDER/README.html, FOLDER/docs/..., FOLDER/api.html; TREE: of docs_tree.sh
# Needs awk only.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$1"
cat >"$folder/style.css" <<'END'
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #1b2027; }
nav { font-size: 14px; } a { color: #1a5fb4; } img { max-width: 100%; }
pre { background: #f4f6f8; padding: .7em; overflow-x: auto; } pre.line { margin: 0; padding: .1em .7em; }
code { background: #f4f6f8; } pre code { background: none; }
table { border-collapse: collapse; } td, th { border-bottom: 1px solid #d8dee4; padding: .25em .6em; text-align: left; vertical-align: top; }
END
for page in README.md CHANGELOG.md CONTRIBUTING.md corpus/README.md $(find docs -name '*.md'); do
    mkdir -p "$folder/$(dirname "$page")"
    root=$(dirname "$page" | sed 's|^[.]$||; s|[^/][^/]*|..|g; s|.$|&/|')
    LC_ALL=C awk -v root="$root" -f "$tools/html.awk" "$page" >"$folder/${page%.md}.html"
done
cp -r docs/pictures docs/man "$folder/docs/"
cp -r examples LICENSE CITATION.cff "$folder/"
"$tools/api.sh" --html "$folder"
if command -v mandoc >/dev/null; then
    mandoc -T html -O man=%N.%S.html docs/man/cairn.1 >"$folder/docs/man/cairn.1.html"
fi
