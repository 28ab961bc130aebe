// The base room: arena, buffers, errors, generator.
#include "check.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"

#include <string.h>

CN_TEST(arena_pieces_are_aligned_and_apart) {
    cn_arena *arena = cn_arena_create(NULL);
    unsigned char *a = BASE_TAKE_ZERO(arena, unsigned char, 3);
    unsigned char *b = BASE_TAKE_ZERO(arena, unsigned char, 100000);
    CN_CHECK_TRUE((uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0);
    memset(a, 1, 3);
    for (int i = 0; i < 100000; i++) {
        CN_CHECK_TRUE(b[i] == 0);
    }
    cn_arena_destroy(arena);
}

CN_TEST(checksums_are_the_same_on_every_processor_and_in_any_parts) {
    enum { most = 5000 };
    // Of no bytes, as the specification of XXH3 has it.
    CN_CHECK_TRUE(base_hash_parts(NULL, 0) == UINT64_C(0x2d06800538d394c2));
    base_hash_fn *const fn[] = {base_hash_parts, base_hash_parts_avx2(), base_hash_parts_avx512()};
    unsigned char bytes[most + 1];
    for (int i = 0; i <= most; i++) {
        bytes[i] = (unsigned char)(i * i / 7 + i);
    }
    for (size_t size = 1; size <= most; size += size / 9 + 1) {
        const base_hash_part whole = {bytes, size};
        uint64_t want = base_hash_parts_portable()(&whole, 1);
        for (size_t cut = 0; cut <= size; cut += size / 5 + 1) {
            const base_hash_part parts[] = {{bytes, cut}, {NULL, 0}, {bytes + cut, size - cut}};
            for (int i = 0; i < 3; i++) {
                CN_CHECK_TRUE(!fn[i] || fn[i](parts, 3) == want);
            }
        }
        bytes[size / 2] ^= 1;
        CN_CHECK_TRUE(base_hash_parts(&whole, 1) != want);
        bytes[size / 2] ^= 1;
    }
}

CN_TEST(arena_release_reuses_memory) {
    cn_arena *arena = cn_arena_create(NULL);
    base_arena_mark mark = base_arena_get_mark(arena);
    void *first = BASE_TAKE(arena, double, 1000);
    CN_CHECK_TRUE(BASE_TAKE(arena, double, 2000) != NULL);
    base_arena_release(arena, mark);
    CN_CHECK_TRUE(BASE_TAKE(arena, double, 1000) == first);
    cn_arena_destroy(arena);
}

CN_TEST(an_emptied_arena_is_one_piece) {
    enum { n = 100000 };
    cn_arena *arena = cn_arena_create(NULL);
    base_arena_mark mark = base_arena_get_mark(arena);
    for (int round = 0; round < 3; round++) {
        unsigned char *before = BASE_TAKE_ZERO(arena, unsigned char, n / 2);
        for (int i = 0; i < 20; i++) {
            unsigned char *piece = BASE_TAKE_ZERO(arena, unsigned char, n);
            CN_CHECK_TRUE(round == 0 || (piece > before && piece < before + n + 64));
            before = piece;
        }
        base_arena_release(arena, mark);
    }
    cn_arena_destroy(arena);
}

CN_TEST(texts_lie_close) {
    cn_arena *arena = cn_arena_create(NULL);
    const char *a = base_arena_text(arena, "stone", 5), *b = base_arena_text(arena, "wood", 4);
    CN_CHECK_TRUE(b == a + 6 && strcmp(a, "stone") == 0 && strcmp(b, "wood") == 0);
    CN_CHECK_TRUE((uintptr_t)BASE_TAKE(arena, double, 1) % 64 == 0);
    cn_arena_destroy(arena);
}

CN_TEST(arena_refuses_sizes_that_overflow) {
    cn_arena *arena = cn_arena_create(NULL);
    CN_CHECK_TRUE(BASE_TAKE(arena, double, INT64_MAX) == NULL);
    CN_CHECK_TRUE(base_arena_take(arena, -1, 8) == NULL);
    cn_arena_destroy(arena);
}

CN_TEST(error_text_has_place_message_and_hint) {
    cn_error error;
    char text[256];
    CN_CHECK_TRUE(base_fail(&error, CN_ERR_INPUT, "mu is %g", -1.0) == CN_ERR_INPUT);
    base_fail_hint(&error, "use mu >= 0");
    base_fail_at(&error, "a.dat", 3, 7);
    assert_string_equal(cn_error_format(&error, text, sizeof text),
                        "a.dat:3:7: mu is -1; use mu >= 0");
}

CN_TEST(error_text_stays_on_one_line) {
    cn_error error;
    base_fail(&error, CN_ERR_INPUT, "no key \"%s\"", "a\nb\x1b[0m");
    base_fail_hint(&error, "try %s", "c\td");
    assert_string_equal(error.message, "no key \"a?b?[0m\"");
    assert_string_equal(error.hint, "try c?d");
}

CN_TEST(nearest_name_finds_a_typo_and_no_stranger) {
    const char *const names[] = {"nsgs", "lemke", "extra-gradient"};
    assert_string_equal(cn_nearest_name("lemk", names, 3), "lemke");
    assert_string_equal(cn_nearest_name("extragradient", names, 3), "extra-gradient");
    CN_CHECK_TRUE(cn_nearest_name("banana", names, 3) == NULL);
}

CN_TEST(generator_is_the_published_one_and_uniform) {
    base_rng rng = {{1, 2, 3, 4}};
    CN_CHECK_TRUE(base_rng_next(&rng) ==
                  11520); // first output of xoshiro256** from state 1, 2, 3, 4
    rng = base_rng_seed(7);
    double mean = 0.0;
    for (int i = 0; i < 100000; i++) {
        mean += base_rng_uniform(&rng, -1.0, 1.0) / 100000;
    }
    CN_CHECK_NEAR(mean, 0.0, 0.01); // five standard deviations of the mean
}

CN_TEST(status_texts_are_complete) {
    for (int s = 0; s < CN_STATUS_COUNT; s++) {
        CN_CHECK_TRUE(strlen(cn_status_text((cn_status)s)) > 0);
    }
}
