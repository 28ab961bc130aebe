// tests/file_checks.h
// What the tests of every problem file format ask of it.
#ifndef CAIRN_TESTS_FILE_CHECKS_H
#define CAIRN_TESTS_FILE_CHECKS_H

#include "check.h"
#include "failing_allocator.h"
#include "small_problems.h"

#include <dirent.h>
#include <strings.h>

typedef cn_status cn_write_fn(const cn_problem *problem, base_buffer *out, cn_error *error);

static inline cn_problem *cn_check_read(const cn_env *env, const void *bytes, size_t size) {
    cn_problem *p;
    cn_error error = {0};
    char text[1200];
    if (cn_problem_read_bytes(env, "input", bytes, size, &p, &error) != CN_OK) {
        print_error("%s\n", cn_error_format(&error, text, sizeof text));
        fail();
    }
    return p;
}

// The status, and an error with text that holds each of the words given.
static inline void cn_check_refused(const void *bytes, size_t size, cn_status status,
                                    const char *words) {
    cn_problem *p;
    cn_error error = {0};
    char text[1200];
    assert_int_equal(cn_problem_read_bytes(NULL, "input", bytes, size, &p, &error), status);
    CN_CHECK_TRUE(p == NULL && error.status == status);
    cn_error_format(&error, text, sizeof text);
    if (!strstr(text, words)) {
        print_error("got \"%s\", want \"%s\" in it\n", text, words);
        fail();
    }
}

// Written and read again: the same to the last bit.
static inline void cn_check_round_trip(const cn_problem *p, cn_write_fn *write) {
    base_buffer bytes;
    cn_error error;
    base_buffer_init(&bytes, NULL);
    assert_int_equal(write(p, &bytes, &error), CN_OK);
    cn_problem *again = cn_check_read(NULL, bytes.data, bytes.size);
    const char *difference = cn_problem_difference(p, again);
    if (difference) {
        print_error("not the same when read again: %s\n", difference);
        fail();
    }
    cn_problem_destroy(again);
    base_buffer_free(&bytes);
}

// Cut at many places, the file is refused or is a problem (a text may end early without harm).
static inline void cn_check_cuts(const cn_problem *p, cn_write_fn *write, size_t step,
                                 bool may_read) {
    base_buffer bytes;
    cn_error error;
    cn_problem *cut;
    base_buffer_init(&bytes, NULL);
    assert_int_equal(write(p, &bytes, &error), CN_OK);
    for (size_t size = 0; size < bytes.size; size += step) {
        // A copy of its own, so that a read behind the end is seen by the sanitizer.
        unsigned char *copy = malloc(size ? size : 1);
        memcpy(copy, bytes.data, size);
        cn_status status = cn_problem_read_bytes(NULL, "input", copy, size, &cut, &error);
        CN_CHECK_TRUE(status == CN_ERR_INPUT || (may_read && status == CN_OK));
        CN_CHECK_TRUE(status == CN_OK || error.message[0] != '\0');
        cn_problem_destroy(cut);
        free(copy);
    }
    base_buffer_free(&bytes);
}

// With bytes changed at random, the file is read or refused, and no memory is asked for that its
// size does not explain.
static inline void cn_check_damage(const cn_problem *p, cn_write_fn *write, int rounds) {
    base_buffer bytes;
    cn_error error;
    cn_problem *damaged;
    base_rng rng = base_rng_seed(1);
    base_buffer_init(&bytes, NULL);
    assert_int_equal(write(p, &bytes, &error), CN_OK);
    unsigned char *copy = malloc(bytes.size);
    for (int round = 0; round < rounds; round++) {
        memcpy(copy, bytes.data, bytes.size);
        for (int change = 0; change <= round % 4; change++) {
            size_t at = (size_t)base_rng_below(&rng, (int32_t)bytes.size);
            unsigned old = copy[at];
            copy[at] = (unsigned char)(round % 2 ? base_rng_next(&rng)
                                                 : old ^ 1u << base_rng_below(&rng, 8));
        }
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, 0);
        cn_status status = cn_problem_read_bytes(&env, "input", copy, bytes.size, &damaged, &error);
        CN_CHECK_TRUE(status == CN_OK || status == CN_ERR_INPUT || status == CN_ERR_UNSUPPORTED);
        CN_CHECK_BELOW((double)memory.largest, 64.0 * (double)bytes.size + 1e6);
        cn_problem_destroy(damaged);
        assert_int_equal(memory.live, 0);
    }
    free(copy);
    base_buffer_free(&bytes);
}

// Every allocation of a read fails in turn: an error, and nothing left behind.
static inline void cn_check_memory_failures(const cn_problem *p, cn_write_fn *write) {
    base_buffer bytes;
    cn_error error;
    cn_problem *read;
    base_buffer_init(&bytes, NULL);
    assert_int_equal(write(p, &bytes, &error), CN_OK);
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        cn_status status =
            cn_problem_read_bytes(&env, "input", bytes.data, bytes.size, &read, &error);
        if (!memory.failed) {
            assert_int_equal(status, CN_OK);
            cn_problem_destroy(read);
            assert_int_equal(memory.live, 0);
            CN_CHECK_TRUE(k > 3); // the loop did meet allocations
            break;
        }
        assert_int_equal(status, CN_ERR_MEMORY);
        CN_CHECK_TRUE(read == NULL);
        assert_int_equal(memory.live, 0);
    }
    // And of a write.
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        base_buffer out;
        base_buffer_init(&out, &env);
        cn_status status = write(p, &out, &error);
        base_buffer_free(&out);
        assert_int_equal(memory.live, 0);
        assert_int_equal(status, memory.failed ? CN_ERR_MEMORY : CN_OK);
        if (!memory.failed) {
            break;
        }
    }
    base_buffer_free(&bytes);
}

// Calls check for every file in a folder of the corpus whose name has the ending.
static inline void cn_check_corpus(const char *folder, const char *ending,
                                   void (*check)(const char *path)) {
    const char *corpus = getenv("CAIRN_CORPUS");
    if (!corpus || !corpus[0]) {
        CN_SKIP("CAIRN_CORPUS is not set");
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", corpus, folder);
    DIR *entries = opendir(path);
    CN_CHECK_TRUE(entries != NULL);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name);
        if (length > strlen(ending) &&
            strcasecmp(entry->d_name + length - strlen(ending), ending) == 0) {
            snprintf(path, sizeof path, "%s/%s/%s", corpus, folder, entry->d_name);
            check(path);
            count++;
        }
    }
    closedir(entries);
    CN_CHECK_TRUE(count > 0);
}

static inline cn_problem *cn_check_read_file(const char *path) {
    cn_problem *p;
    cn_error error = {0};
    char text[1200];
    if (cn_problem_read(NULL, path, &p, &error) != CN_OK) {
        print_error("%s\n", cn_error_format(&error, text, sizeof text));
        fail();
    }
    return p;
}

// A file with this ending is written, found to be of this format and read again; p is destroyed.
static inline void cn_check_by_name(cn_problem *p, const char *ending, const char *format) {
    cn_error error;
    char path[64];
    cn_small_path(path, ending);
    assert_int_equal(cn_problem_write(p, path, CN_FILE_AUTO, &error), CN_OK);
    cn_problem *again = cn_check_read_file(path);
    CN_CHECK_TRUE(cn_problem_difference(p, again) == NULL);
    assert_string_equal(again->format, format);
    unlink(path);
    cn_problem_destroy(again);
    cn_problem_destroy(p);
}

#endif
