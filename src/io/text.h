// io/text.h
// Text made of words between white space: a reader that knows its line and column, and a writer.
// Numbers are read and printed as in the C locale, whatever the program has set.
#ifndef CAIRN_IO_TEXT_H
#define CAIRN_IO_TEXT_H

#include "base/memory.h"

// Reads bytes that must stay where they are. Columns count bytes.
typedef struct io_text_reader {
    const char *name; // of the file, for errors
    const char *bytes;
    size_t size;
    size_t at;         // next byte
    size_t word;       // where the last word starts, or the end of the input: errors point here
    size_t line_start; // of the line that word is in
    int64_t line;      // of word, from 1
    bool commas;       // while true, commas separate words too
    cn_error *error;
    void *locale;
} io_text_reader;

// false: no memory.
bool io_text_open(io_text_reader *reader, const char *name, const void *bytes, size_t size,
                  cn_error *error);
void io_text_close(io_text_reader *reader);

// A failure at the last word: file:line:column, the message, and no hint.
cn_status io_text_fail(io_text_reader *reader, cn_status status, const char *format, ...)
    CN_PRINTF(3, 4);

// Each takes one word; what says in an error what it should have been ("the number of contacts").
cn_status io_text_word(io_text_reader *reader, const char *what, const char **word, size_t *length);
// Decimal digits with an optional sign, in [low, high].
cn_status io_text_int(io_text_reader *reader, const char *what, int64_t low, int64_t high,
                      int64_t *value);
// A finite decimal number, 12 -0.5 1.e-3; read to the nearest double.
cn_status io_text_real(io_text_reader *reader, const char *what, double *value);
// Exactly this word.
cn_status io_text_expect(io_text_reader *reader, const char *word);

// Looks at the next word without taking it; false at the end of the input.
bool io_text_peek(io_text_reader *reader, const char **word, size_t *length);
bool io_text_next_is(io_text_reader *reader, const char *word);
// Goes behind the next line break (or to the end).
void io_text_skip_line(io_text_reader *reader);
// Fails unless count more words of at least one byte each can be there: a check of declared sizes
// before memory is taken for them. what: one of them.
cn_status io_text_room(io_text_reader *reader, const char *what, int64_t count);

// Gathers text; the first failure (no memory) is kept and later calls do nothing.
typedef struct io_text_writer {
    base_buffer *out;
    bool failed;
    void *locale;
} io_text_writer;

void io_text_begin(io_text_writer *writer, base_buffer *out);
bool io_text_end(io_text_writer *writer); // false: something failed
void io_text_print(io_text_writer *writer, const char *format, ...) CN_PRINTF(2, 3); // < 256 bytes
void io_text_put(io_text_writer *writer, const char *text); // of any length, as it is
// With the 17 digits that read back to the same double, then the separator.
void io_text_put_real(io_text_writer *writer, double value, char separator);

#endif
