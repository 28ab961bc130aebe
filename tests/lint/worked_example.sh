#!/bin/sh
# The solver that CONTRIBUTING.md writes out compiles as it stands there, with the line that it tells to
# add to friction_rows.h.
#     worked_example.sh COMPILER SOURCE_DIR
set -eu
compiler=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# block PATTERN: the first fenced block whose first line matches
block() {
    awk -v first="$1" '/^```/ { open = !open; text = ""; next }
        open { if (text == "" && $0 !~ first) { skip = 1 } else if (text == "") { skip = 0 }
               text = text $0 "\n"; if (!skip) { print } }' "$source/CONTRIBUTING.md"
}
block '^// solve/projection/friction_jacobi' >"$work/friction_jacobi.c"
{ echo '#include <cairn/solve.h>'; block '^cn_friction_fn cn_friction_jacobi'; } >"$work/rows.h"
[ "$(wc -l <"$work/friction_jacobi.c")" -gt 20 ] && [ "$(wc -l <"$work/rows.h")" -gt 1 ]
"$compiler" -std=c17 -Wall -Wextra -Wconversion -Wmissing-prototypes -Werror -I "$source/include" -I "$source/src" \
    -include "$work/rows.h" -c "$work/friction_jacobi.c" -o "$work/friction_jacobi.o"
