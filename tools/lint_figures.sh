#!/bin/sh
# Checks that the figures in the docs are as tools/figures.sh wrote them.
set -eu
cd "$(dirname "$0")/.."
exec tools/figures.sh --check docs/experiments.md
