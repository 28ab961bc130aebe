// base/processor.h
// The kinds of processor that kernels are compiled for besides any. Sources named _avx2 and _avx512
// are built with what they need where the compiler can; which of them runs is asked here.
#ifndef CAIRN_BASE_PROCESSOR_H
#define CAIRN_BASE_PROCESSOR_H

#include <stdbool.h>

// Registers of 256 bits.
static inline bool cn_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

// Registers of 512 bits, and 32 of them, of shorter lengths too.
static inline bool cn_has_avx512(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

#endif
