#!/bin/sh
# Checks (or with --fix applies) .clang-format on every C file. Exit 77, "skipped", without clang-format.
#     tools/lint_format.sh [--fix]
set -eu
cd "$(dirname "$0")/.."
if ! command -v clang-format >/dev/null 2>&1; then
    echo "skipped: clang-format is not installed (tools/setup.sh clang)"
    exit 77
fi
files=$(find . -name build -prune -o -name node_modules -prune -o -path ./tests/lint -prune -o -name '*.[ch]' -print)
if [ "${1:-}" = --fix ]; then
    # shellcheck disable=SC2086 # no file of ours has a space in its name
    exec clang-format -i $files
fi
# shellcheck disable=SC2086
exec clang-format --dry-run -Werror $files
