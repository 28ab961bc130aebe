// Siconos .dat files: the three matrix storages, detection of the kind, errors with line and
// column.
#include "file_checks.h"

#include "problem/files/dat.h"

static cn_problem *cn_read_text(const char *text) {
    return cn_check_read(NULL, text, strlen(text));
}

static void cn_check_text_refused(const char *text, const char *words) {
    cn_check_refused(text, strlen(text), CN_ERR_INPUT, words);
}

// ---- what we write ----

CN_TEST(local_problems_read_back_identical) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int32_t contacts = 0; contacts < 6; contacts++) {
            cn_problem *p = cn_small_local(7, dim, contacts, contacts % 2 == 1);
            cn_check_round_trip(p, prob_text_problem_write);
            cn_problem_destroy(p);
        }
    }
}

CN_TEST(global_problems_read_back_identical) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int32_t contacts = 0; contacts < 5; contacts++) {
            cn_problem *p = cn_small_global(8, dim, contacts, 3 * contacts, contacts % 2 == 1);
            cn_check_round_trip(p, prob_text_problem_write);
            cn_problem_destroy(p);
        }
    }
}

CN_TEST(a_file_is_written_and_read_by_name) {
    cn_check_by_name(cn_small_local(3, 3, 4, true), ".dat", "siconos-dat");
}

CN_TEST(body_space_cannot_be_written) {
    cn_problem *p = cn_small_local(1, 3, 1, false);
    base_buffer out;
    cn_error error;
    p->friction.W.kind = CN_OPERATOR_BODY;
    base_buffer_init(&out, NULL);
    assert_int_equal(prob_text_problem_write(p, &out, &error), CN_ERR_UNSUPPORTED);
    assert_string_equal(error.hint, "write the global problem, or condense it first");
    base_buffer_free(&out);
    cn_problem_destroy(p);
}

// ---- matrix storages ----

// The one matrix [4 1; 0 3] of one 2D contact, whatever its storage.
static void cn_check_W(const char *matrix) {
    char text[1024];
    snprintf(text, sizeof text, "2\n1\n%s\n-1 0.5\n0.25\n", matrix);
    cn_problem *p = cn_read_text(text);
    assert_int_equal(p->kind, CN_PROBLEM_FRICTION);
    const double want[] = {4, 0, 1, 3}; // by columns
    for (int k = 0; k < 4; k++) {
        CN_CHECK_NEAR(p->friction.W.assembled.value[k], want[k], 0.0);
    }
    CN_CHECK_NEAR(p->friction.q[1], 0.5, 0.0);
    CN_CHECK_NEAR(p->friction.mu[0], 0.25, 0.0);
    cn_problem_destroy(p);
}

CN_TEST(dense_matrices_go_by_columns) {
    cn_check_W("0\n2\n2\n2\t2\n4 0\n1 3");
}

CN_TEST(blocks_go_by_columns_and_may_have_any_size) {
    cn_check_W("1 2 2  1  1 1  2  2  2 1  0 1  0  0  4 0 1 3");
    // Two block rows of one row each, two block columns, columns not in order.
    cn_check_W("1 2 2  3  2 2  1 2  1 2  3 3  0 2 3  1 0 1  0 1  1 4  2 3");
    // A block row without blocks at the end has no row pointer.
    char text[] = "2 1  1 2 2  1  2 2  1 2  1 2  2 1  0 1  0  0 4   -1 0.5  0.25";
    cn_problem *p = cn_read_text(text);
    CN_CHECK_NEAR(p->friction.W.assembled.value[0], 4.0, 0.0);
    CN_CHECK_NEAR(p->friction.W.assembled.value[3], 0.0, 0.0);
    cn_problem_destroy(p);
}

CN_TEST(sparse_matrices_of_every_origin_are_read) {
    cn_check_W("2\n2\n2\n1\nCSparse Version 3.1.9\ntriplet: 2-by-2, nzmax: 9 nnz: 3\n"
               "    0 0 : 4\n    1 1 : 3\n    0 1 : 1");
    cn_check_W("2\n2\n2\n2\nCSparse Version 3.1.9\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n"
               "    col 0 : locations 0 to 0\n      0 : 4\n"
               "    col 1 : locations 1 to 2\n      1 : 3\n      0 : 1");
    cn_check_W("2\n2\n2\n3\nCSparse Version 3.1.9\ncsr: 2-by-2, nzmax: 3 nnz: 3, 1-norm: nan\n"
               "    row 0 : locations 0 to 1\n      0 : 4\n      1 : 1\n"
               "    row 1 : locations 2 to 2\n      1 : 3");
    cn_check_W("2\n2\n2\n3\nCSparse\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n"
               "    col 0 : locations 0 to 1\n      0 : 4\n      1 : 1\n"
               "    col 1 : locations 2 to 2\n      1 : 3"); // rows under the word "col"
}

CN_TEST(empty_columns_end_before_they_start) {
    cn_problem *p = cn_read_text("2 1 2 2 2 2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 3\n"
                                 "    col 0 : locations 0 to -1\n"
                                 "    col 1 : locations 0 to 0\n      1 : 3\n -1 0.5 0.25");
    CN_CHECK_NEAR(p->friction.W.assembled.value[3], 3.0, 0.0);
    cn_problem_destroy(p);
}

CN_TEST(half_a_matrix_is_completed) {
    cn_problem *p = cn_read_text("2 1 2 2 2 4\nCSparse\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n"
                                 "0 0 : 4\n1 1 : 3\n1 0 : 0.5\n -1 0.5 0.25");
    const double want[] = {4, 0.5, 0.5, 3};
    for (int k = 0; k < 4; k++) {
        CN_CHECK_NEAR(p->friction.W.assembled.value[k], want[k], 0.0);
    }
    cn_problem_destroy(p);
}

// ---- detection ----

CN_TEST(the_flag_behind_older_files_is_stepped_over) {
    cn_problem_destroy(cn_read_text("2 1  0 2 2 2 2  4 0 1 3  -1 0.5  0.25  1"));
    cn_problem_destroy(cn_read_text("2 1  0 2 2 2 2  4 0 1 3  -1 0.5  0.25  0\n"));
    cn_check_text_refused("2 1  0 2 2 2 2  4 0 1 3  -1 0.5  0.25  2\n",
                          "input:1:40: the file goes on where the problem ends");
}

CN_TEST(global_problems_are_told_from_local_ones) {
    // As many velocities as contact rows, so that the first matrix could be W.
    cn_problem *p = cn_read_text("2 1  0 2 2 2 2  4 0 0 3   0 2 2 2 2  1 0 0 1   5 6  7 8  0.25");
    assert_int_equal(p->kind, CN_PROBLEM_FRICTION_GLOBAL);
    CN_CHECK_NEAR(p->global.w[1], 8.0, 0.0);
    cn_problem_destroy(p);
}

CN_TEST(problems_without_contacts_are_read) {
    cn_problem *p = cn_read_text("3 0  0 0 0 0 0");
    assert_int_equal(p->kind, CN_PROBLEM_FRICTION);
    cn_problem_destroy(p);
    p = cn_read_text("2 0  0 2 2 2 2  4 0 0 3   0 2 0 2 0   5 6");
    assert_int_equal(p->kind, CN_PROBLEM_FRICTION_GLOBAL);
    assert_int_equal(p->global.dofs, 2);
    cn_problem_destroy(p);
}

CN_TEST(rolling_problems_are_refused_by_name) {
    const char *text = "5 1 0 5 5 5 5 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 "
                       "1 2 3 4 5 0.1 0.2";
    cn_check_refused(text, strlen(text), CN_ERR_UNSUPPORTED, "rolling friction");
}

// ---- what is wrong is said, with its place ----

CN_TEST(wrong_words_are_pointed_at) {
    cn_check_text_refused("2\n1\n0\n2\n2\n2 2\n4 0\n1 x3\n-1 0.5\n0.25\n",
                          "input:8:3: an entry of W should be a finite number, not 'x3'");
    cn_check_text_refused("2\n1\n0\n2\n2\n2 2\n4 0\n1 nan\n-1 0.5\n0.25\n", "input:8:3:");
    cn_check_text_refused("2\n1\n0\n2\n2\n2 2\n4 0\n1 3\n-1 0.5\n-0.25\n",
                          "input:10:1: the friction coefficient of contact 0 is -0.25; friction "
                          "coefficients are zero or positive");
    cn_check_text_refused(
        "2\n1\n0\n2\n2\n2 2\n4 0\n1 3\n-1 0.5\n",
        "input:10:1: the file ends where a friction coefficient should be; the file "
        "may be cut short");
    cn_check_text_refused("4\n1\n0\n4\n4\n4 4\n", "input:");
}

CN_TEST(wrong_sizes_are_pointed_at) {
    cn_check_text_refused("2 2  0 2 2 2 2  4 0 1 3  -1 0.5  0.25 0.25",
                          "input:1:26: the storage of H is -1, outside 0 .. 2; or, as a local "
                          "problem, W has 2 rows where 4 are needed");
    cn_check_text_refused("3 1  0 3 2 3 2  4 0 1 3 1 1  -1 0.5 1  0.25",
                          "input:1:10: W has 2 columns where 3 are needed");
    cn_check_text_refused("2 1  0 2 2 2 3  4 0 1 3  -1 0.5  0.25",
                          "input:1:14: the size is repeated as 3, not 2");
    cn_check_text_refused("2 1  3 2 2 2 2  4 0 1 3  -1 0.5  0.25",
                          "input:1:6: the storage of W is 3, outside 0 .. 2");
}

CN_TEST(wrong_blocks_are_pointed_at) {
    cn_check_text_refused("2 1  1 2 2  1  1 1  1  2  2 1  0 1  0  0  4 0 1 3 -1 0.5 0.25",
                          "input:1:21: the blocks end at 1 where the size is 2");
    cn_check_text_refused("2 1  1 2 2  2  2 2  2 1  1 2  3 2  0 1 2  0 1  0 4 1 3 -1 0.5 0.25",
                          "the block sizes before this point are not cumulated");
    cn_check_text_refused("2 1  1 2 2  2  2 2  1 2  1 2  3 2  0 2 1  0 1  0 4 1 3 -1 0.5 0.25",
                          "the row pointers before this point do not ascend from 0");
    cn_check_text_refused("2 1  1 2 2  2  2 2  1 2  1 2  3 2  0 1 1  0 1  0 4 1 3 -1 0.5 0.25",
                          "the row pointers end at 1 of 2 blocks");
    cn_check_text_refused("2 1  1 2 2  2  2 2  1 2  1 2  3 2  0 1 2  0 2  0 4 1 3 -1 0.5 0.25",
                          "an integer of W is 2, outside 0 .. 1");
    cn_check_text_refused("2 1  1 2 2  2  2 2  1 2  1 2  3 2  0 1 2  0 1  0 4 7 3 -1 0.5 0.25",
                          "an integer of W is 7, outside 1 .. 1");
}

CN_TEST(wrong_print_outs_are_pointed_at) {
    const char *head = "3 1 2 3 3";
    const struct {
        const char *rest, *words;
    } cases[] = {
        {"5\nC\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n0 0 : 4\n", "is 5, outside 1 .. 4"},
        {"1\nC\n3-by-3, nzmax: 1 nnz: 1\n0 0 : 4\n", "this word should be 'triplet:'"},
        {"1\nC\ntriplet: 2-by-3, nzmax: 1 nnz: 1\n0 0 : 4\n", "should be '3-by-3', not '2-by-3'"},
        {"1\nC\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n0 3 : 4\n", "is 3, outside 0 .. 2"},
        {"1\nC\ntriplet: 3-by-3, nzmax: 1 nnz: 99\n0 0 : 4\n", "too short for 396 numbers"},
        {"2\nC\n3-by-3, nzmax: 1 nnz: 1, 1-norm: 4\ncol 1 : locations 0 to 0\n0 : 4\n",
         "is 1, outside 0 .. 0"},
        {"2\nC\n3-by-3, nzmax: 1 nnz: 1, 1-norm: 4\ncol 0 : locations 0 to 1\n0 : 4\n",
         "is 1, outside -1 .. 0"},
        {"2\nC\n3-by-3, nzmax: 2 nnz: 2, 1-norm: 4\ncol 0 : locations 0 to 0\n0 : 4\n"
         "col 1 : locations 1 to 0\ncol 2 : locations 1 to 0\n",
         "1 entries where 2 were announced"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s %s -1 0.5 0.25 0.5 0 0 0", head, cases[i].rest);
        cn_check_text_refused(text, cases[i].words);
    }
}

CN_TEST(absurd_sizes_take_no_memory) {
    const char *const texts[] = {
        "3 700000000 0 2100000000 2100000000 2100000000 2100000000 1 2 3",
        "3 1 1 3 3 2000000000 2000000000 2000000000 1 2 3",
        "2 0 2 2000000000 2000000000 1\nC\ntriplet: 2000000000-by-2000000000, nzmax: 0 nnz: 0\n",
        "2000000000 2 2000000000 2000000000 1\nC\ntriplet: 2000000000-by-2000000000, nnz: 0\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, 0);
        cn_problem *p;
        cn_error error;
        assert_int_equal(
            cn_problem_read_bytes(&env, "input", texts[i], strlen(texts[i]), &p, &error),
            CN_ERR_INPUT);
        CN_CHECK_BELOW((double)memory.largest, 1e6);
        assert_int_equal(memory.live, 0);
    }
}

// ---- hard times ----

CN_TEST(a_file_cut_anywhere_is_refused_or_ends_a_number_early) {
    cn_problem *local = cn_small_local(3, 3, 2, true);
    cn_problem *global = cn_small_global(3, 2, 2, 5, true);
    cn_check_cuts(local, prob_text_problem_write, 1, true);
    cn_check_cuts(global, prob_text_problem_write, 1, true);
    cn_problem_destroy(local);
    cn_problem_destroy(global);
}

CN_TEST(damaged_bytes_do_no_harm) {
    cn_problem *local = cn_small_local(4, 3, 2, true);
    cn_problem *global = cn_small_global(4, 2, 2, 5, true);
    cn_check_damage(local, prob_text_problem_write, 2000);
    cn_check_damage(global, prob_text_problem_write, 2000);
    cn_problem_destroy(local);
    cn_problem_destroy(global);
}

CN_TEST(every_allocation_may_fail) {
    cn_problem *local = cn_small_local(5, 3, 40, true);
    cn_problem *global = cn_small_global(5, 2, 60, 120, true);
    cn_check_memory_failures(local, prob_text_problem_write);
    cn_check_memory_failures(global, prob_text_problem_write);
    cn_problem_destroy(local);
    cn_problem_destroy(global);
}

// ---- real files ----

static void cn_check_real_file(const char *path) {
    cn_problem *p = cn_check_read_file(path);
    cn_check_round_trip(p, prob_text_problem_write);
    cn_problem_destroy(p);
}

CN_TEST(every_dat_file_of_the_corpus_reads_and_reads_back) {
    cn_check_corpus("dat", ".dat", cn_check_real_file);
}

// Some of these texts print 6 or 7 digits, so that nothing could be said about the last bits if the
// twins had been made side by side. They were made from the texts: the data must be the same.
static void cn_check_twin(const char *path) {
    cn_problem *p = cn_check_read_file(path);
    const char *name = strrchr(path, '/') + 1;
    char twin[1024];
    snprintf(twin, sizeof twin, "%s/%s/%.*s.hdf5", getenv("CAIRN_CORPUS"),
             p->kind == CN_PROBLEM_FRICTION ? "local" : "global",
             (int)(strlen(name) - strlen(".dat")), name);
    cn_problem *q = cn_check_read_file(twin);
    assert_int_equal(p->kind, q->kind);
    assert_int_equal(cn_problem_rows(p), cn_problem_rows(q));
    CN_CHECK_TRUE(cn_same_data(p, q));
    cn_problem_destroy(p);
    cn_problem_destroy(q);
}

CN_TEST(text_and_hdf5_twins_of_the_corpus_are_the_same_problem) {
    cn_check_corpus("dat", ".dat", cn_check_twin);
}
