// io/yaml/yaml_syntax.c
// From libyaml's words and the line they are about to an error that says what to change. Mistakes
// that people make (tabs, indentation, an open bracket, a text that needs quotes) have a row of
// their own; all others are named as what they are, a line that is not YAML.
#include "io/yaml/yaml_syntax.h"

#include "base/error.h"

#include <string.h>

#define SHOWN_MAX 40 // bytes of a line that a message quotes

// ---- encoding ----

// Bytes of the UTF-8 character at text; 0: there is none.
static size_t utf8_bytes(const unsigned char *text, size_t left) {
    size_t length = text[0] < 0x80                       ? 1
                    : text[0] >= 0xC2 && text[0] <= 0xDF ? 2
                    : text[0] >= 0xE0 && text[0] <= 0xEF ? 3
                    : text[0] >= 0xF0 && text[0] <= 0xF4 ? 4
                                                         : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xF0 && text[1] < 0x90);
    bool beyond = (text[0] == 0xED && text[1] > 0x9F) || (text[0] == 0xF4 && text[1] > 0x8F);
    return overlong || beyond ? 0 : length;
}

// What YAML does not take as text: control characters but tab and line breaks.
static bool is_control(const unsigned char *text) {
    bool low = text[0] < ' ' && text[0] != '\t' && text[0] != '\n' && text[0] != '\r';
    return low || text[0] == 0x7F || (text[0] == 0xC2 && text[1] < 0xA0 && text[1] != 0x85);
}

static cn_status fail_at(cn_error *error, const char *file, size_t line, size_t column) {
    int32_t row = line < INT32_MAX ? (int32_t)line + 1 : INT32_MAX;
    int32_t place = column < INT32_MAX ? (int32_t)column + 1 : INT32_MAX;
    base_fail_at(error, file, row, place);
    return CN_ERR_INPUT;
}

cn_status io_yaml_check_encoding(const char *file, const char *text, size_t size, size_t *skip,
                                 cn_error *error) {
    const unsigned char *byte = (const unsigned char *)text;
    *skip = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    if (size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        base_fail(error, CN_ERR_INPUT, "the text is encoded as UTF-16");
        base_fail_hint(error, "save the file as UTF-8");
        return fail_at(error, file, 0, 0);
    }
    size_t line = 0, column = 0;
    for (size_t at = *skip; at < size;) {
        size_t length = utf8_bytes(byte + at, size - at);
        if (length == 0) {
            base_fail(error, CN_ERR_INPUT, "the byte 0x%02X is not UTF-8 text", byte[at]);
            base_fail_hint(error, "the file is probably in Latin-1 (Windows-1252); save it as "
                                  "UTF-8");
            return fail_at(error, file, line, column);
        }
        if (is_control(byte + at)) {
            base_fail(error, CN_ERR_INPUT, "there is a control character (byte 0x%02X)",
                      byte[at + length - 1]);
            base_fail_hint(error,
                           byte[at] ? "delete it" : "this is not a text file, or delete the byte");
            return fail_at(error, file, line, column);
        }
        bool ends = byte[at] == '\n';
        line += ends;
        column = ends ? 0 : column + 1;
        at += length;
    }
    return CN_OK;
}

// ---- syntax ----

// A line of the text, without its end.
typedef struct text_line {
    const char *text;
    size_t size;
} text_line;

static text_line find_line(const char *text, size_t size, size_t line) {
    const char *end = text + size;
    for (; line > 0 && text < end; line--) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        text = next ? next + 1 : end;
    }
    const char *stop = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    size_t length = (size_t)((stop ? stop : end) - text);
    while (length > 0 && text[length - 1] == '\r') {
        length--;
    }
    return (text_line){text, length};
}

static size_t indentation(text_line line) {
    size_t count = 0;
    while (count < line.size && (line.text[count] == ' ' || line.text[count] == '\t')) {
        count++;
    }
    return count;
}

// Where the character at a column starts; the end of the line beyond it.
static size_t byte_of(text_line line, size_t column) {
    size_t at = 0;
    for (; column > 0 && at < line.size; column--) {
        at++;
        while (at < line.size && ((unsigned char)line.text[at] & 0xC0) == 0x80) {
            at++;
        }
    }
    return at;
}

// The column of a character that starts at a byte.
static size_t column_of(text_line line, size_t byte) {
    size_t column = 0;
    for (size_t i = 0; i < byte && i < line.size; i++) {
        column += ((unsigned char)line.text[i] & 0xC0) != 0x80;
    }
    return column;
}

// How many colons separate a key from its value in the part of a line before its comment.
static int count_pairs(text_line line) {
    int count = 0;
    for (size_t i = 0; i < line.size && !(line.text[i] == '#' && i > 0 && line.text[i - 1] == ' ');
         i++) {
        bool blank = i + 1 == line.size || line.text[i + 1] == ' ';
        count += line.text[i] == ':' && blank;
    }
    return count;
}

// The tab among the blanks that a line begins with.
static bool find_tab(text_line line, size_t *column) {
    const char *tab = memchr(line.text, '\t', indentation(line));
    *column = tab ? (size_t)(tab - line.text) : 0;
    return tab != NULL;
}

static bool says(const char *words, const char *part) {
    return words && strstr(words, part);
}

static cn_status fail_tab(cn_error *error, const char *file, size_t line, size_t column) {
    base_fail(error, CN_ERR_INPUT, "this line is indented with a tab");
    base_fail_hint(error, "indent with spaces only");
    return fail_at(error, file, line, column);
}

static cn_status fail_indentation(cn_error *error, const char *file, text_line here,
                                  const io_yaml_problem *problem) {
    size_t depth = indentation(here);
    base_fail(error, CN_ERR_INPUT, "the indentation of this line (%zu) fits no line above it",
              depth);
    base_fail_hint(error, "keys of one map start in the same column");
    return fail_at(error, file, problem->line, depth);
}

// A list or map in brackets, or a text in quotes, without its end.
static cn_status fail_open(cn_error *error, const char *file, const char *what, const char *closes,
                           const io_yaml_problem *problem) {
    if (problem->line == problem->context_line) {
        base_fail(error, CN_ERR_INPUT, "the %s that starts in column %zu does not go on like this",
                  what, problem->context_column + 1);
        base_fail_hint(error, "a comma or \"%s\" is missing before this place", closes);
        return fail_at(error, file, problem->line, problem->column);
    }
    base_fail(error, CN_ERR_INPUT, "the %s that starts here is not closed", what);
    base_fail_hint(error, "a comma or \"%s\" is missing before line %zu", closes,
                   problem->line + 1);
    return fail_at(error, file, problem->context_line, problem->context_column);
}

// A line without the colon that a key needs.
static cn_status fail_no_colon(cn_error *error, const char *file, text_line line,
                               const io_yaml_problem *problem) {
    const char *colon = memchr(line.text, ':', line.size);
    size_t start = indentation(line), shown = line.size - start;
    if (colon && (size_t)(colon - line.text) + 1 < line.size && colon[1] != ' ') {
        base_fail(error, CN_ERR_INPUT, "a blank is missing after the colon");
        base_fail_hint(error, "write key: value");
        return fail_at(error, file, problem->context_line,
                       column_of(line, (size_t)(colon - line.text) + 1));
    }
    base_fail(error, CN_ERR_INPUT, "\"%.*s\" has no colon",
              (int)(shown < SHOWN_MAX ? shown : SHOWN_MAX), line.text + start);
    base_fail_hint(error, "write key: value");
    return fail_at(error, file, problem->context_line, column_of(line, start));
}

static cn_status fail_needs_quotes(cn_error *error, const char *file, char sign, size_t line,
                                   size_t column) {
    base_fail(error, CN_ERR_INPUT, "a text cannot start with %c", sign);
    base_fail_hint(error, "put the text in quotes, as \"%c\"", sign);
    return fail_at(error, file, line, column);
}

// Mistakes inside one value.
static bool explain_value(const char *file, text_line here, const io_yaml_problem *problem,
                          cn_error *error) {
    const char *what = problem->what, *context = problem->context;
    size_t at = byte_of(here, problem->column);
    char sign = at < here.size ? here.text[at] : ' ';
    if (says(context, "quoted scalar") && says(what, "end of stream")) {
        base_fail(error, CN_ERR_INPUT, "the text in quotes that starts here is not closed");
        base_fail_hint(error, "its closing quote is missing");
        fail_at(error, file, problem->context_line, problem->context_column);
    } else if (says(context, "quoted scalar") || says(what, "escape")) {
        base_fail(error, CN_ERR_INPUT,
                  "in double quotes, \\ must start one of the escapes of "
                  "YAML, as \\n");
        base_fail_hint(error, "use single quotes, or write \\\\ for a backslash");
        fail_at(error, file, problem->line, problem->column);
    } else if (says(what, "cannot start any token")) {
        fail_needs_quotes(error, file, sign, problem->line, problem->column);
    } else if (says(context, "an alias") || says(context, "an anchor")) {
        fail_needs_quotes(error, file, says(context, "an alias") ? '*' : '&', problem->context_line,
                          problem->context_column);
    } else if (says(context, " tag") || says(what, "tag")) {
        fail_needs_quotes(error, file, '!', problem->line, problem->column);
    } else if (says(context, "block scalar")) {
        base_fail(error, CN_ERR_INPUT, "after | or > the text must start on the next line");
        base_fail_hint(error, "put a text that starts with | or > in quotes");
        fail_at(error, file, problem->line, problem->column);
    } else {
        return false;
    }
    return true;
}

// Mistakes in how keys, lists and maps are laid out.
static bool explain_layout(const char *file, text_line here, text_line before,
                           const io_yaml_problem *problem, cn_error *error) {
    const char *what = problem->what, *context = problem->context;
    bool at_start = byte_of(here, problem->column) <= indentation(here);
    if (says(context, "flow sequence") || says(context, "flow mapping")) {
        bool list = says(context, "sequence");
        fail_open(error, file, list ? "list" : "map", list ? "]" : "}", problem);
    } else if (says(context, "simple key")) {
        fail_no_colon(error, file, before, problem);
    } else if (says(what, "mapping values are not allowed") && count_pairs(here) > 1) {
        base_fail(error, CN_ERR_INPUT, "a value cannot hold a colon followed by a blank");
        base_fail_hint(error, "put the text in quotes, or start a new line for the next key");
        fail_at(error, file, problem->line, problem->column);
    } else if (says(what, "mapping values are not allowed") || (at_start && says(what, "key"))) {
        fail_indentation(error, file, here, problem);
    } else if (says(what, "'-' indicator")) {
        base_fail(error, CN_ERR_INPUT,
                  "this line is in the column of a list's entries and does "
                  "not start with \"- \"");
        base_fail_hint(error, "indent it by 2 more to belong to the entry above, or put \"- \" "
                              "before it");
        fail_at(error, file, problem->line, problem->column);
    } else if (says(what, "block sequence entries")) {
        base_fail(error, CN_ERR_INPUT, "an entry of a list cannot start here");
        base_fail_hint(error, "start a new line for each \"- \", or write [a, b]");
        fail_at(error, file, problem->line, problem->column);
    } else if (says(what, "node content")) {
        base_fail(error, CN_ERR_INPUT, "a value is missing here");
        base_fail_hint(error, "write one, or take the comma away");
        fail_at(error, file, problem->line, problem->column);
    } else {
        return false;
    }
    return true;
}

cn_status io_yaml_explain(const char *file, const char *text, size_t size,
                          const io_yaml_problem *problem, cn_error *error) {
    text_line here = find_line(text, size, problem->line);
    text_line before = find_line(text, size, problem->context_line);
    size_t column;
    if (find_tab(here, &column)) {
        return fail_tab(error, file, problem->line, column);
    }
    if (problem->context && find_tab(before, &column)) {
        return fail_tab(error, file, problem->context_line, column);
    }
    if (!explain_value(file, here, problem, error) &&
        !explain_layout(file, here, before, problem, error)) {
        base_fail(error, CN_ERR_INPUT, "this is not YAML");
        base_fail_hint(error, "one key: value per line, lists as \"- \" lines or [a, b], texts "
                              "with special characters in quotes");
        fail_at(error, file, problem->line, problem->column);
    }
    return CN_ERR_INPUT;
}
