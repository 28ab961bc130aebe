// tests/check.h
// Numerical checks over cmocka: each says what it got, what it wanted, how far off it was and what
// was allowed. NaN fails.
//
//     CN_TEST(sphere_rests) { CN_CHECK_NEAR(gap, 0.0, 1e-12); }
#ifndef CAIRN_TESTS_CHECK_H
#define CAIRN_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

extern bool cn_test_skipped; // set by CN_SKIP, becomes ctest's "skipped"

#define CN_TEST(name)                                                                              \
    void test_##name(void **state);                                                                \
    void test_##name(void **state __attribute__((unused)))

// Ends the test, saying why; ctest shows it as skipped.
#define CN_SKIP(reason)                                                                            \
    do {                                                                                           \
        print_message("skipped: %s\n", reason);                                                    \
        cn_test_skipped = true;                                                                    \
        skip();                                                                                    \
    } while (0)

// |got - want| <= allowed
#define CN_CHECK_NEAR(got, want, allowed)                                                          \
    cn_check_near((got), (want), (allowed), #got, __FILE__, __LINE__)
// got <= limit
#define CN_CHECK_BELOW(got, limit) cn_check_below((got), (limit), #got, __FILE__, __LINE__)
#define CN_CHECK_TRUE(condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                  \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

static inline void cn_check_near(double got, double want, double allowed, const char *what,
                                 const char *file, int line) {
    double off = fabs(got - want);
    if (!(off <= allowed)) {
        print_error("%s:%d: %s: got %.17g, want %.17g, off by %.3g, allowed %.3g\n", file, line,
                    what, got, want, off, allowed);
        fail();
    }
}

static inline void cn_check_below(double got, double limit, const char *what, const char *file,
                                  int line) {
    if (!(got <= limit)) {
        print_error("%s:%d: %s: got %.6g, limit %.6g, over by %.3g\n", file, line, what, got, limit,
                    got - limit);
        fail();
    }
}

#endif
