// base/processor.h
// The kinds of processor that kernels are compiled for besides any. Sources named _avx2 and _avx512
// are built with what they need where the compiler can; which of them runs is asked here.
#ifndef CAIRN_BASE_PROCESSOR_H
#define CAIRN_BASE_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>

// Both ask the compiler's run-time library, which says no where the system does not save the
// registers (XGETBV), whatever the processor can.

// Registers of 256 bits.
static inline bool base_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

// Registers of 512 bits, and 32 of them, of shorter lengths too.
static inline bool base_has_avx512(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

// type *name(void): what a source of that kind has, where the compiler builds it and the processor
// runs it; else NULL.
#if defined(__AVX2__)
#define BASE_AVX2_KERNEL(type, name, own)                                                          \
    type *name(void) {                                                                             \
        return base_has_avx2() ? (own) : NULL;                                                     \
    }
#else
#define BASE_AVX2_KERNEL(type, name, own)                                                          \
    type *name(void) {                                                                             \
        return NULL;                                                                               \
    }
#endif
#if defined(__AVX512F__)
#define BASE_AVX512_KERNEL(type, name, own)                                                        \
    type *name(void) {                                                                             \
        return base_has_avx512() ? (own) : NULL;                                                   \
    }
#else
#define BASE_AVX512_KERNEL(type, name, own)                                                        \
    type *name(void) {                                                                             \
        return NULL;                                                                               \
    }
#endif

#endif
