// math/wide.h
// SIMD: four numbers at a time, from one source for every processor: the compiler turns a math_wide
// into the registers it has. Lanes are added, multiplied, divided and rooted one by one and never
// fused, so that the results are bitwise identical whatever the registers. A kernel on it is
// compiled once for any processor (NEON is what the compiler makes of that) and once for each wider
// kind, and chosen at run time: base/processor.h.
//
// A source that defines MATH_SINGLE first has numbers of single precision, eight at a time; one
// that defines MATH_WIDE as 8 has doubles eight at a time, for registers of 512 bits.
#ifndef CAIRN_MATH_WIDE_H
#define CAIRN_MATH_WIDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

// Everything here is inlined, so how a math_wide would be passed to a function does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define MATH_INLINE static inline __attribute__((always_inline))
#define MATH_UNROLL _Pragma("GCC unroll 4") // before a short loop whose rounds shall overlap
#define MATH_LINE 64                        // bytes that memory hands over at a time

// MATH_WIDE lanes. What is summed over many lanes is kept in MATH_SUMS of them, however wide they
// are, so that sums are bitwise identical too.
#if defined(MATH_SINGLE)
#define MATH_WIDE 8
#define MATH_SUMS 8
#define MATH_REAL_SQRT sqrtf
typedef float math_real;
typedef int32_t math_wide_mask __attribute__((vector_size(4 * MATH_WIDE)));
#else
#if !defined(MATH_WIDE)
#define MATH_WIDE 4
#endif
#define MATH_SUMS 4
#define MATH_REAL_SQRT sqrt
typedef double math_real;
typedef int64_t math_wide_mask __attribute__((vector_size(8 * MATH_WIDE))); // all ones or all zeros
#endif

typedef math_real math_wide __attribute__((vector_size(MATH_WIDE * sizeof(math_real))));
typedef math_real math_wide_sum __attribute__((vector_size(MATH_SUMS * sizeof(math_real))));

MATH_INLINE math_wide math_wide_load(const math_real *from) {
    math_wide x;
    memcpy(&x, from, sizeof x);
    return x;
}

MATH_INLINE void math_wide_store(math_real *to, math_wide x) {
    memcpy(to, &x, sizeof x);
}

MATH_INLINE math_wide math_wide_all(math_real x) {
#if MATH_WIDE == 8
    return (math_wide){x, x, x, x, x, x, x, x};
#else
    return (math_wide){x, x, x, x};
#endif
}

MATH_INLINE math_wide math_wide_sqrt(math_wide x) {
    math_wide root;
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        root[lane] = MATH_REAL_SQRT(x[lane]);
    }
    return root;
}

// yes where the mask is set, no elsewhere.
MATH_INLINE math_wide math_wide_select(math_wide_mask mask, math_wide yes, math_wide no) {
    math_wide_mask bits = (mask & (math_wide_mask)yes) | (~mask & (math_wide_mask)no);
    return (math_wide)bits;
}

// Whether the mask is set in any lane. Compilers take the lanes out one by one where one
// instruction would tell.
MATH_INLINE bool math_wide_any(math_wide_mask mask) {
#if defined(__AVX512F__) && MATH_WIDE == 8 && !defined(MATH_SINGLE)
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__) && (MATH_WIDE == 4 || defined(MATH_SINGLE))
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    int64_t set = 0;
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        set |= mask[lane];
    }
    return set != 0;
#endif
}

// max(x, 0); 0 where x is not a number.
MATH_INLINE math_wide math_wide_positive(math_wide x) {
    return (math_wide)((math_wide_mask)x & (x > math_wide_all(0.0)));
}

// Numbers that are not far below all that counts, where they are about 1. Impulses fade from layer
// to layer where a start is far from the answer, and what is too small for the usual form of a
// single takes a hundred times as long to compute with. 2^-54 is nothing then; a larger number is
// not changed, or by less than it is wrong anyway.
MATH_INLINE math_wide math_wide_clean(math_wide x) {
#if defined(MATH_SINGLE)
    const math_wide coarse = math_wide_all(0x1p-30F);
    x = (x + coarse) - coarse;
#endif
    return x;
}

// In place: row[i][j] becomes row[j][i].
MATH_INLINE void math_wide_transpose(math_wide row[MATH_WIDE]) {
#if defined(MATH_SINGLE)
    math_wide pair[8], four[8]; // blocks of two, then of four, turned
    for (int i = 0; i < 8; i += 2) {
        pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; k++) {
            math_wide low = pair[i + k], high = pair[i + k + 2];
            four[i + 2 * k] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
            four[i + 2 * k + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; i++) {
        row[i] = __builtin_shufflevector(four[i], four[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        row[i + 4] = __builtin_shufflevector(four[i], four[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#elif MATH_WIDE == 8
    math_wide pair[8], four[8]; // column and column + 1 of two rows, then of four
    for (int i = 0; i < 4; i++) {
        math_wide low = row[2 * i], high = row[2 * i + 1];
        pair[i] = __builtin_shufflevector(low, high, 0, 8, 2, 10, 4, 12, 6, 14);
        pair[i + 4] = __builtin_shufflevector(low, high, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 2) {
        four[i] = __builtin_shufflevector(pair[i], pair[i + 1], 0, 1, 2, 3, 8, 9, 10, 11);
        four[i + 1] = __builtin_shufflevector(pair[i], pair[i + 1], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int i = 0; i < 8; i++) { // odd columns are those of the later four
        const math_wide *half = four + 4 * (i % 2) + i / 4;
        row[i] = i % 4 < 2 ? __builtin_shufflevector(half[0], half[2], 0, 1, 4, 5, 8, 9, 12, 13)
                           : __builtin_shufflevector(half[0], half[2], 2, 3, 6, 7, 10, 11, 14, 15);
    }
#else
    math_wide low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    math_wide high01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    math_wide low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    math_wide high23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
#endif
}

// The last of every four numbers in the four lanes.
MATH_INLINE math_wide math_wide_last(math_wide x) {
#if MATH_WIDE == 8
    return __builtin_shufflevector(x, x, 3, 3, 3, 3, 7, 7, 7, 7);
#else
    return __builtin_shufflevector(x, x, 3, 3, 3, 3);
#endif
}

// Numbers kept in single precision, whatever the lanes have.
typedef float math_wide_single __attribute__((vector_size(4 * MATH_WIDE)));

MATH_INLINE math_wide math_wide_load_float(const float *from) {
    math_wide_single x;
    memcpy(&x, from, sizeof x);
    return __builtin_convertvector(x, math_wide);
}

// Lanes as terms of a sum: the first MATH_SUMS of them in part 0, the others in part 1.
#define MATH_SUM_PARTS (MATH_WIDE / MATH_SUMS)
MATH_INLINE math_wide_sum math_wide_terms(math_wide x, int part) {
#if MATH_WIDE == MATH_SUMS
    (void)part;
    return x;
#else
    return part == 0 ? __builtin_shufflevector(x, x, 0, 1, 2, 3)
                     : __builtin_shufflevector(x, x, 4, 5, 6, 7);
#endif
}

// The sum of the lanes, two and two.
MATH_INLINE double math_wide_total(math_wide_sum x) {
    double sum = ((double)x[0] + (double)x[1]) + ((double)x[2] + (double)x[3]);
#if MATH_SUMS == 8
    sum += ((double)x[4] + (double)x[5]) + ((double)x[6] + (double)x[7]);
#endif
    return sum;
}

// Asks memory for what will be needed soon; any address will do.
MATH_INLINE void math_ask_for(const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += MATH_LINE) {
        __builtin_prefetch((const char *)from + i);
    }
}

#endif
