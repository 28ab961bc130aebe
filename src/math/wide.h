// math/wide.h
// Four numbers at a time, from one source for every processor: the compiler turns a cn_wide into
// the registers it has. Lanes are added, multiplied, divided and rooted one by one and never fused,
// so that the bits are the same whatever the registers. A kernel on it is compiled once for any
// processor (NEON is what the compiler makes of that) and once for each wider kind, and chosen at
// run time: base/processor.h.
//
// A source that defines CN_SINGLE first has numbers of single precision, eight at a time; one that
// defines CN_WIDE as 8 has doubles eight at a time, for registers of 512 bits.
#ifndef CAIRN_MATH_WIDE_H
#define CAIRN_MATH_WIDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

// Everything here is inlined, so how a cn_wide would be passed to a function does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define CN_INLINE static inline __attribute__((always_inline))
#define CN_UNROLL _Pragma("GCC unroll 4") // before a short loop whose rounds shall overlap
#define CN_LINE 64                        // bytes that memory hands over at a time

// CN_WIDE lanes. What is summed over many lanes is kept in CN_SUMS of them, however wide they are,
// so that sums have the same bits too.
#if defined(CN_SINGLE)
#define CN_WIDE 8
#define CN_SUMS 8
#define CN_REAL_SQRT sqrtf
typedef float cn_real;
typedef int32_t cn_wide_mask __attribute__((vector_size(4 * CN_WIDE)));
#else
#if !defined(CN_WIDE)
#define CN_WIDE 4
#endif
#define CN_SUMS 4
#define CN_REAL_SQRT sqrt
typedef double cn_real;
typedef int64_t cn_wide_mask __attribute__((vector_size(8 * CN_WIDE))); // all ones or all zeros
#endif

typedef cn_real cn_wide __attribute__((vector_size(CN_WIDE * sizeof(cn_real))));
typedef cn_real cn_wide_sum __attribute__((vector_size(CN_SUMS * sizeof(cn_real))));

CN_INLINE cn_wide cn_wide_load(const cn_real *from) {
    cn_wide x;
    memcpy(&x, from, sizeof x);
    return x;
}

CN_INLINE void cn_wide_store(cn_real *to, cn_wide x) {
    memcpy(to, &x, sizeof x);
}

CN_INLINE cn_wide cn_wide_all(cn_real x) {
#if CN_WIDE == 8
    return (cn_wide){x, x, x, x, x, x, x, x};
#else
    return (cn_wide){x, x, x, x};
#endif
}

CN_INLINE cn_wide cn_wide_sqrt(cn_wide x) {
    cn_wide root;
    for (int lane = 0; lane < CN_WIDE; lane++) {
        root[lane] = CN_REAL_SQRT(x[lane]);
    }
    return root;
}

// yes where the mask is set, no elsewhere.
CN_INLINE cn_wide cn_wide_select(cn_wide_mask mask, cn_wide yes, cn_wide no) {
    cn_wide_mask bits = (mask & (cn_wide_mask)yes) | (~mask & (cn_wide_mask)no);
    return (cn_wide)bits;
}

// Whether the mask is set in any lane. Compilers take the lanes out one by one where one
// instruction would tell.
CN_INLINE bool cn_wide_any(cn_wide_mask mask) {
#if defined(__AVX512F__) && CN_WIDE == 8 && !defined(CN_SINGLE)
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__) && (CN_WIDE == 4 || defined(CN_SINGLE))
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    int64_t set = 0;
    for (int lane = 0; lane < CN_WIDE; lane++) {
        set |= mask[lane];
    }
    return set != 0;
#endif
}

// max(x, 0); 0 where x is not a number.
CN_INLINE cn_wide cn_wide_positive(cn_wide x) {
    return (cn_wide)((cn_wide_mask)x & (x > cn_wide_all(0.0)));
}

// Numbers that are not far below all that counts, where they are about 1. Impulses fade from layer
// to layer where a start is far from the answer, and what is too small for the usual form of a
// single takes a hundred times as long to compute with. 2^-54 is nothing then; a larger number is
// not changed, or by less than it is wrong anyway.
CN_INLINE cn_wide cn_wide_clean(cn_wide x) {
#if defined(CN_SINGLE)
    const cn_wide coarse = cn_wide_all(0x1p-30F);
    x = (x + coarse) - coarse;
#endif
    return x;
}

// In place: row[i][j] becomes row[j][i].
CN_INLINE void cn_wide_transpose(cn_wide row[CN_WIDE]) {
#if defined(CN_SINGLE)
    cn_wide pair[8], four[8]; // blocks of two, then of four, turned
    for (int i = 0; i < 8; i += 2) {
        pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; k++) {
            cn_wide low = pair[i + k], high = pair[i + k + 2];
            four[i + 2 * k] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
            four[i + 2 * k + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; i++) {
        row[i] = __builtin_shufflevector(four[i], four[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        row[i + 4] = __builtin_shufflevector(four[i], four[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#elif CN_WIDE == 8
    cn_wide pair[8], four[8]; // column and column + 1 of two rows, then of four
    for (int i = 0; i < 4; i++) {
        cn_wide low = row[2 * i], high = row[2 * i + 1];
        pair[i] = __builtin_shufflevector(low, high, 0, 8, 2, 10, 4, 12, 6, 14);
        pair[i + 4] = __builtin_shufflevector(low, high, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 2) {
        four[i] = __builtin_shufflevector(pair[i], pair[i + 1], 0, 1, 2, 3, 8, 9, 10, 11);
        four[i + 1] = __builtin_shufflevector(pair[i], pair[i + 1], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int i = 0; i < 8; i++) { // odd columns are those of the later four
        const cn_wide *half = four + 4 * (i % 2) + i / 4;
        row[i] = i % 4 < 2 ? __builtin_shufflevector(half[0], half[2], 0, 1, 4, 5, 8, 9, 12, 13)
                           : __builtin_shufflevector(half[0], half[2], 2, 3, 6, 7, 10, 11, 14, 15);
    }
#else
    cn_wide low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    cn_wide high01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    cn_wide low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    cn_wide high23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
#endif
}

// The last of every four numbers in the four lanes.
CN_INLINE cn_wide cn_wide_last(cn_wide x) {
#if CN_WIDE == 8
    return __builtin_shufflevector(x, x, 3, 3, 3, 3, 7, 7, 7, 7);
#else
    return __builtin_shufflevector(x, x, 3, 3, 3, 3);
#endif
}

// Numbers kept in single precision, whatever the lanes have.
typedef float cn_wide_singles __attribute__((vector_size(4 * CN_WIDE)));

CN_INLINE cn_wide cn_wide_load_float(const float *from) {
    cn_wide_singles x;
    memcpy(&x, from, sizeof x);
    return __builtin_convertvector(x, cn_wide);
}

// Lanes as terms of a sum: the first CN_SUMS of them in part 0, the others in part 1.
#define CN_SUM_PARTS (CN_WIDE / CN_SUMS)
CN_INLINE cn_wide_sum cn_wide_terms(cn_wide x, int part) {
#if CN_WIDE == CN_SUMS
    (void)part;
    return x;
#else
    return part == 0 ? __builtin_shufflevector(x, x, 0, 1, 2, 3)
                     : __builtin_shufflevector(x, x, 4, 5, 6, 7);
#endif
}

// The sum of the lanes, two and two.
CN_INLINE double cn_wide_total(cn_wide_sum x) {
    double sum = ((double)x[0] + (double)x[1]) + ((double)x[2] + (double)x[3]);
#if CN_SUMS == 8
    sum += ((double)x[4] + (double)x[5]) + ((double)x[6] + (double)x[7]);
#endif
    return sum;
}

// Asks memory for what will be needed soon; any address will do.
CN_INLINE void cn_ask_for(const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += CN_LINE) {
        __builtin_prefetch((const char *)from + i);
    }
}

#endif
