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

#define CN_NUMBER_MAX 400 // bytes; the longest double printed in full has 327
#define CN_SHOWN_MAX 24   // bytes of a wrong word shown in an error

bool cn_text_open(cn_text_reader *reader, const char *name, const void *bytes, size_t size,
                  cn_error *error) {
    *reader =
        (cn_text_reader){.name = name, .bytes = bytes, .size = size, .line = 1, .error = error};
    reader->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return reader->locale != NULL;
}

void cn_text_close(cn_text_reader *reader) {
    if (reader->locale) {
        freelocale(reader->locale);
        reader->locale = NULL;
    }
}

cn_status cn_text_fail(cn_text_reader *reader, cn_status status, const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    int64_t column = (int64_t)(reader->word - reader->line_start) + 1;
    cn_fail(reader->error, status, "%s", message);
    cn_fail_at(reader->error, reader->name,
               reader->line < INT32_MAX ? (int32_t)reader->line : INT32_MAX,
               column < INT32_MAX ? (int32_t)column : INT32_MAX);
    return status;
}

static bool cn_is_space(const cn_text_reader *reader, size_t at) {
    char c = reader->bytes[at];
    return c == ' ' || (c >= '\t' && c <= '\r') || (c == ',' && reader->commas);
}

static bool cn_is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Moves to the next word or to the end, counting lines; word and at are then the same place.
static void cn_text_skip_space(cn_text_reader *reader) {
    while (reader->at < reader->size && cn_is_space(reader, reader->at)) {
        if (reader->bytes[reader->at] == '\n') {
            reader->line++;
            reader->line_start = reader->at + 1;
        }
        reader->at++;
    }
    reader->word = reader->at;
}

bool cn_text_peek(cn_text_reader *reader, const char **word, size_t *length) {
    cn_text_skip_space(reader);
    size_t end = reader->at;
    while (end < reader->size && !cn_is_space(reader, end)) {
        end++;
    }
    *word = reader->bytes + reader->at;
    *length = end - reader->at;
    return *length > 0;
}

cn_status cn_text_word(cn_text_reader *reader, const char *what, const char **word,
                       size_t *length) {
    if (!cn_text_peek(reader, word, length)) {
        cn_status status =
            cn_text_fail(reader, CN_ERR_INPUT, "the file ends where %s should be", what);
        cn_fail_hint(reader->error, "the file may be cut short");
        return status;
    }
    reader->at += *length;
    return CN_OK;
}

// The word as an error may show it: short, and printable whatever bytes it has.
static const char *cn_text_shown(const char *word, size_t length, char shown[CN_SHOWN_MAX + 4]) {
    size_t count = length < CN_SHOWN_MAX ? length : CN_SHOWN_MAX;
    for (size_t i = 0; i < count; i++) {
        shown[i] = word[i];
        if (word[i] < ' ' || word[i] > '~') {
            shown[i] = '?';
        }
    }
    memcpy(shown + count, length > count ? "..." : "", length > count ? 4 : 1);
    return shown;
}

static cn_status cn_text_wrong(cn_text_reader *reader, const char *kind, const char *what,
                               const char *word, size_t length) {
    char shown[CN_SHOWN_MAX + 4];
    return cn_text_fail(reader, CN_ERR_INPUT, "%s should be %s, not '%s'", what, kind,
                        cn_text_shown(word, length, shown));
}

cn_status cn_text_int(cn_text_reader *reader, const char *what, int64_t low, int64_t high,
                      int64_t *value) {
    const char *word;
    size_t length;
    cn_status status = cn_text_word(reader, what, &word, &length);
    if (status != CN_OK) {
        return status;
    }
    bool negative = word[0] == '-';
    size_t i = negative || word[0] == '+' ? 1 : 0;
    bool sound = i < length;
    int64_t magnitude = 0;
    for (; i < length && sound; i++) {
        sound = cn_is_digit(word[i]);
        // Too large numbers stay at the top, where the range check below meets them.
        if (sound) {
            magnitude = magnitude > (INT64_MAX - 9) / 10 ? INT64_MAX : magnitude * 10;
            magnitude += magnitude == INT64_MAX ? 0 : word[i] - '0';
        }
    }
    if (!sound) {
        return cn_text_wrong(reader, "an integer", what, word, length);
    }
    int64_t number = negative ? -magnitude : magnitude;
    if (number < low || number > high) {
        char shown[CN_SHOWN_MAX + 4];
        return cn_text_fail(reader, CN_ERR_INPUT, "%s is %s, outside %lld .. %lld", what,
                            cn_text_shown(word, length, shown), (long long)low, (long long)high);
    }
    *value = number;
    return CN_OK;
}

cn_status cn_text_real(cn_text_reader *reader, const char *what, double *value) {
    const char *word;
    size_t length;
    cn_status status = cn_text_word(reader, what, &word, &length);
    if (status != CN_OK) {
        return status;
    }
    if (length > CN_NUMBER_MAX || !cn_number_is_decimal(word, length)) {
        return cn_text_wrong(reader, "a finite number", what, word, length);
    }
    char copy[CN_NUMBER_MAX + 1];
    memcpy(copy, word, length);
    copy[length] = '\0';
    locale_t before = uselocale(reader->locale);
    *value = strtod(copy, NULL);
    uselocale(before);
    if (!isfinite(*value)) {
        return cn_text_wrong(reader, "a finite number", what, word, length);
    }
    return CN_OK;
}

bool cn_text_next_is(cn_text_reader *reader, const char *word) {
    const char *next;
    size_t length;
    return cn_text_peek(reader, &next, &length) && length == strlen(word) &&
           memcmp(next, word, length) == 0;
}

cn_status cn_text_expect(cn_text_reader *reader, const char *word) {
    char kind[64];
    const char *next;
    size_t length;
    snprintf(kind, sizeof kind, "'%s'", word);
    bool right = cn_text_next_is(reader, word);
    cn_status status = cn_text_word(reader, kind, &next, &length);
    return status == CN_OK && !right ? cn_text_wrong(reader, kind, "this word", next, length)
                                     : status;
}

void cn_text_skip_line(cn_text_reader *reader) {
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

cn_status cn_text_room(cn_text_reader *reader, const char *what, int64_t count) {
    // A word and the white space behind it take two bytes, the last word of a file one.
    size_t words = (reader->size - reader->at + 1) / 2;
    if (count < 0 || (uint64_t)count > words) {
        cn_status status =
            cn_text_fail(reader, CN_ERR_INPUT, "the file is too short for %lld numbers, each %s",
                         (long long)count, what);
        cn_fail_hint(reader->error, "a size above may be wrong, or the file cut short");
        return status;
    }
    return CN_OK;
}

void cn_text_begin(cn_text_writer *writer, cn_buffer *out) {
    *writer = (cn_text_writer){.out = out};
    writer->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    writer->failed = writer->locale == NULL;
}

bool cn_text_end(cn_text_writer *writer) {
    if (writer->locale) {
        freelocale(writer->locale);
    }
    return !writer->failed;
}

void cn_text_print(cn_text_writer *writer, const char *format, ...) {
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
                     !cn_buffer_append(writer->out, text, (size_t)length);
}

void cn_text_put(cn_text_writer *writer, const char *text) {
    writer->failed = writer->failed || !cn_buffer_append(writer->out, text, strlen(text));
}

void cn_text_put_real(cn_text_writer *writer, double value, char separator) {
    cn_text_print(writer, "%.17g%c", value, separator);
}
