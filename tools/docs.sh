#!/bin/sh
# Regenerates the parts of the documents that come from the program, its headers, its tables and measured figures, checks
# the documents, and writes them as HTML to build/docs/html. Needs the release build with tests/test_schema.
#     tools/docs.sh
# What takes long is measured by other commands, whose results are in the tree: tools/gallery.sh, tools/reproduce.sh,
# tools/figures.sh --measure, tools/tutorial.sh --update.
set -eu
cd "$(dirname "$0")/.."
tools/options.sh build/release/cairn --update
tools/scene_reference.sh build/release
tools/api.sh --page >build/c-api.md
cat build/c-api.md >docs/reference/c-api.md
tools/gallery.sh --page
tools/figures.sh docs/figures
mandoc -T lint -W warning docs/man/cairn.1
tools/lint_links.sh
tools/lint_prose.sh
tools/lint_figures.sh
tools/docs_tree.sh build/docs
echo "build/docs/html/README.html"
