#!/bin/sh
# Every test that docs/design/validation.md names is in the tree: group.name is CN_TEST(name) of a file test_group.c.
#     validation.sh SOURCE_DIR
set -eu
cd "$1"
status=0
for test in $(grep -oE '`[a-z0-9_]+\.[a-z0-9_]{12,}`' docs/design/validation.md | tr -d '`' | grep -v '\.md$'); do
    file=$(find tests -name "test_${test%%.*}.c")
    grep -qs "CN_TEST(${test#*.})" ${file:-/dev/null} || { echo "docs/design/validation.md: there is no test $test"; status=1; }
done
exit $status
