#!/bin/sh
# Whoever searches the tree for the usual term finds the file: each term stands in the comment that opens the file
# beside it.
#     terms.sh SOURCE_DIR
set -eu
cd "$1"
status=0
while IFS='|' read -r term file; do
    if ! sed -n '1,/^#\(include\|ifndef\)/p' "$file" | sed 's|^// ||' | tr '\n' ' ' | grep -qiF "$term"; then
        echo "$file: \"$term\" does not stand in the comment that opens the file"
        status=1
    fi
done <<'END'
symmetric Gauss-Seidel|src/solve/gauss_seidel/friction_nsgs.c
momentum|src/solve/gauss_seidel/friction_nsgs.c
Anderson acceleration|src/solve/acceleration/anderson.c
SIMD|src/math/wide.h
broad phase|src/detect/broad.c
contact manifold|src/detect/narrow/narrow.h
contact manifold|src/solve/sweep_manifolds/manifolds.c
warm start|src/step/accept.c
restitution|src/assemble/law.c
energy balance|src/step/energy.c
checkpoint|src/step/save/save.c
semismooth Newton|src/solve/newton/newton_correct.c
interior point|src/solve/interior/interior.h
Delassus|src/problem/operator/operator.c
END
exit $status
