#!/bin/sh
# The installed tree has the documents, as Markdown and as HTML, with examples, and no link in it leads nowhere.
#     documents.sh SOURCE_DIR BUILD_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$2" --target cairn_docs >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --install "$2" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
folder=$(dirname "$(find "$work/prefix" -path '*/html' -prune -o -name CITATION.cff -print)")
for file in README.md CHANGELOG.md LICENSE docs/tutorial/1-first-scene.md docs/pictures/masonry-arch.png examples/hello.c \
    html/README.html html/docs/reference/scene.html html/api.html html/api-solve.html html/docs/pictures/masonry-arch.png; do
    [ -s "$folder/$file" ] || { echo "not installed: $file"; exit 1; }
done
"$1/tools/lint_links.sh" "$folder"
# Every public function has its place in the HTML of the C interface.
for name in $(cat "$1"/include/cairn/*.h | grep -oE '^CN_API[^(;]*\(' | grep -oE 'cn_[a-z0-9_]+\(' | sed 's/(//'); do
    grep -qF "id=\"$name\"" "$folder"/html/api-*.html || { echo "html/api: no $name"; exit 1; }
done
