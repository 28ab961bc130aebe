#!/bin/sh
# Refuses words that do not belong in the tree, in C sources (also in what the program says) and in documents: private words where the field has a standard term, notes to oneself,
# and paths of one machine.
#     tools/lint_words.sh [ROOT]
# Prints "file:line: word: what to write instead" for each finding and exits 1 when there is one. The words are in the
# table of lint_words.awk, each with the standard uses of it that stay allowed.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tools/..}"
folders=
for folder in src include app lab bench examples bind; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done
[ -n "$folders" ] || exit 0
found=no
# shellcheck disable=SC2086 # a list of folders
if grep -rnwE 'TODO|FIXME|XXX|HACK|/work/[a-z]+|/home/[a-z]+' $folders; then
    echo "lint: finish it, or open an issue; the source keeps no notes to oneself and no machine's paths"
    found=yes
fi
# shellcheck disable=SC2086
files=$(find $folders -name node_modules -prune -o -name '*.[ch]' -print | LC_ALL=C sort)
# Help texts are in the reference too, so they take part.
for page in README.md CHANGELOG.md CONTRIBUTING.md corpus/README.md; do
    [ ! -e $page ] || files="$files $page"
done
[ ! -d docs ] || files="$files $(find docs -name '*.md' | LC_ALL=C sort)"
# shellcheck disable=SC2086 # no file of ours has a space in its name
LC_ALL=C awk -f "$tools/lint_words.awk" $files || found=yes
[ $found = no ]
