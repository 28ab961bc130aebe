#!/bin/sh
# Checks that the rooms keep to their place: who may include whom, and what no room may do.
#
#     tools/lint_rooms.sh [ROOT]
#
# Prints "file:line: what is wrong [rule]" for each finding and exits 1 when there is one. The rules are
# in lint_rooms.awk and, for people, in CONTRIBUTING.md.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tools/..}"
files=$(find . -name build -prune -o -name node_modules -prune -o -path ./tests/lint -prune -o -name '*.[ch]' -print |
    sed 's|^\./||' | LC_ALL=C sort)
[ -n "$files" ] || exit 0
# shellcheck disable=SC2086 # no file of ours has a space in its name
exec awk -f "$tools/lint_rooms.awk" $files
