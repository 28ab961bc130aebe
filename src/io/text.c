// io/text.c
// Words and numbers between white space.
//
// Numbers go through strtod and snprintf, which round correctly but follow the program's locale
// (LC_NUMERIC); uselocale switches this thread to "C" for the call alone. What strtod would accept
// beyond plain decimal numbers (hexadecimal, nan, inf) is refused before it sees the word.
#include "io/text.h"

#include "base/error.h"
#include "io/number.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 400 // bytes; the longest double printed in full has 327
#define SHOWN_MAX 24   // bytes of a wrong word shown in an error

bool io_text_open(io_text_reader *reader, const char *name, const void *bytes, size_t size,
                  cn_error *error) {
    *reader =
        (io_text_reader){.name = name, .bytes = bytes, .size = size, .line = 1, .error = error};
    reader->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return reader->locale != NULL;
}

void io_text_close(io_text_reader *reader) {
    if (reader->locale) {
        freelocale(reader->locale);
        reader->locale = NULL;
    }
}

cn_status io_text_fail(io_text_reader *reader, cn_status status, const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    int64_t column = (int64_t)(reader->word - reader->line_start) + 1;
    base_fail(reader->error, status, "%s", message);
    base_fail_at(reader->error, reader->name,
                 reader->line < INT32_MAX ? (int32_t)reader->line : INT32_MAX,
                 column < INT32_MAX ? (int32_t)column : INT32_MAX);
    return status;
}

static bool is_space(const io_text_reader *reader, size_t at) {
    char c = reader->bytes[at];
    return c == ' ' || (c >= '\t' && c <= '\r') || (c == ',' && reader->commas);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Moves to the next word or to the end, counting lines; word and at are then the same place.
static void text_skip_space(io_text_reader *reader) {
    while (reader->at < reader->size && is_space(reader, reader->at)) {
        if (reader->bytes[reader->at] == '\n') {
            reader->line++;
            reader->line_start = reader->at + 1;
        }
        reader->at++;
    }
    reader->word = reader->at;
}

bool io_text_peek(io_text_reader *reader, const char **word, size_t *length) {
    text_skip_space(reader);
    size_t end = reader->at;
    while (end < reader->size && !is_space(reader, end)) {
        end++;
    }
    *word = reader->bytes + reader->at;
    *length = end - reader->at;
    return *length > 0;
}

cn_status io_text_word(io_text_reader *reader, const char *what, const char **word,
                       size_t *length) {
    if (!io_text_peek(reader, word, length)) {
        cn_status status =
            io_text_fail(reader, CN_ERR_INPUT, "the file ends where %s should be", what);
        base_fail_hint(reader->error, "the file may be cut short");
        return status;
    }
    reader->at += *length;
    return CN_OK;
}

// The word as an error may show it: short, and printable whatever bytes it has.
static const char *text_shown(const char *word, size_t length, char shown[SHOWN_MAX + 4]) {
    size_t count = length < SHOWN_MAX ? length : SHOWN_MAX;
    for (size_t i = 0; i < count; i++) {
        shown[i] = word[i];
        if (word[i] < ' ' || word[i] > '~') {
            shown[i] = '?';
        }
    }
    memcpy(shown + count, length > count ? "..." : "", length > count ? 4 : 1);
    return shown;
}

static cn_status text_wrong(io_text_reader *reader, const char *kind, const char *what,
                            const char *word, size_t length) {
    char shown[SHOWN_MAX + 4];
    return io_text_fail(reader, CN_ERR_INPUT, "%s should be %s, not '%s'", what, kind,
                        text_shown(word, length, shown));
}

cn_status io_text_int(io_text_reader *reader, const char *what, int64_t low, int64_t high,
                      int64_t *value) {
    const char *word;
    size_t length;
    CN_TRY(io_text_word(reader, what, &word, &length));
    bool negative = word[0] == '-';
    size_t i = negative || word[0] == '+' ? 1 : 0;
    bool sound = i < length;
    int64_t magnitude = 0;
    for (; i < length && sound; i++) {
        sound = is_digit(word[i]);
        // Too large numbers stay at the top, where the range check below meets them.
        if (sound) {
            magnitude = magnitude > (INT64_MAX - 9) / 10 ? INT64_MAX : magnitude * 10;
            magnitude += magnitude == INT64_MAX ? 0 : word[i] - '0';
        }
    }
    if (!sound) {
        return text_wrong(reader, "an integer", what, word, length);
    }
    int64_t number = negative ? -magnitude : magnitude;
    if (number < low || number > high) {
        char shown[SHOWN_MAX + 4];
        return io_text_fail(reader, CN_ERR_INPUT, "%s is %s, outside %lld .. %lld", what,
                            text_shown(word, length, shown), (long long)low, (long long)high);
    }
    *value = number;
    return CN_OK;
}

cn_status io_text_real(io_text_reader *reader, const char *what, double *value) {
    const char *word;
    size_t length;
    CN_TRY(io_text_word(reader, what, &word, &length));
    if (length > NUMBER_MAX || !io_number_is_decimal(word, length)) {
        return text_wrong(reader, "a finite number", what, word, length);
    }
    char copy[NUMBER_MAX + 1];
    memcpy(copy, word, length);
    copy[length] = '\0';
    locale_t before = uselocale(reader->locale);
    *value = strtod(copy, NULL);
    uselocale(before);
    if (!isfinite(*value)) {
        return text_wrong(reader, "a finite number", what, word, length);
    }
    return CN_OK;
}

bool io_text_next_is(io_text_reader *reader, const char *word) {
    const char *next;
    size_t length;
    return io_text_peek(reader, &next, &length) && length == strlen(word) &&
           memcmp(next, word, length) == 0;
}

cn_status io_text_expect(io_text_reader *reader, const char *word) {
    char kind[64];
    const char *next;
    size_t length;
    snprintf(kind, sizeof kind, "'%s'", word);
    bool right = io_text_next_is(reader, word);
    cn_status status = io_text_word(reader, kind, &next, &length);
    return status == CN_OK && !right ? text_wrong(reader, kind, "this word", next, length) : status;
}

void io_text_skip_line(io_text_reader *reader) {
    while (reader->at < reader->size && reader->bytes[reader->at] != '\n') {
        reader->at++;
    }
    if (reader->at < reader->size) {
        reader->at++;
        reader->line++;
        reader->line_start = reader->at;
    }
    reader->word = reader->at;
}

cn_status io_text_room(io_text_reader *reader, const char *what, int64_t count) {
    // A word and the white space behind it take two bytes, the last word of a file one.
    size_t words = (reader->size - reader->at + 1) / 2;
    if (count < 0 || (uint64_t)count > words) {
        cn_status status =
            io_text_fail(reader, CN_ERR_INPUT, "the file is too short for %lld numbers, each %s",
                         (long long)count, what);
        base_fail_hint(reader->error, "a size above may be wrong, or the file cut short");
        return status;
    }
    return CN_OK;
}

void io_text_begin(io_text_writer *writer, base_buffer *out) {
    *writer = (io_text_writer){.out = out};
    writer->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    writer->failed = writer->locale == NULL;
}

bool io_text_end(io_text_writer *writer) {
    if (writer->locale) {
        freelocale(writer->locale);
    }
    return !writer->failed;
}

void io_text_print(io_text_writer *writer, const char *format, ...) {
    if (writer->failed) {
        return;
    }
    char text[256];
    va_list args;
    va_start(args, format);
    locale_t before = uselocale(writer->locale);
    int length = vsnprintf(text, sizeof text, format, args);
    uselocale(before);
    va_end(args);
    writer->failed = length < 0 || (size_t)length >= sizeof text ||
                     !base_buffer_append(writer->out, text, (size_t)length);
}

void io_text_put(io_text_writer *writer, const char *text) {
    writer->failed = writer->failed || !base_buffer_append(writer->out, text, strlen(text));
}

void io_text_put_real(io_text_writer *writer, double value, char separator) {
    io_text_print(writer, "%.17g%c", value, separator);
}
