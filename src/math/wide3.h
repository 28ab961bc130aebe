// math/wide3.h
// Vectors of three, MATH_WIDE at a time, from arrays laid out as [3][stride].
#ifndef CAIRN_MATH_WIDE3_H
#define CAIRN_MATH_WIDE3_H

#include "math/wide.h"

typedef struct math_wide3 {
    math_wide x, y, z;
} math_wide3;

MATH_INLINE math_wide3 math_wide3_load(const math_real *from, int stride) {
    return (math_wide3){math_wide_load(from), math_wide_load(from + stride),
                        math_wide_load(from + 2 * stride)};
}

MATH_INLINE void math_wide3_store(math_real *to, int stride, math_wide3 a) {
    math_wide_store(to, a.x);
    math_wide_store(to + stride, a.y);
    math_wide_store(to + 2 * stride, a.z);
}

MATH_INLINE math_wide math_wide3_dot(math_wide3 a, math_wide3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

MATH_INLINE math_wide3 math_wide3_cross(math_wide3 a, math_wide3 b) {
    return (math_wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

MATH_INLINE math_wide3 math_wide3_sum(math_wide3 a, math_wide3 b) {
    return (math_wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

MATH_INLINE math_wide3 math_wide3_sub(math_wide3 a, math_wide3 b) {
    return (math_wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// a + factor b
MATH_INLINE math_wide3 math_wide3_add(math_wide3 a, math_wide factor, math_wide3 b) {
    return (math_wide3){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

MATH_INLINE math_wide3 math_wide3_clean(math_wide3 a) {
    return (math_wide3){math_wide_clean(a.x), math_wide_clean(a.y), math_wide_clean(a.z)};
}

#endif
