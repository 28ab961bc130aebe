#!/bin/sh
# Refuses words that do not belong in a finished tree: notes to oneself, and paths of one machine.
#     tools/lint_words.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/..}"
found=no
for folder in src app lab include bench examples; do
    if [ -d "$folder" ] && grep -rnwE 'TODO|FIXME|XXX|HACK|/work/[a-z]+|/home/[a-z]+' "$folder"; then
        found=yes
    fi
done
if [ $found = yes ]; then
    echo "lint: finish it, or open an issue; the source keeps no notes to oneself and no machine's paths"
    exit 1
fi
