// NumPy and Matrix Market files, and columns of numbers: any bytes give an array or an error with
// text; an array is in its size, and what is written of it reads back bitwise identical.
#include "fuzz_problem.h"

#include "io/array.h"

#include <cairn/problem.h>

static void check_array(const io_array *a) {
    for (int64_t k = 0; k < a->count; k++) {
        CN_FUZZ_REQUIRE(a->row[k] >= 0 && a->row[k] < a->rows);
        CN_FUZZ_REQUIRE(a->column[k] >= 0 && a->column[k] < a->cols);
    }
}

static void check_again(const io_array *a, cn_arena *memory) {
    base_buffer bytes;
    io_array again;
    cn_error error = {0};
    base_buffer_init(&bytes, NULL);
    CN_FUZZ_REQUIRE(io_mtx_write(&bytes, a, &error) == CN_OK);
    CN_FUZZ_REQUIRE(io_array_read("again", bytes.data, bytes.size, memory, &again, &error) ==
                    CN_OK);
    CN_FUZZ_REQUIRE(again.rows == a->rows && again.cols == a->cols && again.count == a->count);
    for (int64_t k = 0; k < a->count; k++) {
        CN_FUZZ_REQUIRE(again.row[k] == a->row[k] && again.column[k] == a->column[k] &&
                        memcmp(&again.value[k], &a->value[k], sizeof a->value[k]) == 0);
    }
    base_buffer_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_error error = {0};
    io_array a;
    cn_status status = io_array_read("input", data, size, memory, &a, &error);
    if (status == CN_OK) {
        check_array(&a);
        check_again(&a, memory);
    } else {
        CN_FUZZ_REQUIRE(error.status == status && error.message[0]);
        CN_FUZZ_REQUIRE(!strchr(error.message, '\n'));
    }
    // The matrix alone is refused, whatever it is.
    cn_problem *problem;
    cn_problem_read_bytes(NULL, "/nowhere/input.mtx", data, size, &problem, &error);
    cn_problem_destroy(problem);
    cn_arena_destroy(memory);
    return 0;
}
