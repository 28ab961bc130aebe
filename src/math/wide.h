// math/wide.h
// Four numbers at a time, from one source for every processor: the compiler turns a cn_wide into
// the registers it has. Lanes are added, multiplied, divided and rooted one by one and never fused,
// so that the bits are the same whatever the registers. A kernel on it is compiled once for any
// processor and once for each wider kind, and chosen at run time.
#ifndef CAIRN_MATH_WIDE_H
#define CAIRN_MATH_WIDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Everything here is inlined, so how a cn_wide would be passed to a function does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define CN_WIDE 4 // lanes
#define CN_INLINE static inline __attribute__((always_inline))
#define CN_UNROLL _Pragma("GCC unroll 4") // before a short loop whose rounds shall overlap
#define CN_LINE 64                        // bytes that memory hands over at a time

typedef double cn_wide __attribute__((vector_size(32)));
typedef int64_t cn_wide_mask __attribute__((vector_size(32))); // all ones or all zeros in a lane

CN_INLINE cn_wide cn_wide_load(const double *from) {
    cn_wide x;
    memcpy(&x, from, sizeof x);
    return x;
}

CN_INLINE void cn_wide_store(double *to, cn_wide x) {
    memcpy(to, &x, sizeof x);
}

CN_INLINE cn_wide cn_wide_all(double x) {
    return (cn_wide){x, x, x, x};
}

CN_INLINE cn_wide cn_wide_sqrt(cn_wide x) {
    cn_wide root;
    for (int lane = 0; lane < CN_WIDE; lane++) {
        root[lane] = sqrt(x[lane]);
    }
    return root;
}

// yes where the mask is set, no elsewhere.
CN_INLINE cn_wide cn_wide_select(cn_wide_mask mask, cn_wide yes, cn_wide no) {
    cn_wide_mask bits = (mask & (cn_wide_mask)yes) | (~mask & (cn_wide_mask)no);
    return (cn_wide)bits;
}

// Whether the mask is set in any lane.
CN_INLINE bool cn_wide_any(cn_wide_mask mask) {
    return ((mask[0] | mask[1]) | (mask[2] | mask[3])) != 0;
}

// max(x, 0); 0 where x is not a number.
CN_INLINE cn_wide cn_wide_positive(cn_wide x) {
    return (cn_wide)((cn_wide_mask)x & (x > cn_wide_all(0.0)));
}

// In place: row[i][j] becomes row[j][i].
CN_INLINE void cn_wide_transpose(cn_wide row[4]) {
    cn_wide low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    cn_wide high01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    cn_wide low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    cn_wide high23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

// Asks memory for what will be needed soon; any address will do.
CN_INLINE void cn_ask_for(const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += CN_LINE) {
        __builtin_prefetch((const char *)from + i);
    }
}

// The last of four numbers in every lane.
CN_INLINE cn_wide cn_wide_last(cn_wide x) {
    return __builtin_shufflevector(x, x, 3, 3, 3, 3);
}

#endif
