#!/bin/sh
# Checks that every relative link in the Markdown files leads to a file.
set -eu
cd "$(dirname "$0")/.."
find . -name build -prune -o -name node_modules -prune -o -name .git -prune -o -name '*.md' -print | {
    broken=0
    while read -r page; do
        # shellcheck disable=SC2013 # a link has no space
        for link in $(grep -o '](\([^)#: ]*\)[^):]*)' "$page" | sed 's/^](//; s/[)#].*//'); do
            if [ -n "$link" ] && [ ! -e "$(dirname "$page")/$link" ]; then
                echo "$page: no such file: $link"
                broken=1
            fi
        done
    done
    exit $broken
}
