// FCLIB files: what we write reads back the same, and the habits of other writers are met.
#include "file_checks.h"

#include "io/hdf5/hdf5.h"
#include "problem/files/fclib.h"

// ---- what we write ----

CN_TEST(local_problems_read_back_identical) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int32_t contacts = 0; contacts < 6; contacts++) {
            cn_problem *p = cn_small_local(7, dim, contacts, contacts % 2 == 1);
            cn_check_round_trip(p, prob_fclib_write);
            cn_problem_destroy(p);
        }
    }
}

CN_TEST(global_problems_read_back_identical) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int32_t contacts = 0; contacts < 5; contacts++) {
            cn_problem *p = cn_small_global(8, dim, contacts, 3 * contacts + 1, contacts % 2 == 1);
            cn_check_round_trip(p, prob_fclib_write);
            cn_problem_destroy(p);
        }
    }
}

CN_TEST(texts_read_back_byte_for_byte) {
    cn_problem *p = cn_small_local(1, 3, 2, false);
    p->title = "";
    p->description = "not UTF-8: \xa8\xff, two\nlines";
    p->math_info = "full rank";
    cn_check_round_trip(p, prob_fclib_write);
    cn_problem_destroy(p);
}

CN_TEST(a_zero_solution_of_ours_is_kept) {
    cn_problem *p = cn_small_local(1, 3, 2, false);
    p->r = BASE_TAKE_ZERO(p->memory, double, 6);
    p->u = BASE_TAKE_ZERO(p->memory, double, 6);
    p->guess = BASE_TAKE_ZERO(p->memory, double, 6);
    cn_check_round_trip(p, prob_fclib_write);
    cn_problem_destroy(p);
}

CN_TEST(a_file_is_written_and_read_by_name) {
    cn_problem *p = cn_small_global(3, 3, 4, 9, true);
    cn_error error;
    char path[64];
    cn_small_path(path, ".HDF5");
    assert_int_equal(cn_problem_write(p, path, CN_FILE_AUTO, &error), CN_OK);
    cn_problem *again = cn_check_read_file(path);
    CN_CHECK_TRUE(cn_problem_difference(p, again) == NULL);
    assert_string_equal(again->format, "fclib");
    unlink(path);
    cn_problem_destroy(again);
    cn_problem_destroy(p);
}

CN_TEST(what_fclib_cannot_hold_is_refused) {
    cn_problem *lcp = cn_small_lcp(1, 3, false);
    cn_problem *body = cn_small_local(1, 3, 1, false);
    cn_error error;
    char text[1200];
    assert_int_equal(cn_problem_write(lcp, "x.hdf5", CN_FILE_AUTO, &error), CN_ERR_UNSUPPORTED);
    assert_string_equal(cn_error_format(&error, text, sizeof text),
                        "x.hdf5: FCLIB files cannot hold an LCP; write it as text, to a file that "
                        "ends in .dat");
    int64_t start[] = {0, 0};
    body->friction.W.kind = CN_OPERATOR_BODY;
    body->friction.W.body.start = start;
    base_buffer out;
    base_buffer_init(&out, NULL);
    assert_int_equal(prob_fclib_write(body, &out, &error), CN_ERR_UNSUPPORTED);
    base_buffer_free(&out);
    assert_int_equal(cn_problem_write(lcp, "x.txt", CN_FILE_AUTO, &error), CN_ERR_ARGUMENT);
    cn_problem_destroy(lcp);
    cn_problem_destroy(body);
}

CN_TEST(an_invalid_problem_is_not_written) {
    cn_problem *p = cn_small_local(1, 3, 2, false);
    cn_error error;
    char path[64];
    cn_small_path(path, ".hdf5");
    p->friction.mu[1] = -1.0;
    assert_int_equal(cn_problem_write(p, path, CN_FILE_AUTO, &error), CN_ERR_INPUT);
    CN_CHECK_TRUE(access(path, F_OK) != 0);
    cn_problem_destroy(p);
}

// ---- files of others ----

// An FCLIB file put together by hand.
typedef struct cn_handmade {
    cn_arena *memory;
    io_hdf5_writer *file;
    const void *bytes;
    size_t size;
} cn_handmade;

static void cn_handmade_open(cn_handmade *h) {
    cn_error error;
    h->memory = cn_arena_create(NULL);
    assert_int_equal(io_hdf5_create(h->memory, &h->file, &error), CN_OK);
}

static void cn_handmade_finish(cn_handmade *h) {
    cn_error error;
    assert_int_equal(io_hdf5_finish(h->file, h->memory, &h->bytes, &h->size, &error), CN_OK);
    io_hdf5_close(h->file);
}

static void cn_handmade_free(cn_handmade *h) {
    cn_arena_destroy(h->memory);
}

static void cn_add_group(cn_handmade *h, const char *path) {
    assert_int_equal(io_hdf5_add_group(h->file, path, NULL), CN_OK);
}

static void cn_add_ints(cn_handmade *h, const char *path, int64_t count, const int32_t *values) {
    assert_int_equal(io_hdf5_add_int(h->file, path, count, values, NULL), CN_OK);
}

static void cn_add_int(cn_handmade *h, const char *path, int32_t value) {
    cn_add_ints(h, path, 1, &value);
}

static void cn_add_reals(cn_handmade *h, const char *path, int64_t count, const double *values) {
    assert_int_equal(io_hdf5_add_real(h->file, path, count, values, NULL), CN_OK);
}

typedef struct cn_stored {
    int32_t nzmax, m, n, nz;
    int64_t p_count, i_count, x_count;
    const int32_t *p, *i;
    const double *x;
} cn_stored;

static void cn_add_matrix(cn_handmade *h, const char *group, const cn_stored *a) {
    char path[64];
    const struct {
        const char *name;
        int32_t value;
    } sizes[] = {{"nzmax", a->nzmax}, {"m", a->m}, {"n", a->n}, {"nz", a->nz}};
    cn_add_group(h, group);
    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s", group, sizes[k].name);
        cn_add_int(h, path, sizes[k].value);
    }
    snprintf(path, sizeof path, "%s/p", group);
    cn_add_ints(h, path, a->p_count, a->p);
    snprintf(path, sizeof path, "%s/i", group);
    cn_add_ints(h, path, a->i_count, a->i);
    snprintf(path, sizeof path, "%s/x", group);
    cn_add_reals(h, path, a->x_count, a->x);
}

// W of one 2D contact, [4 1; 0 3], in each storage.
static const int32_t cn_csr_p[] = {0, 2, 3};
static const int32_t cn_csr_i[] = {0, 1, 1};
static const double cn_csr_x[] = {4, 1, 3};
static const cn_stored cn_W = {.nzmax = 3,
                               .m = 2,
                               .n = 2,
                               .nz = -2,
                               .p_count = 3,
                               .i_count = 3,
                               .x_count = 3,
                               .p = cn_csr_p,
                               .i = cn_csr_i,
                               .x = cn_csr_x};
static const double cn_vector[] = {-1.0, 0.5, 0.25, -2.0, 0.0, 1.0};
static const double cn_mu[] = {0.5, 0.25};

// The local problem round W, without what a test wants to add itself.
static void cn_add_local(cn_handmade *h, const cn_stored *W, const double *q, const double *mu) {
    cn_add_group(h, "/fclib_local");
    cn_add_int(h, "/fclib_local/spacedim", 2);
    cn_add_matrix(h, "/fclib_local/W", W);
    cn_add_group(h, "/fclib_local/vectors");
    cn_add_reals(h, "/fclib_local/vectors/q", 2, q);
    cn_add_reals(h, "/fclib_local/vectors/mu", 1, mu);
}

static void cn_check_W(const cn_stored *W) {
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_local(&h, W, cn_vector, cn_mu);
    cn_handmade_finish(&h);
    cn_problem *p = cn_check_read(NULL, h.bytes, h.size);
    const double want[] = {4, 0, 1, 3}; // by columns
    for (int k = 0; k < 4; k++) {
        CN_CHECK_NEAR(p->friction.W.assembled.value[k], want[k], 0.0);
    }
    cn_problem_destroy(p);
    cn_handmade_free(&h);
}

CN_TEST(rows_columns_and_triplets_give_the_same_matrix) {
    const int32_t csc_p[] = {0, 1, 3}, csc_i[] = {0, 0, 1};
    const int32_t row[] = {1, 0, 0}, column[] = {1, 0, 1};
    const double triplet_x[] = {3, 4, 1};
    cn_stored csc = cn_W, triplets = cn_W;
    csc.nz = -1;
    csc.p = csc_p;
    csc.i = csc_i;
    triplets.nz = 3;
    triplets.p = column; // FCLIB's header says rows; the files in circulation say columns
    triplets.i = row;
    triplets.x = triplet_x;
    cn_check_W(&cn_W);
    cn_check_W(&csc);
    cn_check_W(&triplets);
}

CN_TEST(repeated_triplets_are_summed) {
    const int32_t row[] = {1, 0, 0, 0}, column[] = {1, 0, 1, 0};
    const double x[] = {3, 1.5, 1, 2.5};
    cn_stored a = {4, 2, 2, 4, 4, 4, 4, column, row, x};
    cn_check_W(&a);
}

CN_TEST(arrays_longer_than_needed_and_nzmax_larger_than_they_are) {
    const int32_t row[] = {1, 0, 0, 99}, column[] = {1, 0, 1, 99};
    const double x[] = {3, 4, 1, 99};
    cn_stored longer = {3, 2, 2, 3, 4, 4, 4, column, row, x};
    cn_stored larger = {1000, 2, 2, 3, 3, 3, 3, column, row, x};
    cn_check_W(&longer);
    cn_check_W(&larger);
}

// A global problem with one contact in 2D and three velocities.
static void cn_add_global(cn_handmade *h, const cn_stored *M, const cn_stored *H) {
    cn_add_group(h, "/fclib_global");
    cn_add_int(h, "/fclib_global/spacedim", 2);
    cn_add_matrix(h, "/fclib_global/M", M);
    cn_add_matrix(h, "/fclib_global/H", H);
    cn_add_group(h, "/fclib_global/vectors");
    cn_add_reals(h, "/fclib_global/vectors/f", 3, cn_vector);
    cn_add_reals(h, "/fclib_global/vectors/w", 2, cn_vector);
    cn_add_reals(h, "/fclib_global/vectors/mu", 1, cn_mu);
}

static const int32_t cn_H_row[] = {2, 0}, cn_H_column[] = {1, 0};
static const double cn_H_x[] = {7, 5};
static const cn_stored cn_H = {2, 3, 2, 2, 2, 2, 2, cn_H_column, cn_H_row, cn_H_x};
// Lower triangle of a symmetric M.
static const int32_t cn_M_row[] = {0, 1, 2, 2}, cn_M_column[] = {0, 1, 2, 0};
static const double cn_M_x[] = {2, 3, 4, 1};
static const cn_stored cn_M = {4, 3, 3, 4, 4, 4, 4, cn_M_column, cn_M_row, cn_M_x};

CN_TEST(one_triangle_of_m_is_mirrored_with_a_warning) {
    cn_handmade h;
    cn_log_lines lines;
    cn_env env = cn_log_env(&lines);
    cn_handmade_open(&h);
    cn_add_global(&h, &cn_M, &cn_H);
    cn_handmade_finish(&h);
    cn_problem *p = cn_check_read(&env, h.bytes, h.size);
    const cn_csr *M = &p->global.M;
    assert_int_equal(M->start[3], 5);
    CN_CHECK_NEAR(M->value[1], 1.0, 0.0); // (0, 2), the mirror
    assert_int_equal(M->column[1], 2);
    assert_int_equal(lines.count, 1);
    assert_string_equal(lines.last, "input: /fclib_global/M holds one triangle only; the other is "
                                    "taken to be its mirror");
    cn_problem_destroy(p);
    cn_handmade_free(&h);
}

CN_TEST(a_triangle_that_we_wrote_is_left_alone) {
    cn_problem *p = cn_small_global(1, 2, 1, 3, false);
    int64_t start[] = {0, 2, 3, 4};
    int32_t column[] = {0, 2, 1, 2};
    double value[] = {1, 2, 3, 4};
    p->global.M = (cn_csr){.rows = 3, .cols = 3, .start = start, .column = column, .value = value};
    cn_check_round_trip(p, prob_fclib_write);
    cn_problem_destroy(p);
}

CN_TEST(rectangular_triplets_have_rows_in_i) {
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_global(&h, &cn_M, &cn_H);
    cn_handmade_finish(&h);
    cn_problem *p = cn_check_read(NULL, h.bytes, h.size);
    const cn_csr *H = &p->global.H;
    assert_int_equal(H->rows, 3);
    assert_int_equal(H->cols, 2);
    assert_int_equal(H->column[0], 0);
    CN_CHECK_NEAR(H->value[0], 5.0, 0.0); // (0, 0)
    assert_int_equal(H->start[2], 1);
    CN_CHECK_NEAR(H->value[1], 7.0, 0.0); // (2, 1)
    cn_problem_destroy(p);
    cn_handmade_free(&h);
}

CN_TEST(a_zero_solution_of_others_is_taken_as_absent) {
    const double zero[2] = {0, 0};
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_local(&h, &cn_W, cn_vector, cn_mu);
    cn_add_group(&h, "/solution");
    cn_add_reals(&h, "/solution/r", 2, zero);
    cn_add_reals(&h, "/solution/u", 2, cn_vector);
    cn_handmade_finish(&h);
    cn_problem *p = cn_check_read(NULL, h.bytes, h.size);
    CN_CHECK_TRUE(p->r == NULL && p->u == NULL && p->v == NULL);
    cn_problem_destroy(p);
    cn_handmade_free(&h);
}

CN_TEST(the_first_guess_that_is_not_zero_is_the_warm_start) {
    const double zero[2] = {0, 0};
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_local(&h, &cn_W, cn_vector, cn_mu);
    cn_add_group(&h, "/guesses");
    cn_add_int(&h, "/guesses/number_of_guesses", 2);
    cn_add_group(&h, "/guesses/1");
    cn_add_reals(&h, "/guesses/1/r", 2, zero);
    cn_add_group(&h, "/guesses/2");
    cn_add_reals(&h, "/guesses/2/r", 2, cn_vector + 1);
    cn_handmade_finish(&h);
    cn_problem *p = cn_check_read(NULL, h.bytes, h.size);
    CN_CHECK_TRUE(p->guess != NULL);
    CN_CHECK_NEAR(p->guess[0], cn_vector[1], 0.0);
    CN_CHECK_NEAR(p->guess[1], cn_vector[2], 0.0);
    cn_problem_destroy(p);
    cn_handmade_free(&h);
}

CN_TEST(a_solution_that_cannot_be_used_is_left_out_with_a_warning) {
    const double bad[2] = {1.0, NAN};
    cn_handmade h;
    cn_log_lines lines;
    cn_env env = cn_log_env(&lines);
    cn_handmade_open(&h);
    cn_add_local(&h, &cn_W, cn_vector, cn_mu);
    cn_add_group(&h, "/solution");
    cn_add_reals(&h, "/solution/r", 2, bad);
    cn_add_group(&h, "/guesses");
    cn_add_int(&h, "/guesses/number_of_guesses", 1000000);
    cn_add_group(&h, "/guesses/1");
    cn_add_reals(&h, "/guesses/1/r", 6, cn_vector);
    cn_handmade_finish(&h);
    cn_problem *p = cn_check_read(&env, h.bytes, h.size);
    CN_CHECK_TRUE(p->r == NULL && p->guess == NULL);
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.last,
                        "input: ignored: /guesses/1/r holds 6 numbers where 2 are needed");
    cn_problem_destroy(p);
    cn_handmade_free(&h);
}

// ---- what is wrong is said ----

static void cn_check_local_refused(const cn_stored *W, const double *q, const double *mu,
                                   const char *words) {
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_local(&h, W, q, mu);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_INPUT, words);
    cn_handmade_free(&h);
}

CN_TEST(wrong_numbers_are_named_by_dataset_and_entry) {
    const double negative[] = {-0.5}, infinite[] = {1.0, INFINITY}, nan_x[] = {4, NAN, 3};
    cn_stored W = cn_W;
    W.x = nan_x;
    cn_check_local_refused(&cn_W, cn_vector, negative,
                           "input: /fclib_local/vectors/mu: the coefficient of contact 0 is -0.5; "
                           "friction coefficients are zero or positive");
    cn_check_local_refused(&cn_W, infinite, cn_mu,
                           "input: /fclib_local/vectors/q: entry 1 is not a finite number");
    cn_check_local_refused(&W, cn_vector, cn_mu,
                           "/fclib_local/W/x: entry 1 is not a finite number");
}

CN_TEST(matrices_that_do_not_fit_are_refused) {
    const int32_t falling[] = {0, 2, 1}, late[] = {1, 2, 3}, huge[] = {0, 2, INT32_MAX};
    const int32_t outside[] = {0, 2, 1}, below[] = {0, -1, 1};
    cn_stored a = cn_W;
    a.p = falling;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/p: the offsets do not ascend at entry 2");
    a.p = late;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/p: the first offset is 1, not 0");
    a.p = huge;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/i holds 3 numbers where 2147483647");
    a = cn_W;
    a.i = outside;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/i: entry 1 is 2, outside 0 .. 1");
    a.i = below;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/i: entry 1 is -1, outside 0 .. 1");
    a = cn_W;
    a.m = 3;
    a.p_count = 3;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/p holds 3 numbers where 4 are needed");
    a = cn_W;
    a.n = 4;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/fclib_local/W is 2 x 4 where 2 x 2 is needed");
    a = cn_W;
    a.nz = -3;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/fclib_local/W/nz is -3");
    a.nz = INT32_MAX;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/i holds 3 numbers where 2147483647");
    a = cn_W;
    a.x_count = 2;
    cn_check_local_refused(&a, cn_vector, cn_mu, "/W/x holds 2 numbers where 3 are needed");
}

CN_TEST(missing_and_mistyped_pieces_are_named) {
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_group(&h, "/fclib_local");
    cn_add_reals(&h, "/fclib_local/spacedim", 1, cn_mu);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_INPUT,
                     "input: /fclib_local/spacedim does not hold integers");
    cn_handmade_free(&h);
    cn_handmade_open(&h);
    cn_add_group(&h, "/fclib_local");
    cn_add_int(&h, "/fclib_local/spacedim", 4);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_INPUT, "/fclib_local/spacedim is 4, neither 2 nor 3");
    cn_handmade_free(&h);
    cn_handmade_open(&h);
    cn_add_group(&h, "/fclib_local");
    cn_add_int(&h, "/fclib_local/spacedim", 3);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_INPUT, "/fclib_local/vectors/q is missing");
    cn_handmade_free(&h);
    cn_handmade_open(&h);
    cn_add_group(&h, "/results");
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_INPUT, "is this an FCLIB file?");
    cn_handmade_free(&h);
}

CN_TEST(contacts_must_divide_the_rows) {
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_group(&h, "/fclib_local");
    cn_add_int(&h, "/fclib_local/spacedim", 3);
    cn_add_group(&h, "/fclib_local/vectors");
    cn_add_reals(&h, "/fclib_local/vectors/q", 4, cn_vector);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_INPUT,
                     "/fclib_local/vectors/q holds 4 numbers, which is not 3 for every contact");
    cn_handmade_free(&h);
}

CN_TEST(mixed_and_rolling_problems_are_refused_by_name) {
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_local(&h, &cn_W, cn_vector, cn_mu);
    cn_add_matrix(&h, "/fclib_local/V", &cn_W);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_UNSUPPORTED, "/fclib_local/V");
    cn_handmade_free(&h);
    cn_handmade_open(&h);
    cn_add_global(&h, &cn_M, &cn_H);
    cn_add_matrix(&h, "/fclib_global/G", &cn_H);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_UNSUPPORTED, "/fclib_global/G");
    cn_handmade_free(&h);
    cn_handmade_open(&h);
    cn_add_group(&h, "/fclib_global_rolling");
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_UNSUPPORTED, "rolling friction");
    cn_handmade_free(&h);
    cn_handmade_open(&h);
    cn_add_group(&h, "/fclib_local");
    cn_add_int(&h, "/fclib_local/spacedim", 5);
    cn_handmade_finish(&h);
    cn_check_refused(h.bytes, h.size, CN_ERR_UNSUPPORTED, "rolling friction");
    cn_handmade_free(&h);
}

CN_TEST(constraints_of_no_columns_are_no_constraints) {
    const int32_t zeros[] = {0, 0, 0, 0};
    const cn_stored G = {0, 3, 0, -2, 4, 0, 0, zeros, zeros, cn_vector};
    cn_handmade h;
    cn_handmade_open(&h);
    cn_add_global(&h, &cn_M, &cn_H);
    cn_add_matrix(&h, "/fclib_global/G", &G);
    cn_handmade_finish(&h);
    cn_problem_destroy(cn_check_read(NULL, h.bytes, h.size));
    cn_handmade_free(&h);
}

// ---- hard times ----

CN_TEST(a_file_cut_anywhere_is_refused) {
    cn_problem *local = cn_small_local(3, 3, 2, true);
    cn_problem *global = cn_small_global(3, 2, 2, 5, true);
    cn_check_cuts(local, prob_fclib_write, 13, false);
    cn_check_cuts(global, prob_fclib_write, 17, false);
    cn_problem_destroy(local);
    cn_problem_destroy(global);
}

CN_TEST(damaged_bytes_do_no_harm) {
    cn_problem *local = cn_small_local(4, 3, 2, true);
    cn_problem *global = cn_small_global(4, 2, 2, 5, true);
    local->title = global->title = "title";
    cn_check_damage(local, prob_fclib_write, 2000);
    cn_check_damage(global, prob_fclib_write, 2000);
    cn_problem_destroy(local);
    cn_problem_destroy(global);
}

CN_TEST(every_allocation_may_fail) {
    cn_problem *local = cn_small_local(5, 3, 40, true);
    cn_problem *global = cn_small_global(5, 2, 60, 120, true);
    local->title = global->title = "title";
    cn_check_memory_failures(local, prob_fclib_write);
    cn_check_memory_failures(global, prob_fclib_write);
    cn_problem_destroy(local);
    cn_problem_destroy(global);
}

CN_TEST(bytes_that_are_no_file_are_refused) {
    base_rng rng = base_rng_seed(11);
    unsigned char bytes[600];
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (unsigned char)base_rng_next(&rng);
        }
        cn_check_refused(
            bytes, sizeof bytes, CN_ERR_INPUT,
            "a problem file is FCLIB (HDF5), Siconos .dat, LCP text, Matrix Market or .npy");
        memcpy(bytes, "\211HDF\r\n\032\n", 8);
        cn_check_refused(bytes, sizeof bytes, CN_ERR_INPUT, "input: ");
    }
    cn_check_refused(bytes, 0, CN_ERR_INPUT, "input: the file is empty");
}

// ---- real files ----

static void cn_check_real_file(const char *path) {
    cn_problem *p = cn_check_read_file(path);
    cn_check_round_trip(p, prob_fclib_write);
    cn_problem_destroy(p);
}

CN_TEST(every_local_file_of_the_corpus_reads_and_reads_back) {
    cn_check_corpus("local", ".hdf5", cn_check_real_file);
}

CN_TEST(every_global_file_of_the_corpus_reads_and_reads_back) {
    cn_check_corpus("global", ".hdf5", cn_check_real_file);
}
