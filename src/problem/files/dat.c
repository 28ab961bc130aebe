// problem/files/dat.c
// Siconos .dat files of friction problems:
//     local   d, contacts, W, q, mu          global   d, contacts, M, H, f, w, mu
// as words between white space. Older writers put one more word behind, 0 or 1, which is skipped.
//
// The format has no names and no tag: a damaged file can only be told by sizes that do not agree.
// For exchange FCLIB files are better.
#include "problem/files/dat.h"

#include "base/arena.h"
#include "base/error.h"
#include "problem/files/text_parts.h"
#include "problem/operator/operator.h"

static cn_status shape_read(io_text_reader *reader, int32_t *dim, int32_t *contacts) {
    int64_t d = 0;
    int64_t nc = 0;
    cn_status status = io_text_int(reader, "the space dimension", 2, 3, &d);
    if (status == CN_OK) {
        status = io_text_int(reader, "the number of contacts", 0, INT32_MAX / 3, &nc);
    }
    *dim = (int32_t)d;
    *contacts = (int32_t)nc;
    return status;
}

// Number by number, so that a wrong one is pointed at.
static cn_status mu_read(io_text_reader *reader, int32_t contacts, cn_arena *memory, double **out) {
    cn_status status = io_text_room(reader, "a friction coefficient", contacts);
    CN_TRY(status);
    double *mu = BASE_TAKE(memory, double, contacts);
    if (!mu) {
        return io_text_fail(reader, CN_ERR_MEMORY, "out of memory");
    }
    for (int32_t a = 0; a < contacts && status == CN_OK; a++) {
        status = io_text_real(reader, "a friction coefficient", mu + a);
        if (status == CN_OK && !(mu[a] >= 0.0)) {
            status = io_text_fail(reader, CN_ERR_INPUT,
                                  "the friction coefficient of contact %d is %g", a, mu[a]);
            base_fail_hint(reader->error, "friction coefficients are zero or positive");
        }
    }
    *out = mu;
    return status;
}

// Behind mu: the flag of older files, our answers, and nothing else.
static cn_status tail_read(io_text_reader *reader, cn_problem *problem, int32_t rows,
                           int32_t dofs) {
    const char *word;
    size_t length;
    if (io_text_next_is(reader, "0") || io_text_next_is(reader, "1")) {
        cn_status status = io_text_word(reader, "a flag", &word, &length);
        CN_TRY(status);
    }
    cn_status status = prob_answers_read(reader, problem, rows, dofs);
    if (status == CN_OK && io_text_peek(reader, &word, &length)) {
        status = io_text_fail(reader, CN_ERR_INPUT, "the file goes on where the problem ends");
        base_fail_hint(reader->error, "a size at the top may be wrong");
    }
    problem->format = "siconos-dat";
    return status;
}

cn_status prob_dat_read_local(io_text_reader *reader, cn_problem *problem, cn_arena *scratch) {
    int32_t dim = 0;
    int32_t contacts = 0;
    double *q = NULL;
    double *mu = NULL;
    cn_csr W = {0};
    CN_TRY(shape_read(reader, &dim, &contacts));
    int32_t rows = dim * contacts;
    CN_TRY(prob_matrix_read(reader, "W", rows, rows, scratch, scratch, &W));

    CN_TRY(prob_vector_read(reader, "an entry of q", rows, scratch, &q));

    CN_TRY(mu_read(reader, contacts, scratch, &mu));

    CN_TRY(tail_read(reader, problem, rows, 0));
    if (prob_friction_from_csr(problem->memory, dim, contacts, &W, q, mu, &problem->friction) !=
        CN_OK) {
        CN_TRY(io_text_fail(reader, CN_ERR_MEMORY, "out of memory"));
    }
    return CN_OK;
}

cn_status prob_dat_read_global(io_text_reader *reader, cn_problem *problem, cn_arena *scratch) {
    cn_friction_global *p = &problem->global;
    cn_arena *memory = problem->memory;
    CN_TRY(shape_read(reader, &p->dim, &p->contacts));
    int32_t rows = p->dim * p->contacts;
    CN_TRY(prob_matrix_read(reader, "M", -1, -1, memory, scratch, &p->M));
    p->dofs = p->M.rows;
    CN_TRY(prob_matrix_read(reader, "H", p->dofs, rows, memory, scratch, &p->H));

    CN_TRY(prob_vector_read(reader, "an entry of f", p->dofs, memory, &p->f));

    CN_TRY(prob_vector_read(reader, "an entry of w", rows, memory, &p->w));

    CN_TRY(mu_read(reader, p->contacts, memory, &p->mu));
    return tail_read(reader, problem, rows, p->dofs);
}

bool prob_dat_is_rolling(io_text_reader *reader) {
    int64_t d, contacts, storage, rows, cols;
    return io_text_int(reader, "d", 5, 5, &d) == CN_OK &&
           io_text_int(reader, "contacts", 0, INT32_MAX, &contacts) == CN_OK &&
           io_text_int(reader, "storage", 0, 2, &storage) == CN_OK &&
           io_text_int(reader, "rows", 0, INT32_MAX, &rows) == CN_OK &&
           io_text_int(reader, "columns", rows, rows, &cols) == CN_OK;
}

static void local_write(io_text_writer *writer, const cn_problem *problem) {
    const cn_friction *p = &problem->friction;
    int32_t rows = p->dim * p->contacts;
    io_text_print(writer, "%d\n%d\n", p->dim, p->contacts);
    prob_blocks_write(writer, &p->W.assembled);
    prob_vector_write(writer, rows, p->q);
    prob_vector_write(writer, p->contacts, p->mu);
    prob_answers_write(writer, problem, rows, 0);
}

static void global_write(io_text_writer *writer, const cn_problem *problem) {
    const cn_friction_global *p = &problem->global;
    int32_t rows = p->dim * p->contacts;
    io_text_print(writer, "%d\n%d\n", p->dim, p->contacts);
    prob_matrix_write(writer, &p->M);
    prob_matrix_write(writer, &p->H);
    prob_vector_write(writer, p->dofs, p->f);
    prob_vector_write(writer, rows, p->w);
    prob_vector_write(writer, p->contacts, p->mu);
    prob_answers_write(writer, problem, rows, p->dofs);
}

cn_status prob_text_problem_write(const cn_problem *problem, base_buffer *out, cn_error *error) {
    static void (*const write[])(io_text_writer *, const cn_problem *) = {
        [CN_PROBLEM_LCP] = prob_lcp_text_write,
        [CN_PROBLEM_FRICTION] = local_write,
        [CN_PROBLEM_FRICTION_GLOBAL] = global_write,
    };
    if (problem->kind == CN_PROBLEM_FRICTION &&
        prob_operator_ops_of(problem->friction.W.kind)->body_space) {
        base_fail(error, CN_ERR_UNSUPPORTED,
                  "W is given in body space, which .dat files cannot hold");
        base_fail_hint(error, "write the global problem, or condense it first");
        return CN_ERR_UNSUPPORTED;
    }
    io_text_writer writer;
    io_text_begin(&writer, out);
    write[problem->kind](&writer, problem);
    return io_text_end(&writer) ? CN_OK : base_fail_memory(error);
}
