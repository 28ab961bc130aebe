// LCP text files: any matrix storage, comments behind the problem, and our solution among them.
#include "file_checks.h"

#include "problem/files/dat.h"

static cn_problem *cn_read_text(const char *text) {
    return cn_check_read(NULL, text, strlen(text));
}

CN_TEST(problems_read_back_identical) {
    for (int32_t n = 0; n < 12; n++) {
        cn_problem *p = cn_small_lcp(5, n, n % 2 == 1);
        p->description = n % 3 == 0 ? "a comment\nof two lines: \xa8" : NULL;
        cn_check_round_trip(p, prob_text_problem_write);
        cn_problem_destroy(p);
    }
}

CN_TEST(a_solution_without_w_reads_back) {
    cn_problem *p = cn_small_lcp(5, 4, true);
    p->u = NULL;
    p->guess = NULL;
    cn_check_round_trip(p, prob_text_problem_write);
    cn_problem_destroy(p);
}

CN_TEST(a_file_is_written_and_read_by_name) {
    cn_check_by_name(cn_small_lcp(3, 6, true), ".dat", "lcp-text");
}

CN_TEST(every_storage_is_read) {
    const char *const texts[] = {
        "2\n0\n2\n2\n2\t2\n4 0\n1 3\n-5 -6",
        "2\n1\n2\n2\n1\n1\n1\n2\t\n2\t\n2\n1\n0\t1\t\n0\t\n0\n4\n0\n1\n3\n-5 -6",
        "2\n2\n2\n2\n1\nCSparse\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n0 0 : 4\n0 1 : 1\n1 1 : 3\n-5 "
        "-6",
        "2\n2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\ncol 0 : locations 0 to 0\n"
        "0 : 4\ncol 1 : locations 1 to 2\n0 : 1\n1 : 3\n-5 -6"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cn_problem *p = cn_read_text(texts[i]);
        assert_int_equal(p->kind, CN_PROBLEM_LCP);
        // Twice the matrix times (1, 10), row by row: explicit zeros do not matter here.
        const double want[] = {14, 30};
        for (int32_t row = 0; row < 2; row++) {
            double sum = 0.0;
            for (int64_t k = p->lcp.M.start[row]; k < p->lcp.M.start[row + 1]; k++) {
                sum += p->lcp.M.value[k] * (p->lcp.M.column[k] == 0 ? 1.0 : 10.0);
            }
            CN_CHECK_NEAR(sum, want[row], 0.0);
        }
        CN_CHECK_NEAR(p->lcp.q[1], -6.0, 0.0);
        cn_problem_destroy(p);
    }
}

CN_TEST(small_sizes_are_not_taken_for_friction_problems) {
    for (int32_t n = 1; n < 8; n++) {
        cn_problem *p = cn_small_lcp(9, n, false);
        base_buffer text;
        cn_error error;
        base_buffer_init(&text, NULL);
        assert_int_equal(prob_text_problem_write(p, &text, &error), CN_OK);
        cn_problem *again = cn_check_read(NULL, text.data, text.size);
        assert_int_equal(again->kind, CN_PROBLEM_LCP);
        cn_problem_destroy(again);
        cn_problem_destroy(p);
        base_buffer_free(&text);
    }
}

CN_TEST(what_follows_the_problem_is_its_description) {
    cn_problem *p = cn_read_text("1\n0\n1\n1\n1 1\n2\n-5\n\nRemark 4.1.14\nsecond line\n\n");
    assert_string_equal(p->description, "Remark 4.1.14\nsecond line");
    CN_CHECK_TRUE(p->r == NULL);
    cn_problem_destroy(p);
    p = cn_read_text("1\n0\n1\n1\n1 1\n2\n-5");
    CN_CHECK_TRUE(p->description == NULL);
    cn_problem_destroy(p);
}

CN_TEST(a_description_is_not_taken_for_a_solution) {
    cn_problem *p = cn_small_lcp(5, 2, false);
    p->description = "cairn:r is the word for a solution";
    cn_check_round_trip(p, prob_text_problem_write);
    p->description = "cairn:text";
    cn_check_round_trip(p, prob_text_problem_write);
    cn_problem_destroy(p);
}

CN_TEST(a_solution_of_zeros_is_a_solution) {
    cn_problem *p = cn_read_text("1\n0\n1\n1\n1 1\n2\n5\ncairn:r\n0\ncairn:u\n5\nfound by hand");
    CN_CHECK_NEAR(p->r[0], 0.0, 0.0);
    CN_CHECK_NEAR(p->u[0], 5.0, 0.0);
    assert_string_equal(p->description, "found by hand");
    cn_problem_destroy(p);
}

CN_TEST(a_broken_solution_is_pointed_at) {
    const char *text = "1\n0\n1\n1\n1 1\n2\n5\ncairn:r\nzero\n";
    cn_check_refused(text, strlen(text), CN_ERR_INPUT,
                     "input:9:1: cairn:r should be a finite number, not 'zero'");
}

CN_TEST(the_error_is_of_the_kind_that_came_furthest) {
    const char *text = "3\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 one\n1 2 3\n";
    cn_check_refused(text, strlen(text), CN_ERR_INPUT,
                     "input:8:5: an entry of M should be a finite number, not 'one'");
}

// ---- hard times ----

CN_TEST(a_file_cut_anywhere_is_refused_or_ends_a_number_early) {
    cn_problem *p = cn_small_lcp(3, 6, true);
    cn_check_cuts(p, prob_text_problem_write, 1, true);
    cn_problem_destroy(p);
}

CN_TEST(damaged_bytes_do_no_harm) {
    cn_problem *p = cn_small_lcp(3, 6, true);
    cn_check_damage(p, prob_text_problem_write, 4000);
    cn_problem_destroy(p);
}

CN_TEST(every_allocation_may_fail) {
    cn_problem *p = cn_small_lcp(3, 120, true);
    p->description = "a description";
    cn_check_memory_failures(p, prob_text_problem_write);
    cn_problem_destroy(p);
}

// ---- real files ----

static void cn_check_real_file(const char *path) {
    cn_problem *p = cn_check_read_file(path);
    assert_int_equal(p->kind, CN_PROBLEM_LCP);
    cn_check_round_trip(p, prob_text_problem_write);
    cn_problem_destroy(p);
}

CN_TEST(every_lcp_of_the_corpus_reads_and_reads_back) {
    cn_check_corpus("lcp", ".dat", cn_check_real_file);
}
