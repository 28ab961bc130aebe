// Problems and vectors as Matrix Market and NumPy files, and LCPs without numbers of storage.
#include "check.h"
#include "same_problem.h"

#include "base/memory.h"
#include "io/array.h"
#include "problem/files/arrays.h"

#include <cairn/problem.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cn_place {
    char folder[64];
} cn_place;

static cn_place place_enter(void) {
    cn_place place = {.folder = "/tmp/cairn-test-XXXXXX"};
    CN_CHECK_TRUE(mkdtemp(place.folder) && chdir(place.folder) == 0);
    return place;
}

static void place_leave(const cn_place *place) {
    char command[96];
    snprintf(command, sizeof command, "rm -r '%s'", place->folder);
    CN_CHECK_TRUE(chdir("/") == 0 && system(command) == 0);
}

static void file_put(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    CN_CHECK_TRUE(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool same_bytes(const char *a, const char *b) {
    char command[96];
    snprintf(command, sizeof command, "cmp -s %s %s", a, b);
    return system(command) == 0;
}

// Matrix Market keeps the structure; a dense file has no zeros to tell from what is not stored.
static void check_round_trip(const cn_problem *problem, const char *path) {
    cn_problem *again = NULL;
    cn_error error = {0};
    CN_CHECK_TRUE(cn_problem_write(problem, path, CN_FILE_AUTO, &error) == CN_OK);
    if (cn_problem_read(NULL, path, &again, &error) != CN_OK) {
        print_error("%s: %s\n", path, error.message);
        fail();
    }
    bool dense = strstr(path, ".npy") != NULL;
    const char *difference = dense ? NULL : cn_problem_difference(problem, again);
    if (dense) {
        CN_CHECK_TRUE(cn_problem_write(again, "again.npy", CN_FILE_AUTO, &error) == CN_OK);
        CN_CHECK_TRUE(same_bytes(path, "again.npy"));
        CN_CHECK_TRUE(same_bytes("p_q.npy", "again_q.npy"));
        CN_CHECK_TRUE(same_bytes("p_r.npy", "again_r.npy"));
    }
    if (difference) {
        print_error("%s: differs in %s\n", path, difference);
        fail();
    }
    cn_problem_destroy(again);
}

CN_TEST(problems_come_back_bitwise_from_arrays) {
    cn_place place = place_enter();
    cn_error error = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_planted_opts opts = cn_planted_opts_default();
        cn_problem *planted, *problem;
        opts.dim = dim;
        opts.contacts = 10;
        CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &planted, &error) == CN_OK);
        CN_CHECK_TRUE(cn_problem_write(planted, "g.mtx", CN_FILE_AUTO, &error) == CN_OK);
        CN_CHECK_TRUE(cn_problem_read(NULL, "g.mtx", &problem, &error) == CN_OK);
        check_round_trip(problem, "p.mtx");
        check_round_trip(problem, "p.npy");
        cn_problem_destroy(planted);
        cn_problem_destroy(problem);
    }
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *lcp;
    opts.contacts = 12;
    CN_CHECK_TRUE(cn_planted_lcp(NULL, &opts, &lcp, &error) == CN_OK);
    CN_CHECK_TRUE(remove("p_mu.mtx") == 0 && remove("p_mu.npy") == 0);
    check_round_trip(lcp, "p.mtx");
    check_round_trip(lcp, "p.npy");
    cn_problem_destroy(lcp);
    place_leave(&place);
}

// A problem of M and H is written as its W.
CN_TEST(global_problems_are_written_as_local_ones) {
    cn_place place = place_enter();
    cn_planted_opts opts = cn_planted_opts_default();
    cn_problem *problem, *again;
    cn_error error = {0};
    opts.contacts = 10;
    CN_CHECK_TRUE(cn_planted_friction(NULL, &opts, &problem, &error) == CN_OK);
    CN_CHECK_TRUE(problem->kind == CN_PROBLEM_FRICTION_GLOBAL);
    CN_CHECK_TRUE(cn_problem_write(problem, "g.npy", CN_FILE_AUTO, &error) == CN_OK);
    CN_CHECK_TRUE(cn_problem_read(NULL, "g.npy", &again, &error) == CN_OK);
    CN_CHECK_TRUE(again->kind == CN_PROBLEM_FRICTION && again->friction.contacts == 10);
    cn_grade grade;
    CN_CHECK_TRUE(cn_friction_grade(&again->friction, again->r, again->u, again->memory, &grade) ==
                  CN_OK);
    CN_CHECK_BELOW(grade.residual, 1e-12);
    cn_problem_destroy(again);
    cn_problem_destroy(problem);
    place_leave(&place);
}

static void check_refused(const char *path, const char *says) {
    cn_problem *problem;
    cn_error error = {0};
    char text[1400];
    CN_CHECK_TRUE(cn_problem_read(NULL, path, &problem, &error) == CN_ERR_INPUT && !problem);
    cn_error_format(&error, text, sizeof text);
    if (!strstr(text, says)) {
        print_error("\"%s\" is not in: %s\n", says, text);
        fail();
    }
}

CN_TEST(arrays_that_fit_no_problem_are_refused) {
    static const char banner[] = "%%MatrixMarket matrix array real general\n";
    char text[256];
    cn_place place = place_enter();
    snprintf(text, sizeof text, "%s2 2\n2 1 1 2\n", banner);
    file_put("a.mtx", text);
    check_refused("a.mtx", "a.mtx: a matrix alone is no problem: there is no file a_q.mtx");
    file_put("a_q.mtx", "-1 -1 -1\n");
    check_refused("a.mtx", "q has 3 numbers where 2 are needed");
    file_put("a_q.mtx", "-1 -1\n");
    file_put("a_mu.mtx", "0.5 0.5\n");
    check_refused("a.mtx", "2 rows and 2 coefficients of friction");
    file_put("a_mu.mtx", "0.5\n");
    file_put("a_r.mtx", "1 two\n");
    check_refused("a.mtx", "a_r.mtx:1:3: ");
    snprintf(text, sizeof text, "%s2 2\n2 1 1\n", banner);
    file_put("b.mtx", text);
    check_refused("b.mtx", "b.mtx:");
    snprintf(text, sizeof text, "%s2 1\n2 1\n", banner);
    file_put("b.mtx", text);
    file_put("b_q.mtx", "1 1\n");
    check_refused("b.mtx", "the matrix is 2 x 1, not square");
    place_leave(&place);
}

CN_TEST(symmetric_and_skew_files_are_whole_matrices) {
    static const char symmetric[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                                    "% a comment\n3 3 4\n1 1 4\n2 1 -1\n3 3 2\n2 2 5\n";
    static const char skew[] = "%%MatrixMarket matrix array real skew-symmetric\n2 2\n7\n";
    cn_arena *memory = cn_arena_create(NULL);
    cn_error error = {0};
    io_array a;
    CN_CHECK_TRUE(io_array_read("s", symmetric, strlen(symmetric), memory, &a, &error) == CN_OK);
    CN_CHECK_TRUE(a.rows == 3 && a.count == 5);
    CN_CHECK_TRUE(a.row[2] == 0 && a.column[2] == 1 && a.value[2] == -1.0);
    CN_CHECK_TRUE(io_array_read("s", skew, strlen(skew), memory, &a, &error) == CN_OK);
    CN_CHECK_TRUE(a.count == 2 && a.row[0] == 1 && a.value[0] == 7.0 && a.value[1] == -7.0);
    cn_arena_destroy(memory);
}

// As NumPy 1.24 writes numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], dtype="float32").
CN_TEST(numpy_arrays_by_columns_are_read) {
    char bytes[128 + 6 * sizeof(float)] = "\x93NUMPY\1";
    static const float values[6] = {1, 4, 2, 5, 3, 6};
    int length =
        snprintf(bytes + 10, 118, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }");
    memset(bytes + 10 + length, ' ', (size_t)(117 - length));
    bytes[127] = '\n';
    bytes[8] = 118;
    memcpy(bytes + 128, values, sizeof values);
    cn_arena *memory = cn_arena_create(NULL);
    cn_error error = {0};
    io_array a;
    CN_CHECK_TRUE(io_array_read("n", bytes, sizeof bytes, memory, &a, &error) == CN_OK);
    CN_CHECK_TRUE(a.rows == 2 && a.cols == 3 && a.count == 6);
    for (int64_t k = 0; k < 6; k++) {
        CN_CHECK_NEAR(a.value[k], 3 * a.row[k] + a.column[k] + 1, 0);
    }
    CN_CHECK_TRUE(io_array_read("n", bytes, sizeof bytes - 1, memory, &a, &error) == CN_ERR_INPUT);
    bytes[10 + 11] = '>'; // '<f4' becomes '>f4'
    CN_CHECK_TRUE(io_array_read("n", bytes, sizeof bytes, memory, &a, &error) ==
                  CN_ERR_UNSUPPORTED);
    CN_CHECK_TRUE(strstr(error.hint, "dtype='<f8'"));
    cn_arena_destroy(memory);
}

CN_TEST(lcps_need_no_numbers_of_storage) {
    static const char *const texts[] = {"2\n2 1\n0 2\n-1 -3\n", "2 2 1 0 2 -1 -3 # of a book\n",
                                        "1\n2\n-1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cn_problem *problem;
        cn_error error = {0};
        if (cn_problem_read_bytes(NULL, "p", texts[i], strlen(texts[i]), &problem, &error) !=
            CN_OK) {
            print_error("%s: %s\n", texts[i], error.message);
            fail();
        }
        const cn_lcp *p = &problem->lcp;
        CN_CHECK_TRUE(problem->kind == CN_PROBLEM_LCP && p->n == (i < 2 ? 2 : 1));
        if (i < 2) { // by rows
            CN_CHECK_TRUE(p->M.start[2] == 3 && p->M.column[1] == 1 && p->M.value[1] == 1.0);
            CN_CHECK_NEAR(p->q[1], -3, 0);
        }
        cn_problem_destroy(problem);
    }
}
