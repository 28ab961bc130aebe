#!/bin/sh
# Turns the counts of a test run of the preset "coverage" into pages and one line of summary.
set -eu
cd "$(dirname "$0")/.."
lcov --quiet --capture --directory build/coverage --base-directory . --output-file build/coverage/all.info
lcov --quiet --extract build/coverage/all.info "$PWD/src/*" "$PWD/app/*" "$PWD/lab/*" "$PWD/bench/*" --output-file build/coverage/own.info
genhtml --quiet build/coverage/own.info --output-directory build/coverage/html
lcov --summary build/coverage/own.info 2>&1 | grep -E 'lines|functions'
echo "build/coverage/html/index.html"
