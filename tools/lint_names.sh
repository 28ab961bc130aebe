#!/bin/sh
# Checks the names of the library: cn_ and CN_ mark what the public headers declare and nothing else, and what a header
# of src/ declares carries a prefix of its room.
#     tools/lint_names.sh [ROOT]
# Prints "file:line: what is wrong" for each finding and exits 1 when there is one.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tools/..}"
files=$(find include src -name '*.[ch]' -print | LC_ALL=C sort) # public headers first
# shellcheck disable=SC2086 # no file of ours has a space in its name
LC_ALL=C exec awk -f "$tools/lint_names.awk" $files
