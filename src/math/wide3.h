// math/wide3.h
// Vectors of three, CN_WIDE at a time, from arrays laid out as [3][stride].
#ifndef CAIRN_MATH_WIDE3_H
#define CAIRN_MATH_WIDE3_H

#include "math/wide.h"

typedef struct cn_wide3 {
    cn_wide x, y, z;
} cn_wide3;

CN_INLINE cn_wide3 cn_wide3_load(const cn_real *from, int stride) {
    return (cn_wide3){cn_wide_load(from), cn_wide_load(from + stride),
                      cn_wide_load(from + 2 * stride)};
}

CN_INLINE void cn_wide3_store(cn_real *to, int stride, cn_wide3 a) {
    cn_wide_store(to, a.x);
    cn_wide_store(to + stride, a.y);
    cn_wide_store(to + 2 * stride, a.z);
}

CN_INLINE cn_wide cn_wide3_dot(cn_wide3 a, cn_wide3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

CN_INLINE cn_wide3 cn_wide3_cross(cn_wide3 a, cn_wide3 b) {
    return (cn_wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

CN_INLINE cn_wide3 cn_wide3_sum(cn_wide3 a, cn_wide3 b) {
    return (cn_wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

CN_INLINE cn_wide3 cn_wide3_sub(cn_wide3 a, cn_wide3 b) {
    return (cn_wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// a + factor b
CN_INLINE cn_wide3 cn_wide3_add(cn_wide3 a, cn_wide factor, cn_wide3 b) {
    return (cn_wide3){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

CN_INLINE cn_wide3 cn_wide3_clean(cn_wide3 a) {
    return (cn_wide3){cn_wide_clean(a.x), cn_wide_clean(a.y), cn_wide_clean(a.z)};
}

#endif
