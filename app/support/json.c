// app/support/json.c
// The JSON writer; see json.h.
#include "support/json.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_writer put_start(FILE *out) {
    return (json_writer){.out = out};
}

void put_end(json_writer *json) {
    fputc('\n', json->out);
}

void json_text_start(json_text *out) {
    out->json = put_start(text_stream_open(&out->text, &out->size));
    put_open(&out->json, NULL, '{');
}

void json_text_end(json_text *out) {
    put_close(&out->json, '}');
    text_stream_close(out->json.out, &out->text);
}

int32_t utf8_decode(const char *text, uint32_t *code) {
    const unsigned char *b = (const unsigned char *)text;
    *code = b[0];
    if (b[0] < 0x80) {
        return b[0] ? 1 : 0;
    }
    int32_t length = b[0] >= 0xc2 && b[0] < 0xe0 ? 2 : b[0] >= 0xe0 && b[0] < 0xf0 ? 3 : 4;
    if (b[0] < 0xc2 || b[0] > 0xf4) {
        return 0;
    }
    *code = b[0] & (0x7fu >> length);
    for (int32_t i = 1; i < length; i++) {
        if ((b[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (b[i] & 0x3fu);
    }
    static const uint32_t shortest[5] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < shortest[length] || surrogate || *code > 0x10ffff ? 0 : length;
}

// What a terminal would obey, and what makes a text look like another: controls, marks that turn
// the direction of writing, separators of lines, marks that are not seen, and what is no character.
static bool is_hidden(uint32_t code) {
    static const uint32_t ranges[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0x061c, 0x061c},
                                         {0x200b, 0x200b}, {0x200e, 0x200f},  {0x2028, 0x202e},
                                         {0x2060, 0x206f}, {0xfdd0, 0xfdef},  {0xfeff, 0xfeff},
                                         {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            return true;
        }
    }
    return (code & 0xfffe) == 0xfffe;
}

int32_t utf8_length(const char *text) {
    uint32_t code;
    int32_t length = utf8_decode(text, &code);
    return length > 0 && is_hidden(code) ? 0 : length;
}

static void put_quote(FILE *out, const char *text) {
    fputc('"', out);
    while (*text) {
        uint32_t code;
        int32_t length = utf8_decode(text, &code);
        if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if (length == 0) {
            fprintf(out, "\\\\x%02X", (unsigned)(unsigned char)*text);
        } else if (!is_hidden(code)) {
            fwrite(text, 1, (size_t)length, out);
        } else if (code < 0x10000) {
            fprintf(out, "\\u%04x", (unsigned)code);
        } else {
            fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (code >> 10)),
                    (unsigned)(0xdc00 + (code & 0x3ff)));
        }
        text += length > 0 ? length : 1;
    }
    fputc('"', out);
}

// What comes before a value: a comma where one is due, and the key.
static void put_key(json_writer *json, const char *key) {
    if (json->started[json->depth]) {
        fputc(',', json->out);
    }
    json->started[json->depth] = true;
    if (key) {
        put_quote(json->out, key);
        fputc(':', json->out);
    }
}

void put_open(json_writer *json, const char *key, char bracket) {
    put_key(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->started[json->depth] = false;
}

void put_close(json_writer *json, char bracket) {
    json->depth--;
    fputc(bracket, json->out);
}

void put_text(json_writer *json, const char *key, const char *text) {
    put_key(json, key);
    if (text) {
        put_quote(json->out, text);
    } else {
        fputs("null", json->out);
    }
}

void put_int(json_writer *json, const char *key, int64_t value) {
    put_key(json, key);
    fprintf(json->out, "%lld", (long long)value);
}

void put_real(json_writer *json, const char *key, double value) {
    char text[32];
    put_key(json, key);
    fputs(isfinite(value) ? real_text(value, text) : "null", json->out);
}

void put_raw(json_writer *json, const char *key, const char *text) {
    put_key(json, key);
    fputs(text, json->out);
}

void put_bool(json_writer *json, const char *key, bool value) {
    put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

const char *real_text(double value, char text[32]) {
    // A number of at most 15 digits comes back as it was, and %g leaves its trailing zeros out.
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}
