#!/bin/sh
# Checks that links lead somewhere: relative links of Markdown and HTML files to files (of HTML also their anchors), and
# documents and source files that comments and scripts name by their path.
#     tools/lint_links.sh [FOLDER]
set -eu
cd "${1:-$(dirname "$0")/..}"
listed() { find . -name build -prune -o -name node_modules -prune -o -name .git -prune -o "$@" -print; }
broken=$(mktemp)
trap 'rm -f "$broken" "$broken.files"' EXIT
listed -name '*.md' | while read -r page; do
    # shellcheck disable=SC2013 # a link has no space
    for link in $(grep -o '](\([^)#: ]*\)[^):]*)' "$page" | sed 's/^](//; s/[)#].*//'); do
        if [ -n "$link" ] && [ ! -e "$(dirname "$page")/$link" ]; then
            echo "$page: no such file: $link"
        fi
    done
done >"$broken"
listed -name '*.html' ! -path './view/*' ! -path './app/*' | while read -r page; do
    # shellcheck disable=SC2013
    for link in $(grep -oE '(href|src)="[^":]*"' "$page" | sed 's/^[a-z]*="//; s/"$//' | sort -u); do
        file=${link%%#*}
        target=$(dirname "$page")/$file
        [ -n "$file" ] || target=$page
        if [ ! -e "$target" ]; then
            echo "$page: no such file: $file"
        elif [ "$file" != "$link" ] && ! grep -qF "id=\"${link#*#}\"" "$target"; then
            echo "$page: no such heading: $link"
        fi
    done
done >>"$broken"
# What a comment names by its path from the top must be there, and a section that it names must be numbered so.
for folder in src include app lab bench tests examples cmake tools scenes view/src view/test view/dev; do
    [ ! -d $folder ] || find $folder -type f ! -path '*/bad/*' ! -path 'tests/lint/*' ! -name '*.hdf5' ! -name '*.csv'
done | LC_ALL=C sort >"$broken.files"
grep -nHoE '(^|[^A-Za-z0-9_./$"-])(docs|src|app|tests|include/cairn|tools|bench|lab|view|examples)(/[A-Za-z0-9_-]+)+\.(md|c|h|sh|awk|mjs|js)([.a-z]+|, section [0-9]+)?' /dev/null $(cat "$broken.files") |
    sed -E 's/^([^:]*:[0-9]+:)[^A-Za-z]?(.*)/\1 \2/; s/\.$//' | while read -r place path section; do
    path=${path%,}
    if [ ! -e "$path" ]; then
        echo "$place no such file: $path"
    elif [ -n "$section" ] && ! grep -q "^## ${section#section }\. " "$path"; then
        echo "$place $path has no $section"
    fi
done >>"$broken"
# Design pages outside the tree are no use to a reader of it.
grep -nHoE '\b[A-Z]{4,}(\.md)? section [0-9]' /dev/null $(cat "$broken.files") | sed 's/$/: refers to a page that is not here/' >>"$broken" || true
cat "$broken"
[ ! -s "$broken" ]
