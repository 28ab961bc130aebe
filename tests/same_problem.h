// tests/same_problem.h
// Whether two problems are the same to the last bit: sizes, structure, numbers, texts.
#ifndef CAIRN_TESTS_SAME_PROBLEM_H
#define CAIRN_TESTS_SAME_PROBLEM_H

#include <cairn/problem.h>

#include <string.h>

static inline bool cn_same_bytes(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

// Both absent, or both there and equal.
static inline bool cn_same_optional(const double *a, const double *b, int64_t count) {
    return (a == NULL) == (b == NULL) && (!a || cn_same_bytes(a, b, (size_t)count * sizeof *a));
}

static inline bool cn_same_text(const char *a, const char *b) {
    return (a == NULL) == (b == NULL) && (!a || strcmp(a, b) == 0);
}

static inline bool cn_same_csr(const cn_csr *a, const cn_csr *b) {
    if (a->rows != b->rows || a->cols != b->cols ||
        !cn_same_bytes(a->start, b->start, sizeof *a->start * ((size_t)a->rows + 1))) {
        return false;
    }
    size_t count = (size_t)a->start[a->rows];
    return cn_same_bytes(a->column, b->column, sizeof *a->column * count) &&
           cn_same_bytes(a->value, b->value, sizeof *a->value * count);
}

static inline bool cn_same_bsr(const cn_bsr *a, const cn_bsr *b) {
    if (a->dim != b->dim || a->block_rows != b->block_rows ||
        !cn_same_bytes(a->start, b->start, sizeof *a->start * ((size_t)a->block_rows + 1))) {
        return false;
    }
    size_t blocks = (size_t)a->start[a->block_rows];
    size_t entries = blocks * (size_t)a->dim * (size_t)a->dim;
    return cn_same_bytes(a->column, b->column, sizeof *a->column * blocks) &&
           cn_same_bytes(a->value, b->value, sizeof *a->value * entries);
}

static inline int64_t cn_problem_rows(const cn_problem *p) {
    switch (p->kind) {
    case CN_PROBLEM_LCP:
        return p->lcp.n;
    case CN_PROBLEM_FRICTION:
        return (int64_t)p->friction.dim * p->friction.contacts;
    default:
        return (int64_t)p->global.dim * p->global.contacts;
    }
}

static inline bool cn_same_data(const cn_problem *a, const cn_problem *b) {
    size_t rows = (size_t)cn_problem_rows(a);
    if (a->kind == CN_PROBLEM_LCP) {
        return a->lcp.n == b->lcp.n && cn_same_csr(&a->lcp.M, &b->lcp.M) &&
               cn_same_bytes(a->lcp.q, b->lcp.q, sizeof(double) * rows);
    }
    if (a->kind == CN_PROBLEM_FRICTION) {
        const cn_friction *p = &a->friction;
        const cn_friction *o = &b->friction;
        return p->dim == o->dim && p->contacts == o->contacts && p->W.kind == o->W.kind &&
               cn_same_bsr(&p->W.assembled, &o->W.assembled) &&
               cn_same_bytes(p->W.diagonal, o->W.diagonal,
                             sizeof(double) * rows * (size_t)p->dim) &&
               cn_same_bytes(p->q, o->q, sizeof(double) * rows) &&
               cn_same_bytes(p->mu, o->mu, sizeof(double) * (size_t)p->contacts);
    }
    const cn_friction_global *p = &a->global;
    const cn_friction_global *o = &b->global;
    return p->dim == o->dim && p->contacts == o->contacts && p->dofs == o->dofs &&
           cn_same_csr(&p->M, &o->M) && cn_same_csr(&p->H, &o->H) &&
           cn_same_bytes(p->f, o->f, sizeof(double) * (size_t)p->dofs) &&
           cn_same_bytes(p->w, o->w, sizeof(double) * rows) &&
           cn_same_bytes(p->mu, o->mu, sizeof(double) * (size_t)p->contacts);
}

// NULL when the same, else what differs.
static inline const char *cn_problem_difference(const cn_problem *a, const cn_problem *b) {
    if (a->kind != b->kind || cn_problem_rows(a) != cn_problem_rows(b)) {
        return "kind or size";
    }
    int64_t rows = cn_problem_rows(a);
    if (!cn_same_data(a, b)) {
        return "data";
    }
    if (!cn_same_optional(a->r, b->r, rows) || !cn_same_optional(a->u, b->u, rows) ||
        !cn_same_optional(a->v, b->v, a->global.dofs)) {
        return "solution";
    }
    if (!cn_same_optional(a->guess, b->guess, rows)) {
        return "guess";
    }
    if (!cn_same_text(a->title, b->title) || !cn_same_text(a->description, b->description) ||
        !cn_same_text(a->math_info, b->math_info)) {
        return "texts";
    }
    return NULL;
}

#endif
