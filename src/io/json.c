// io/json.c
// A JSON writer, two blanks a level.
#include "io/json.h"

#include "io/number.h"

#include <stdio.h>
#include <string.h>

static void json_put(io_json *json, const char *text) {
    json->good = json->good && base_buffer_append(json->out, text, strlen(text));
}

void io_json_start(io_json *json, base_buffer *out) {
    *json = (io_json){.out = out, .good = true};
}

static void json_line(io_json *json) {
    json_put(json, "\n");
    for (int32_t i = 0; i < json->depth; i++) {
        json_put(json, "  ");
    }
}

// What stands before a value: nothing after its key, else a comma where one is due and a new line.
static void json_before(io_json *json) {
    if (json->after_key) {
        json->after_key = false;
    } else if (json->depth > 0) {
        json_put(json, json->filled[json->depth - 1] ? "," : "");
        json->filled[json->depth - 1] = true;
        json_line(json);
    }
}

void io_json_open(io_json *json, char bracket) {
    json_before(json);
    json_put(json, bracket == '{' ? "{" : "[");
    json->good = json->good && json->depth < IO_JSON_DEPTH_MAX;
    if (json->good) {
        json->filled[json->depth++] = false;
    }
}

void io_json_close(io_json *json, char bracket) {
    if (!json->good || json->depth == 0) {
        json->good = false;
        return;
    }
    bool filled = json->filled[--json->depth];
    if (filled) {
        json_line(json);
    }
    json_put(json, bracket == '}' ? "}" : "]");
}

static void json_quote(io_json *json, const char *text) {
    json_put(json, "\"");
    for (; *text; text++) {
        char piece[8] = {*text, '\0'};
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') {
            snprintf(piece, sizeof piece, "\\%c", byte);
        } else if (byte < ' ') {
            snprintf(piece, sizeof piece, "\\u%04x", byte);
        }
        json_put(json, piece);
    }
    json_put(json, "\"");
}

void io_json_key(io_json *json, const char *key) {
    json_before(json);
    json_quote(json, key);
    json_put(json, ": ");
    json->after_key = true;
}

void io_json_text(io_json *json, const char *text) {
    json_before(json);
    json_quote(json, text);
}

void io_json_number(io_json *json, double number) {
    char text[IO_NUMBER_TEXT_MAX];
    json_before(json);
    json_put(json, io_number_text(number, text));
}

void io_json_bool(io_json *json, bool truth) {
    json_before(json);
    json_put(json, truth ? "true" : "false");
}

void io_json_member(io_json *json, const char *key, const char *text) {
    io_json_key(json, key);
    io_json_text(json, text);
}

void io_json_member_number(io_json *json, const char *key, double number) {
    io_json_key(json, key);
    io_json_number(json, number);
}
