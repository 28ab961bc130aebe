// tests/fuzz/fuzz_problem.h
// What every problem reader must stand: any bytes give a problem or an error with text; a problem
// is valid, and what is written of it reads back the same.
#ifndef CAIRN_TESTS_FUZZ_PROBLEM_H
#define CAIRN_TESTS_FUZZ_PROBLEM_H

#include "same_problem.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define CN_FUZZ_REQUIRE(condition)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef cn_status cn_fuzz_write_fn(const cn_problem *problem, base_buffer *out, cn_error *error);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void cn_fuzz_problem(const uint8_t *data, size_t size, cn_fuzz_write_fn *write) {
    cn_problem *problem;
    cn_problem *again;
    cn_error error;
    base_buffer bytes;
    cn_status status = cn_problem_read_bytes(NULL, "input", data, size, &problem, &error);
    if (status != CN_OK) {
        CN_FUZZ_REQUIRE(!problem && error.status == status && error.message[0]);
        CN_FUZZ_REQUIRE(!strchr(error.message, '\n') && strcmp(error.file, "input") == 0);
        return;
    }
    CN_FUZZ_REQUIRE(cn_problem_validate(problem, &error) == CN_OK);
    base_buffer_init(&bytes, NULL);
    CN_FUZZ_REQUIRE(write(problem, &bytes, &error) == CN_OK);
    status = cn_problem_read_bytes(NULL, "again", bytes.data, bytes.size, &again, &error);
    CN_FUZZ_REQUIRE(status == CN_OK);
    CN_FUZZ_REQUIRE(cn_problem_difference(problem, again) == NULL);
    base_buffer_free(&bytes);
    cn_problem_destroy(again);
    cn_problem_destroy(problem);
}

#endif
