// The hashes of all kernels that the processor has, a line each: what, for which processor, hash.
// Lines of the same thing must be the same on every processor (tools/check_neon.sh,
// tools/check_avx512.sh). With CN_BARE, without a system: the lines go to the serial port.
#include "work.h"

#if defined(CN_BARE)
// The serial port, with characters of 8 bits; waits until each is out.
static void put(char c) {
    uint8_t state;
    __asm__ volatile("outb %0, %1" : : "a"((uint8_t)3), "Nd"((uint16_t)0x3fb));
    __asm__ volatile("outb %0, %1" : : "a"(c), "Nd"((uint16_t)0x3f8));
    do {
        __asm__ volatile("inb %1, %0" : "=a"(state) : "Nd"((uint16_t)0x3fd));
    } while (!(state & 0x40));
}
#else
#include <stdio.h>
static void put(char c) {
    putchar(c);
}
#endif

static void line(const char *what, const char *processor, uint64_t sum) {
    const char *part[] = {what, " ", processor, " "};
    for (int i = 0; i < 4; i++) {
        for (const char *c = part[i]; *c; c++) {
            put(*c);
        }
    }
    for (int shift = 60; shift >= 0; shift -= 4) {
        put("0123456789abcdef"[sum >> shift & 15]);
    }
    put('\n');
}

#define LINE(what, work, processor, kernel)                                                        \
    do {                                                                                           \
        if (kernel) {                                                                              \
            line(what, processor, work(kernel));                                                   \
        }                                                                                          \
    } while (0)

// Kernels for any processor. Without a system there is no room for them.
#if defined(CN_BARE)
#define ANY(what, work, processor, kernel)
#else
#define ANY(what, work, processor, kernel) line(what, processor, work(kernel))
#endif

int main(void) {
    ANY("balls", spheres_work, "any", &gs_sphere_kernel_portable);
    ANY("balls", spheres_work, "any-eight", &eight_spheres);
    LINE("balls", spheres_work, "avx2", gs_sphere_kernel_avx2());
    LINE("balls", spheres_work, "avx512", gs_sphere_kernel_avx512());
    ANY("balls-single", spheres_work, "any", &gs_sphere_kernel_float);
    LINE("balls-single", spheres_work, "avx2", gs_sphere_kernel_float_avx2());
    LINE("balls-single", spheres_work, "avx512", gs_sphere_kernel_float_avx512());
    ANY("manifolds", manifolds_work, "any", &gs_manifold_kernel_portable);
    ANY("manifolds", manifolds_work, "any-eight", &eight_manifolds);
    LINE("manifolds", manifolds_work, "avx2", gs_manifold_kernel_avx2());
    LINE("manifolds", manifolds_work, "avx512", gs_manifold_kernel_avx512());
    ANY("manifolds-single", manifolds_work, "any", &gs_manifold_kernel_float);
    LINE("manifolds-single", manifolds_work, "avx2", gs_manifold_kernel_float_avx2());
    LINE("manifolds-single", manifolds_work, "avx512", gs_manifold_kernel_float_avx512());
    ANY("acceleration", anderson_work, "any", &gs_anderson_kernel_portable);
    LINE("acceleration", anderson_work, "avx2", gs_anderson_kernel_avx2());
    LINE("acceleration", anderson_work, "avx512", gs_anderson_kernel_avx512());
    ANY("acceleration-single", anderson_work, "any", &gs_anderson_kernel_float);
    LINE("acceleration-single", anderson_work, "avx2", gs_anderson_kernel_float_avx2());
    LINE("acceleration-single", anderson_work, "avx512", gs_anderson_kernel_float_avx512());
    ANY("checker", grade_work, "any", plain_grade);
    LINE("checker", grade_work, "avx2", prob_grade_fours_avx2());
    LINE("checker", grade_work, "avx512", prob_grade_fours_avx512());
    ANY("pairs", pairs_work, "any", &det_pair_kernel_portable);
    ANY("pairs", pairs_work, "any-eight", &eight_pairs);
    LINE("pairs", pairs_work, "avx2", det_pair_kernel_avx2());
    LINE("pairs", pairs_work, "avx512", det_pair_kernel_avx512());
    return 0;
}
