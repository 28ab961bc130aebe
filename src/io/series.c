// io/series.c
// Series of numbers over time: a line at a time, a cell at a time.
#include "io/series.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/number.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define CELL_MAX 64 // bytes of a number
#define UNIT_MAX 24

typedef struct series_reader {
    const char *file;
    const char *at;   // what is left
    const char *line; // start of the line of at
    int32_t number;   // of the line, from 1
    cn_error *error;
    cn_arena *memory;
    io_series *out;
    int32_t capacity;
} series_reader;

static cn_status series_fail(const series_reader *reader, const char *place, const char *format,
                             ...) CN_PRINTF(3, 4);
static cn_status series_fail(const series_reader *reader, const char *place, const char *format,
                             ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    base_fail(reader->error, CN_ERR_INPUT, "%s", text);
    base_fail_at(reader->error, reader->file, reader->number, (int32_t)(place - reader->line) + 1);
    return CN_ERR_INPUT;
}

const char *io_series_quantity_text(io_series_quantity quantity) {
    static const char *const text[] = {"any", "acceleration", "velocity", "displacement"};
    return text[quantity];
}

bool io_series_unit(const char *unit, double *factor, io_series_quantity *quantity) {
    static const struct {
        const char *name;
        double factor;
        io_series_quantity quantity;
    } units[] = {
        {"g", 9.80665, IO_SERIES_ACCELERATION},   {"m/s2", 1.0, IO_SERIES_ACCELERATION},
        {"cm/s2", 0.01, IO_SERIES_ACCELERATION},  {"gal", 0.01, IO_SERIES_ACCELERATION},
        {"mm/s2", 1e-3, IO_SERIES_ACCELERATION},  {"m/s/s", 1.0, IO_SERIES_ACCELERATION},
        {"cm/s/s", 0.01, IO_SERIES_ACCELERATION}, {"cm/s**2", 0.01, IO_SERIES_ACCELERATION},
        {"m/s", 1.0, IO_SERIES_VELOCITY},         {"cm/s", 0.01, IO_SERIES_VELOCITY},
        {"mm/s", 1e-3, IO_SERIES_VELOCITY},       {"m", 1.0, IO_SERIES_DISPLACEMENT},
        {"cm", 0.01, IO_SERIES_DISPLACEMENT},     {"mm", 1e-3, IO_SERIES_DISPLACEMENT}};
    char plain[UNIT_MAX] = "";
    size_t used = 0;
    for (const char *c = unit; *c && used + 1 < sizeof plain; c++) { // "SEC" is "s"
        plain[used++] = (char)tolower((unsigned char)*c);
        c += tolower((unsigned char)c[0]) == 's' && strncasecmp(c, "sec", 3) == 0 ? 2 : 0;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(plain, units[i].name) == 0) {
            *factor = units[i].factor;
            *quantity = units[i].quantity;
            return true;
        }
    }
    return false;
}

// ---- lines and cells ----

static bool is_end(char c) {
    return c == '\0' || c == '\n';
}

// The next line; false: there is none.
static bool next_line(series_reader *reader) {
    const char *end = strchr(reader->at, '\n');
    reader->at = end ? end + 1 : reader->at + strlen(reader->at);
    reader->line = reader->at;
    reader->number++;
    return *reader->at != '\0';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_separator(char c) {
    return is_blank(c) || c == ',' || c == ';';
}

// The next cell of the line; false: the line ends.
static bool next_cell(series_reader *reader, const char **start, size_t *length) {
    while (is_blank(*reader->at)) {
        reader->at++;
    }
    if (is_end(*reader->at)) {
        return false;
    }
    *start = reader->at;
    while (!is_end(*reader->at) && !is_separator(*reader->at)) {
        reader->at++;
    }
    *length = (size_t)(reader->at - *start);
    while (is_blank(*reader->at)) {
        reader->at++;
    }
    reader->at += *reader->at == ',' || *reader->at == ';';
    return true;
}

static bool cell_number(const char *start, size_t length, double *value) {
    char text[CELL_MAX];
    if (length == 0 || length >= sizeof text) {
        return false;
    }
    memcpy(text, start, length);
    text[length] = '\0';
    return io_number_parse(text, value) && fabs(*value) <= DBL_MAX;
}

static cn_status take_number(series_reader *reader, const char *start, size_t length,
                             double *value) {
    return cell_number(start, length, value)
               ? CN_OK
               : series_fail(reader, start, "\"%.*s\" is not a finite number",
                             length > 40 ? 40 : (int)length, start);
}

// Room for one more point; the arrays double.
static cn_status grow(series_reader *reader, bool timed) {
    io_series *out = reader->out;
    if (out->count < reader->capacity) {
        return CN_OK;
    }
    if (out->count >= IO_SERIES_MAX) {
        return series_fail(reader, reader->line, "there are more than %d values", IO_SERIES_MAX);
    }
    int32_t capacity = reader->capacity > 0 ? 2 * reader->capacity : 256;
    double *time = timed ? BASE_TAKE(reader->memory, double, capacity) : NULL;
    double *value = BASE_TAKE(reader->memory, double, capacity);
    if (!value || (timed && !time)) {
        return base_fail_memory(reader->error);
    }
    if (out->count > 0) {
        memcpy(value, out->value, sizeof *value * (size_t)out->count);
    }
    if (out->count > 0 && timed) {
        memcpy(time, out->time, sizeof *time * (size_t)out->count);
    }
    out->time = time;
    out->value = value;
    reader->capacity = capacity;
    return CN_OK;
}

static series_reader reader_start(cn_arena *memory, const char *file, const char *text,
                                  io_series *out, cn_error *error) {
    *out = (io_series){.count = 0};
    return (series_reader){.file = file,
                           .at = text,
                           .line = text,
                           .number = 1,
                           .error = error,
                           .memory = memory,
                           .out = out};
}

// ---- columns ----

// A line's time and value. *named: it is the line of names.
static cn_status take_columns(series_reader *reader, const int32_t column[2], bool may_be_names,
                              double number[2], bool *named) {
    const char *start = reader->at;
    size_t length;
    bool found[2] = {false, false};
    double first;
    *named = false;
    for (int32_t i = 1; next_cell(reader, &start, &length); i++) {
        if (i == 1 && may_be_names && !cell_number(start, length, &first)) {
            *named = true;
            return CN_OK;
        }
        for (int k = 0; k < 2; k++) {
            if (column[k] == i) {
                CN_TRY(take_number(reader, start, length, &number[k]));
                found[k] = true;
            }
        }
    }
    for (int k = 0; k < 2; k++) {
        if (!found[k]) {
            return series_fail(reader, reader->at, "the line has no column %d for the %s",
                               (int)column[k], k == 0 ? "times" : "values");
        }
    }
    return CN_OK;
}

cn_status io_series_read_columns(cn_arena *memory, const char *file, const char *text,
                                 const int32_t column[2], io_series *out, cn_error *error) {
    series_reader reader = reader_start(memory, file, text, out, error);
    bool first = true;
    for (bool there = *text != '\0'; there; there = next_line(&reader)) {
        double number[2] = {0.0, 0.0};
        bool named;
        while (is_blank(*reader.at)) {
            reader.at++;
        }
        if (*reader.at == '#' || is_end(*reader.at)) {
            continue;
        }
        CN_TRY(take_columns(&reader, column, first, number, &named));
        first = false;
        if (named) {
            continue;
        }
        if (out->count > 0 && !(number[0] > out->time[out->count - 1])) {
            return series_fail(&reader, reader.line,
                               "the times must ascend, but %.10g follows on %.10g", number[0],
                               out->time[out->count - 1]);
        }
        CN_TRY(grow(&reader, true));
        out->time[out->count] = number[0];
        out->value[out->count++] = number[1];
    }
    return out->count > 0 ? CN_OK : series_fail(&reader, reader.line, "there are no numbers");
}

// ---- PEER ----

// Where a word stands in the line, whatever the case; NULL: nowhere.
static const char *find_word(const char *line, const char *word) {
    for (const char *c = line; !is_end(*c); c++) {
        if (strncasecmp(c, word, strlen(word)) == 0) {
            return c;
        }
    }
    return NULL;
}

static cn_status peer_unit(series_reader *reader, const char *given, double *factor) {
    const char *line = reader->line, *of = find_word(line, "UNITS OF");
    char unit[UNIT_MAX] = "";
    size_t length = 0;
    static const struct {
        const char *word;
        io_series_quantity quantity;
    } words[] = {{"ACCEL", IO_SERIES_ACCELERATION},
                 {"VELOC", IO_SERIES_VELOCITY},
                 {"DISPL", IO_SERIES_DISPLACEMENT}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (find_word(line, words[i].word)) {
            reader->out->quantity = words[i].quantity;
        }
    }
    const char *c = of ? of + strlen("UNITS OF") : line;
    while (of && is_blank(*c)) {
        c++;
    }
    while (of && !is_end(c[length]) && !is_separator(c[length]) && length + 1 < sizeof unit) {
        unit[length] = c[length];
        length++;
    }
    io_series_quantity quantity;
    if (!io_series_unit(given ? given : unit, factor, &quantity)) {
        series_fail(reader, c, "the unit \"%.20s\" of the values is not known",
                    given ? given : unit);
        base_fail_hint(reader->error, "give \"unit\": g, m/s2, cm/s2, m/s, cm/s, m or cm");
        return CN_ERR_INPUT;
    }
    if (reader->out->quantity != IO_SERIES_ANY && reader->out->quantity != quantity) {
        return series_fail(reader, c, "%s is no unit of an %s", given ? given : unit,
                           io_series_quantity_text(reader->out->quantity));
    }
    reader->out->quantity = quantity;
    return CN_OK;
}

// The number behind a word and '=', or the index-th one of the line.
static bool peer_number(series_reader *reader, const char *word, int index, double *value,
                        const char **place) {
    const char *named = find_word(reader->line, word), *start = reader->line;
    size_t length;
    const char *equals = named ? named + strlen(word) : NULL;
    while (equals && is_blank(*equals)) {
        equals++;
    }
    if (equals && *equals == '=') {
        reader->at = equals + 1;
        index = 0;
    } else {
        reader->at = reader->line;
    }
    *place = reader->line;
    for (int i = 0; named && next_cell(reader, &start, &length); i++) {
        *place = start;
        if (i == index) {
            return cell_number(start, length, value);
        }
    }
    return false;
}

static cn_status peer_sizes(series_reader *reader, int32_t *points) {
    const char *place;
    double number;
    if (!peer_number(reader, "NPTS", 0, &number, &place) ||
        !(number >= 1.0 && number <= IO_SERIES_MAX && floor(number) == number)) {
        series_fail(reader, place, "the fourth line must have NPTS, a number of points");
        base_fail_hint(reader->error, "as in \"NPTS= 4000, DT= .0050 SEC\"");
        return CN_ERR_INPUT;
    }
    *points = (int32_t)number;
    if (!peer_number(reader, "DT", 1, &number, &place) || !(number > 0.0)) {
        series_fail(reader, place, "the fourth line must have DT, the interval in s");
        base_fail_hint(reader->error, "as in \"NPTS= 4000, DT= .0050 SEC\"");
        return CN_ERR_INPUT;
    }
    reader->out->interval = number;
    return CN_OK;
}

cn_status io_series_read_peer(cn_arena *memory, const char *file, const char *text,
                              const char *unit, io_series *out, cn_error *error) {
    series_reader reader = reader_start(memory, file, text, out, error);
    double factor = 1.0;
    int32_t points = 0;
    const char *start;
    size_t length;
    for (int32_t line = 1; line <= 4; line++) {
        if (*reader.at == '\0') {
            series_fail(&reader, reader.line, "the heading of four lines ends too early");
            base_fail_hint(error, "PEER records have the unit in line 3 and NPTS, DT in line 4");
            return CN_ERR_INPUT;
        }
        CN_TRY(line == 3   ? peer_unit(&reader, unit, &factor)
               : line == 4 ? peer_sizes(&reader, &points)
                           : CN_OK);
        next_line(&reader);
    }
    for (bool there = *reader.at != '\0'; there; there = next_line(&reader)) {
        while (next_cell(&reader, &start, &length)) {
            double value;
            CN_TRY(take_number(&reader, start, length, &value));
            if (out->count == points) {
                return series_fail(&reader, start, "NPTS says %d values, and there are more",
                                   (int)points);
            }
            value *= factor;
            if (!(fabs(value) <= DBL_MAX)) {
                return series_fail(&reader, start, "\"%.*s\" is not finite in SI units",
                                   length > 40 ? 40 : (int)length, start);
            }
            CN_TRY(grow(&reader, false));
            out->value[out->count++] = value;
        }
    }
    return out->count == points
               ? CN_OK
               : series_fail(&reader, reader.line, "NPTS says %d values, and there are %d",
                             (int)points, (int)out->count);
}
