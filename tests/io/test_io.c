// The io room: words and numbers of text files, whole files.
#include "check.h"

#include "base/rng.h"
#include "io/file.h"
#include "io/text.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static io_text_reader cn_reader_of(const char *text, cn_error *error) {
    io_text_reader reader;
    CN_CHECK_TRUE(io_text_open(&reader, "text", text, strlen(text), error));
    return reader;
}

CN_TEST(words_know_their_line_and_column) {
    cn_error error;
    const char *word;
    size_t length;
    char text[200];
    io_text_reader reader = cn_reader_of("one\n  two\r\n\n   three", &error);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(io_text_word(&reader, "a word", &word, &length), CN_OK);
    }
    io_text_fail(&reader, CN_ERR_INPUT, "here");
    assert_string_equal(cn_error_format(&error, text, sizeof text), "text:4:4: here");
    assert_int_equal(io_text_word(&reader, "a fourth", &word, &length), CN_ERR_INPUT);
    assert_string_equal(
        cn_error_format(&error, text, sizeof text),
        "text:4:9: the file ends where a fourth should be; the file may be cut short");
    io_text_close(&reader);
}

CN_TEST(integers_are_strict) {
    const struct {
        const char *text;
        cn_status status;
        int64_t value;
    } cases[] = {{"12", CN_OK, 12},
                 {"-12", CN_OK, -12},
                 {"+7", CN_OK, 7},
                 {"007", CN_OK, 7},
                 {"101", CN_ERR_INPUT, 0}, // outside
                 {"99999999999999999999999", CN_ERR_INPUT, 0},
                 {"-99999999999999999999999", CN_ERR_INPUT, 0},
                 {"9223372036854775808", CN_ERR_INPUT, 0},
                 {"3.0", CN_ERR_INPUT, 0},
                 {"0x3", CN_ERR_INPUT, 0},
                 {"-", CN_ERR_INPUT, 0},
                 {"3a", CN_ERR_INPUT, 0},
                 {"", CN_ERR_INPUT, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cn_error error;
        int64_t value = 0;
        io_text_reader reader = cn_reader_of(cases[i].text, &error);
        assert_int_equal(io_text_int(&reader, "a number", -100, 100, &value), cases[i].status);
        assert_int_equal(value, cases[i].value);
        io_text_close(&reader);
    }
}

CN_TEST(reals_are_strict_and_finite) {
    const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1.0},      {"-1.5e-3", -1.5e-3}, {"+.5", 0.5},
                {"2.", 2.0},     {"1E2", 100.0},       {"1e+02", 100.0},
                {"1e-400", 0.0}, {"-0", -0.0},         {"5e-324", 5e-324}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cn_error error;
        double value = 77.0;
        io_text_reader reader = cn_reader_of(good[i].text, &error);
        assert_int_equal(io_text_real(&reader, "a number", &value), CN_OK);
        CN_CHECK_TRUE(memcmp(&value, &good[i].value, sizeof value) == 0);
        io_text_close(&reader);
    }
    const char *bad[] = {"nan", "inf", "-inf", "0x1p3", "1e999", ".",     "e5", "1e",
                         "--1", "1,5", "1d3",  "1e+",   "abc",   "1.5.2", "-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cn_error error;
        double value;
        io_text_reader reader = cn_reader_of(bad[i], &error);
        assert_int_equal(io_text_real(&reader, "a number", &value), CN_ERR_INPUT);
        io_text_close(&reader);
    }
}

CN_TEST(a_wrong_word_is_shown_short_and_printable) {
    cn_error error;
    double value;
    io_text_reader reader = cn_reader_of("\x01\xff"
                                         "abcdefghijklmnopqrstuvwxyz",
                                         &error);
    assert_int_equal(io_text_real(&reader, "mu", &value), CN_ERR_INPUT);
    assert_string_equal(error.message, "mu should be a finite number, not '"
                                       "??abcdefghijklmnopqrstuv...'");
    io_text_close(&reader);
}

CN_TEST(numbers_read_back_to_the_same_bits) {
    base_rng rng = base_rng_seed(3);
    base_buffer text;
    io_text_writer writer;
    cn_error error;
    enum { COUNT = 20000 };
    static double x[COUNT];
    base_buffer_init(&text, NULL);
    io_text_begin(&writer, &text);
    for (int i = 0; i < COUNT; i++) {
        // Any finite bits: all magnitudes, subnormal numbers too.
        do {
            uint64_t bits = base_rng_next(&rng);
            memcpy(&x[i], &bits, sizeof bits);
        } while (!isfinite(x[i]));
        io_text_put_real(&writer, x[i], i % 7 ? ' ' : '\n');
    }
    CN_CHECK_TRUE(io_text_end(&writer));
    io_text_reader reader;
    CN_CHECK_TRUE(io_text_open(&reader, "text", text.data, text.size, &error));
    for (int i = 0; i < COUNT; i++) {
        double y;
        assert_int_equal(io_text_real(&reader, "a number", &y), CN_OK);
        CN_CHECK_TRUE(memcmp(&x[i], &y, sizeof y) == 0);
    }
    io_text_close(&reader);
    base_buffer_free(&text);
}

CN_TEST(numbers_do_not_follow_the_locale) {
    const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++) {
        set = setlocale(LC_ALL, names[i]);
    }
    if (!set) {
        CN_SKIP("no locale with a decimal comma is installed");
    }
    cn_error error;
    double value = 0.0;
    base_buffer text;
    io_text_writer writer;
    io_text_reader reader = cn_reader_of("1.5", &error);
    cn_status status = io_text_real(&reader, "a number", &value);
    io_text_close(&reader);
    base_buffer_init(&text, NULL);
    io_text_begin(&writer, &text);
    io_text_put_real(&writer, 2.5, '\0');
    CN_CHECK_TRUE(io_text_end(&writer));
    setlocale(LC_ALL, "C");
    assert_int_equal(status, CN_OK);
    CN_CHECK_NEAR(value, 1.5, 0.0);
    assert_string_equal((const char *)text.data, "2.5");
    base_buffer_free(&text);
}

CN_TEST(a_count_that_the_text_cannot_hold_is_refused) {
    cn_error error;
    io_text_reader reader = cn_reader_of("1 2 3", &error);
    assert_int_equal(io_text_room(&reader, "a number", 3), CN_OK);
    assert_int_equal(io_text_room(&reader, "a number", 4), CN_ERR_INPUT);
    assert_int_equal(io_text_room(&reader, "a number", -1), CN_ERR_INPUT);
    assert_int_equal(io_text_room(&reader, "a number", INT64_MAX), CN_ERR_INPUT);
    io_text_close(&reader);
}

// ---- whole files ----

static const char *cn_own_path(char path[64]) {
    snprintf(path, 64, "cairn-test-io-%ld", (long)getpid());
    return path;
}

static void cn_check_content(const char *path, const char *text) {
    base_buffer bytes;
    cn_error error;
    base_buffer_init(&bytes, NULL);
    assert_int_equal(io_file_read(path, &bytes, &error), CN_OK);
    assert_int_equal(bytes.size, strlen(text));
    CN_CHECK_TRUE(memcmp(bytes.data, text, bytes.size) == 0);
    base_buffer_free(&bytes);
}

CN_TEST(a_written_file_replaces_the_old_one) {
    char path[64];
    cn_error error;
    cn_own_path(path);
    assert_int_equal(io_file_write(path, "old", 3, &error), CN_OK);
    assert_int_equal(io_file_write(path, "newer", 5, &error), CN_OK);
    cn_check_content(path, "newer");
    unlink(path);
}

CN_TEST(a_failed_write_leaves_the_old_file) {
    char path[64];
    cn_error error;
    static char large[100000];
    cn_own_path(path);
    assert_int_equal(io_file_write(path, "old", 3, &error), CN_OK);
    // As a full disk: files may not grow over 1000 bytes.
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    cn_status status = io_file_write(path, large, sizeof large, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, CN_ERR_IO);
    assert_string_equal(error.file, path);
    cn_check_content(path, "old");
    char part[128];
    snprintf(part, sizeof part, "%s.%ld-0.part", path, (long)getpid());
    CN_CHECK_TRUE(access(part, F_OK) != 0); // nothing left beside it
    unlink(path);
}

CN_TEST(a_pipe_is_written_to_and_stays_a_pipe) {
    char path[64];
    char got[8] = "";
    cn_error error;
    struct stat now;
    cn_own_path(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    CN_CHECK_TRUE(reader >= 0);
    assert_int_equal(io_file_write(path, "bytes", 5, &error), CN_OK);
    assert_int_equal(read(reader, got, sizeof got), 5);
    assert_string_equal(got, "bytes");
    assert_int_equal(stat(path, &now), 0);
    CN_CHECK_TRUE(S_ISFIFO(now.st_mode));
    close(reader);
    unlink(path);
}

CN_TEST(files_that_cannot_be_opened_say_which_and_why) {
    base_buffer bytes;
    cn_error error;
    char text[1200];
    base_buffer_init(&bytes, NULL);
    assert_int_equal(io_file_read("no-such-file", &bytes, &error), CN_ERR_IO);
    assert_string_equal(cn_error_format(&error, text, sizeof text),
                        "no-such-file: cannot open: No such file or directory");
    assert_int_equal(io_file_read(".", &bytes, &error), CN_ERR_IO);
    assert_int_equal(io_file_write("no-such-folder/file", "x", 1, &error), CN_ERR_IO);
    assert_string_equal(error.file, "no-such-folder/file");
    base_buffer_free(&bytes);
}
