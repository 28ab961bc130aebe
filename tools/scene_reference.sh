#!/bin/sh
# Puts the tables of the scene format into docs/reference/scene.md.
#     tools/scene_reference.sh BUILD    BUILD: a folder with tests/test_schema in it, as build/release
set -eu
tests=$(realpath "$1")/tests
cd "$(dirname "$0")/.."
page=docs/reference/scene.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The test compares, and leaves what it wants where the page differs.
(cd "$work" && "$tests/test_schema" test_the_reference_in_the_documents_is_that_of_the_tables >/dev/null 2>&1) || true
[ -e "$work/scene-reference.md" ] || exit 0
awk -v tables="$work/scene-reference.md" '
    !skip { print }
    /^<!-- the tables of src\/scene, checked by schema/ { skip = 1; while ((getline line <tables) > 0) { print line } }
    /^<!-- end of the tables -->/ { skip = 0; print }' $page >"$work/page"
cat "$work/page" >$page
echo "$page: updated"
