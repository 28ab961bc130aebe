// io/yaml_write.c
// A tree of nodes as YAML text. Lists and maps that hold only scalars, and are short, take one line
// ([1, 2, 3]); the rest is written as blocks. Numbers stand as they were written, so their bits are
// kept; text of several lines becomes a literal block, other text goes into double quotes unless it
// is a plain word.
#include "io/yaml.h"

#include <stdio.h>
#include <string.h>

#define CN_LINE_MAX 90 // bytes of a list or map on one line
#define CN_INDENT 2

typedef struct cn_yaml_writer {
    cn_buffer *out;
    bool good;
} cn_yaml_writer;

static void cn_put_bytes(cn_yaml_writer *writer, const char *bytes, size_t count) {
    writer->good = writer->good && cn_buffer_append(writer->out, bytes, count);
}

static void cn_put(cn_yaml_writer *writer, const char *text) {
    cn_put_bytes(writer, text, strlen(text));
}

static void cn_put_indent(cn_yaml_writer *writer, int32_t depth) {
    for (int32_t i = 0; i < depth * CN_INDENT; i++) {
        cn_put(writer, " ");
    }
}

// A word that no reader takes for anything but text.
static bool cn_is_plain_word(const char *text) {
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
static unsigned cn_turning_mark(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    if (b[0] != 0xE2 || (b[1] != 0x80 && b[1] != 0x81)) {
        return 0;
    }
    unsigned code = 0x2000u | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    bool turns = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                 (code >= 0x2066 && code <= 0x2069);
    return turns ? code : 0;
}

static void cn_put_quoted(cn_yaml_writer *writer, const char *text) {
    cn_put(writer, "\"");
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        char escape[8];
        if (byte == '"' || byte == '\\') {
            snprintf(escape, sizeof escape, "\\%c", byte);
            cn_put(writer, escape);
        } else if (byte == '\n') {
            cn_put(writer, "\\n");
        } else if (byte < ' ' || byte == 127) {
            snprintf(escape, sizeof escape, "\\x%02x", byte);
            cn_put(writer, escape);
        } else if (strncmp(c, "\xC2\x85", 2) == 0) { // next line: would be folded away
            cn_put(writer, "\\N");
            c += 1;
        } else if (strncmp(c, "\xE2\x80\xA8", 3) == 0 || strncmp(c, "\xE2\x80\xA9", 3) == 0) {
            cn_put(writer, c[2] == '\xA8' ? "\\L" : "\\P"); // line and paragraph separators
            c += 2;
        } else if (cn_turning_mark(c)) {
            snprintf(escape, sizeof escape, "\\u%04X", cn_turning_mark(c));
            cn_put(writer, escape);
            c += 2;
        } else if (byte == 0xC2 && (unsigned char)c[1] < 0xA0) { // controls of 8 bits
            snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)c[1]);
            cn_put(writer, escape);
            c += 1;
        } else if (strncmp(c, "\xEF\xBF\xBE", 3) == 0 || strncmp(c, "\xEF\xBF\xBF", 3) == 0) {
            cn_put(writer, c[2] == '\xBE' ? "\\uFFFE" : "\\uFFFF"); // no characters
            c += 2;
        } else if (strncmp(c, "\xEF\xBB\xBF", 3) == 0) { // byte order mark
            cn_put(writer, "\\uFEFF");
            c += 2;
        } else {
            cn_put_bytes(writer, c, 1);
        }
    }
    cn_put(writer, "\"");
}

// Lines that a literal block gives back as they are: printable, not indented, ended by one '\n'.
static bool cn_is_literal(const cn_yaml *node) {
    const char *text = node->text;
    if (node->kind != CN_YAML_TEXT || *text == ' ' || *text == '\n') {
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

static void cn_put_literal(cn_yaml_writer *writer, const char *text, int32_t depth) {
    cn_put(writer, "|\n");
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length) {
            cn_put_indent(writer, depth);
        }
        cn_put_bytes(writer, text, length + 1);
        text += length + 1;
    }
}

static void cn_put_scalar(cn_yaml_writer *writer, const cn_yaml *node) {
    if (node->kind == CN_YAML_NULL) {
        cn_put(writer, "null");
    } else if (node->kind != CN_YAML_TEXT || cn_is_plain_word(node->text)) {
        cn_put(writer, node->text);
    } else {
        cn_put_quoted(writer, node->text);
    }
}

static bool cn_is_scalar(const cn_yaml *node) {
    return node->kind != CN_YAML_LIST && node->kind != CN_YAML_MAP;
}

// The bytes that a node takes on one line; more than the limit when it cannot or must not.
static size_t cn_line_length(const cn_yaml *node, int32_t levels) {
    if (cn_is_scalar(node)) {
        return cn_is_literal(node) ? CN_LINE_MAX + 1 : strlen(node->text) + 4;
    }
    size_t length = 2;
    if (levels == 0 && node->count > 0) {
        return CN_LINE_MAX + 1;
    }
    for (int32_t i = 0; i < node->count && length <= CN_LINE_MAX; i++) {
        length += cn_line_length(node->item[i], levels - 1);
        length += node->kind == CN_YAML_MAP ? strlen(node->key[i]->text) + 4 : 0;
    }
    return length;
}

static void cn_put_line(cn_yaml_writer *writer, const cn_yaml *node) {
    if (cn_is_scalar(node)) {
        cn_put_scalar(writer, node);
        return;
    }
    bool map = node->kind == CN_YAML_MAP;
    cn_put(writer, map ? "{" : "[");
    for (int32_t i = 0; i < node->count; i++) {
        cn_put(writer, i ? ", " : "");
        if (map) {
            cn_put_scalar(writer, node->key[i]);
            cn_put(writer, ": ");
        }
        cn_put_line(writer, node->item[i]);
    }
    cn_put(writer, map ? "}" : "]");
}

static bool cn_fits_line(const cn_yaml *node) {
    return cn_is_scalar(node) || cn_line_length(node, 3) <= CN_LINE_MAX;
}

// The node's lines, each indented; the first begins where the text stands.
static void cn_put_block(cn_yaml_writer *writer, const cn_yaml *node, int32_t depth) {
    if (cn_is_literal(node)) {
        cn_put_literal(writer, node->text, depth);
        return;
    }
    if (cn_fits_line(node)) {
        cn_put_line(writer, node);
        cn_put(writer, "\n");
        return;
    }
    for (int32_t i = 0; i < node->count; i++) {
        if (i > 0) {
            cn_put_indent(writer, depth);
        }
        if (node->kind == CN_YAML_LIST) {
            cn_put(writer, "- ");
            cn_put_block(writer, node->item[i], depth + 1);
            continue;
        }
        cn_put_scalar(writer, node->key[i]);
        cn_put(writer, ":");
        if (cn_fits_line(node->item[i])) {
            cn_put(writer, " ");
            cn_put_block(writer, node->item[i], depth + 1);
        } else {
            cn_put(writer, "\n");
            cn_put_indent(writer, depth + 1);
            cn_put_block(writer, node->item[i], depth + 1);
        }
    }
}

bool cn_yaml_write(const cn_yaml *node, cn_buffer *out) {
    cn_yaml_writer writer = {.out = out, .good = true};
    cn_put_block(&writer, node, 0);
    return writer.good;
}
