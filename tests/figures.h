// tests/figures.h
// Several measured figures with their bands in one test: each figure over its band prints its
// error, and the test fails at its end, so that one run shows all of them. CAIRN_PRINT=1 in the
// environment prints every figure beside its band.
//
//     figures f = {0};
//     figure_below(&f, 1e-3, error, "closing error at h = 1/%d", 60);
//     figures_check(&f);
#ifndef CAIRN_TESTS_FIGURES_H
#define CAIRN_TESTS_FIGURES_H

#include "check.h"

#include <stdlib.h>

typedef struct figures {
    int count, over;
} figures;

static inline void figure_record(figures *f, bool good, double got, const char *relation,
                                 double limit, const char *what) {
    f->count++;
    f->over += !good;
    if (getenv("CAIRN_PRINT")) {
        printf("  %-4s %-68s %12.4g  %s %g\n", good ? "ok" : "OVER", what, got, relation, limit);
        fflush(stdout);
    } else if (!good) {
        print_error("%s: got %.6g, want %s %.6g, off by %.3g\n", what, got, relation, limit,
                    fabs(got - limit));
    }
}

// got <= limit; NaN is over it. The text names the figure.
static inline void figure_below(figures *f, double limit, double got, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static inline void figure_below(figures *f, double limit, double got, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    figure_record(f, got <= limit, got, "<=", limit, what);
}

// got >= limit; NaN is below it.
static inline void figure_above(figures *f, double limit, double got, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static inline void figure_above(figures *f, double limit, double got, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    figure_record(f, got >= limit, got, ">=", limit, what);
}

// A figure without a band, printed only.
static inline void figure_note(double got, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void figure_note(double got, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (getenv("CAIRN_PRINT")) {
        printf("  note %-68s %12.4g\n", what, got);
        fflush(stdout);
    }
}

// Ends the test: all figures lie within their bands, and there was at least one.
static inline void figures_check(const figures *f) {
    if (f->over > 0 || f->count == 0) {
        print_error("%d of %d figures are outside their bands\n", f->over, f->count);
        fail();
    }
}

#endif
