// io/yaml/yaml_write.c
// A tree of nodes as YAML text. Lists and maps that hold only scalars, and are short, take one line
// ([1, 2, 3]); the rest is written as blocks. Numbers stand as they were written, so their bits are
// kept; text of several lines becomes a literal block, other text goes into double quotes unless it
// is a plain word.
#include "io/yaml/yaml.h"

#include <stdio.h>
#include <string.h>

#define LINE_MAX 90 // bytes of a list or map on one line
#define INDENT 2

typedef struct yaml_writer {
    base_buffer *out;
    bool good;
} yaml_writer;

static void put_bytes(yaml_writer *writer, const char *bytes, size_t count) {
    writer->good = writer->good && base_buffer_append(writer->out, bytes, count);
}

static void writer_put(yaml_writer *writer, const char *text) {
    put_bytes(writer, text, strlen(text));
}

static void put_indent(yaml_writer *writer, int32_t depth) {
    for (int32_t i = 0; i < depth * INDENT; i++) {
        writer_put(writer, " ");
    }
}

// A word that no reader takes for anything but text.
static bool is_plain_word(const char *text) {
    static const char *const taken[] = {"null",  "Null",  "NULL", "true", "True", "TRUE", "false",
                                        "False", "FALSE", "yes",  "no",   "on",   "off",  "y",
                                        "n",     "Yes",   "No",   "YES",  "NO",   "On",   "Off",
                                        "ON",    "OFF",   "Y",    "N"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-0123456789";
    if (!*text || !strchr(letters, *text) || text[strspn(text, others)] != '\0') {
        return false;
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(text, taken[i]) == 0) {
            return false;
        }
    }
    return true;
}

// The code of a mark that turns the direction of writing at the start of a text; 0: there is none.
static unsigned turning_mark(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    if (b[0] != 0xE2 || (b[1] != 0x80 && b[1] != 0x81)) {
        return 0;
    }
    unsigned code = 0x2000u | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    bool turns = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                 (code >= 0x2066 && code <= 0x2069);
    return turns ? code : 0;
}

static void put_quoted(yaml_writer *writer, const char *text) {
    writer_put(writer, "\"");
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        char escape[8];
        if (byte == '"' || byte == '\\') {
            snprintf(escape, sizeof escape, "\\%c", byte);
            writer_put(writer, escape);
        } else if (byte == '\n') {
            writer_put(writer, "\\n");
        } else if (byte < ' ' || byte == 127) {
            snprintf(escape, sizeof escape, "\\x%02x", byte);
            writer_put(writer, escape);
        } else if (strncmp(c, "\xC2\x85", 2) == 0) { // next line: would be folded away
            writer_put(writer, "\\N");
            c += 1;
        } else if (strncmp(c, "\xE2\x80\xA8", 3) == 0 || strncmp(c, "\xE2\x80\xA9", 3) == 0) {
            writer_put(writer, c[2] == '\xA8' ? "\\L" : "\\P"); // line and paragraph separators
            c += 2;
        } else if (turning_mark(c)) {
            snprintf(escape, sizeof escape, "\\u%04X", turning_mark(c));
            writer_put(writer, escape);
            c += 2;
        } else if (byte == 0xC2 && (unsigned char)c[1] < 0xA0) { // controls of 8 bits
            snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)c[1]);
            writer_put(writer, escape);
            c += 1;
        } else if (strncmp(c, "\xEF\xBF\xBE", 3) == 0 || strncmp(c, "\xEF\xBF\xBF", 3) == 0) {
            writer_put(writer, c[2] == '\xBE' ? "\\uFFFE" : "\\uFFFF"); // no characters
            c += 2;
        } else if (strncmp(c, "\xEF\xBB\xBF", 3) == 0) { // byte order mark
            writer_put(writer, "\\uFEFF");
            c += 2;
        } else {
            put_bytes(writer, c, 1);
        }
    }
    writer_put(writer, "\"");
}

// Lines that a literal block gives back as they are: printable, not indented, ended by one '\n'.
static bool is_literal(const io_yaml *node) {
    const char *text = node->text;
    if (node->kind != IO_YAML_TEXT || *text == ' ' || *text == '\n') {
        return false;
    }
    size_t length = strlen(text);
    if (length < 2 || text[length - 1] != '\n' || text[length - 2] == '\n') {
        return false;
    }
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if ((byte < ' ' && byte != '\n') || byte > '~') {
            return false;
        }
    }
    return true;
}

static void put_literal(yaml_writer *writer, const char *text, int32_t depth) {
    writer_put(writer, "|\n");
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length) {
            put_indent(writer, depth);
        }
        put_bytes(writer, text, length + 1);
        text += length + 1;
    }
}

static void put_scalar(yaml_writer *writer, const io_yaml *node) {
    if (node->kind == IO_YAML_NULL) {
        writer_put(writer, "null");
    } else if (node->kind != IO_YAML_TEXT || is_plain_word(node->text)) {
        writer_put(writer, node->text);
    } else {
        put_quoted(writer, node->text);
    }
}

static bool is_scalar(const io_yaml *node) {
    return node->kind != IO_YAML_LIST && node->kind != IO_YAML_MAP;
}

// The bytes that a node takes on one line; more than the limit when it cannot or must not.
static size_t line_length(const io_yaml *node, int32_t levels) {
    if (is_scalar(node)) {
        return is_literal(node) ? LINE_MAX + 1 : strlen(node->text) + 4;
    }
    size_t length = 2;
    if (levels == 0 && node->count > 0) {
        return LINE_MAX + 1;
    }
    for (int32_t i = 0; i < node->count && length <= LINE_MAX; i++) {
        length += line_length(node->item[i], levels - 1);
        length += node->kind == IO_YAML_MAP ? strlen(node->key[i]->text) + 4 : 0;
    }
    return length;
}

static void put_line(yaml_writer *writer, const io_yaml *node) {
    if (is_scalar(node)) {
        put_scalar(writer, node);
        return;
    }
    bool map = node->kind == IO_YAML_MAP;
    writer_put(writer, map ? "{" : "[");
    for (int32_t i = 0; i < node->count; i++) {
        writer_put(writer, i ? ", " : "");
        if (map) {
            put_scalar(writer, node->key[i]);
            writer_put(writer, ": ");
        }
        put_line(writer, node->item[i]);
    }
    writer_put(writer, map ? "}" : "]");
}

static bool fits_line(const io_yaml *node) {
    return is_scalar(node) || line_length(node, 3) <= LINE_MAX;
}

// The node's lines, each indented; the first begins where the text stands.
static void put_block(yaml_writer *writer, const io_yaml *node, int32_t depth) {
    if (is_literal(node)) {
        put_literal(writer, node->text, depth);
        return;
    }
    if (fits_line(node)) {
        put_line(writer, node);
        writer_put(writer, "\n");
        return;
    }
    for (int32_t i = 0; i < node->count; i++) {
        if (i > 0) {
            put_indent(writer, depth);
        }
        if (node->kind == IO_YAML_LIST) {
            writer_put(writer, "- ");
            put_block(writer, node->item[i], depth + 1);
            continue;
        }
        put_scalar(writer, node->key[i]);
        writer_put(writer, ":");
        if (fits_line(node->item[i])) {
            writer_put(writer, " ");
            put_block(writer, node->item[i], depth + 1);
        } else {
            writer_put(writer, "\n");
            put_indent(writer, depth + 1);
            put_block(writer, node->item[i], depth + 1);
        }
    }
}

bool io_yaml_write(const io_yaml *node, base_buffer *out) {
    yaml_writer writer = {.out = out, .good = true};
    put_block(&writer, node, 0);
    return writer.good;
}
