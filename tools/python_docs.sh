#!/bin/sh
# Renews what the documents about Python take from the package: the tutorial's pictures, the reference and the stubs.
#     tools/python_docs.sh [BUILD]       BUILD is build/release unless given
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build/release}" && pwd)
python=${PYTHON:-/usr/bin/python3}
export PYTHONPATH="$build/python" CAIRN_COMMAND="$build/cairn" OPENBLAS_NUM_THREADS=1
"$python" tools/python_reference.py --write
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```/ { inside = $0 == "```python"; next } inside' docs/tutorial/python/README.md >"$work/tutorial.py"
cp examples/python/*.yaml "$work"
# No dates and no random names in the files, so that they change only with what they show.
printf 'svg.hashsalt: cairn\nfigure.figsize: 6, 3.6\nfigure.constrained_layout.use: True\n' >"$work/matplotlibrc"
(cd "$work" && SOURCE_DATE_EPOCH=0 MPLBACKEND=svg "$python" tutorial.py >/dev/null)
mkdir -p docs/pictures/python
cp "$work"/*.svg docs/pictures/python
