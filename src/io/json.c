// io/json.c
// A JSON writer, two blanks a level.
#include "io/json.h"

#include "io/number.h"

#include <stdio.h>
#include <string.h>

static void cn_json_put(cn_json *json, const char *text) {
    json->good = json->good && cn_buffer_append(json->out, text, strlen(text));
}

void cn_json_start(cn_json *json, cn_buffer *out) {
    *json = (cn_json){.out = out, .good = true};
}

static void cn_json_line(cn_json *json) {
    cn_json_put(json, "\n");
    for (int32_t i = 0; i < json->depth; i++) {
        cn_json_put(json, "  ");
    }
}

// What stands before a value: nothing after its key, else a comma where one is due and a new line.
static void cn_json_before(cn_json *json) {
    if (json->after_key) {
        json->after_key = false;
    } else if (json->depth > 0) {
        cn_json_put(json, json->filled[json->depth - 1] ? "," : "");
        json->filled[json->depth - 1] = true;
        cn_json_line(json);
    }
}

void cn_json_open(cn_json *json, char bracket) {
    cn_json_before(json);
    cn_json_put(json, bracket == '{' ? "{" : "[");
    json->good = json->good && json->depth < CN_JSON_DEPTH_MAX;
    if (json->good) {
        json->filled[json->depth++] = false;
    }
}

void cn_json_close(cn_json *json, char bracket) {
    if (!json->good || json->depth == 0) {
        json->good = false;
        return;
    }
    bool filled = json->filled[--json->depth];
    if (filled) {
        cn_json_line(json);
    }
    cn_json_put(json, bracket == '}' ? "}" : "]");
}

static void cn_json_quote(cn_json *json, const char *text) {
    cn_json_put(json, "\"");
    for (; *text; text++) {
        char piece[8] = {*text, '\0'};
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') {
            snprintf(piece, sizeof piece, "\\%c", byte);
        } else if (byte < ' ') {
            snprintf(piece, sizeof piece, "\\u%04x", byte);
        }
        cn_json_put(json, piece);
    }
    cn_json_put(json, "\"");
}

void cn_json_key(cn_json *json, const char *key) {
    cn_json_before(json);
    cn_json_quote(json, key);
    cn_json_put(json, ": ");
    json->after_key = true;
}

void cn_json_text(cn_json *json, const char *text) {
    cn_json_before(json);
    cn_json_quote(json, text);
}

void cn_json_number(cn_json *json, double number) {
    char text[CN_NUMBER_TEXT_MAX];
    cn_json_before(json);
    cn_json_put(json, cn_number_text(number, text));
}

void cn_json_bool(cn_json *json, bool truth) {
    cn_json_before(json);
    cn_json_put(json, truth ? "true" : "false");
}

void cn_json_member(cn_json *json, const char *key, const char *text) {
    cn_json_key(json, key);
    cn_json_text(json, text);
}

void cn_json_member_number(cn_json *json, const char *key, double number) {
    cn_json_key(json, key);
    cn_json_number(json, number);
}
