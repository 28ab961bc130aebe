// app/support/json.c
// The JSON writer; see json.h.
#include "support/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cn_json cn_put_start(FILE *out) {
    return (cn_json){.out = out};
}

void cn_put_end(cn_json *json) {
    fputc('\n', json->out);
}

int32_t cn_utf8_decode(const char *text, uint32_t *code) {
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
static bool cn_is_hidden(uint32_t code) {
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

int32_t cn_utf8_length(const char *text) {
    uint32_t code;
    int32_t length = cn_utf8_decode(text, &code);
    return length > 0 && cn_is_hidden(code) ? 0 : length;
}

static void cn_put_quote(FILE *out, const char *text) {
    fputc('"', out);
    while (*text) {
        uint32_t code;
        int32_t length = cn_utf8_decode(text, &code);
        if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if (length == 0) {
            fprintf(out, "\\\\x%02X", (unsigned)(unsigned char)*text);
        } else if (!cn_is_hidden(code)) {
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
static void cn_put_key(cn_json *json, const char *key) {
    if (json->started[json->depth]) {
        fputc(',', json->out);
    }
    json->started[json->depth] = true;
    if (key) {
        cn_put_quote(json->out, key);
        fputc(':', json->out);
    }
}

void cn_put_open(cn_json *json, const char *key, char bracket) {
    cn_put_key(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->started[json->depth] = false;
}

void cn_put_close(cn_json *json, char bracket) {
    json->depth--;
    fputc(bracket, json->out);
}

void cn_put_text(cn_json *json, const char *key, const char *text) {
    cn_put_key(json, key);
    if (text) {
        cn_put_quote(json->out, text);
    } else {
        fputs("null", json->out);
    }
}

void cn_put_int(cn_json *json, const char *key, int64_t value) {
    cn_put_key(json, key);
    fprintf(json->out, "%lld", (long long)value);
}

void cn_put_real(cn_json *json, const char *key, double value) {
    char text[32];
    cn_put_key(json, key);
    fputs(isfinite(value) ? cn_real_text(value, text) : "null", json->out);
}

void cn_put_raw(cn_json *json, const char *key, const char *text) {
    cn_put_key(json, key);
    fputs(text, json->out);
}

void cn_put_bool(cn_json *json, const char *key, bool value) {
    cn_put_key(json, key);
    fputs(value ? "true" : "false", json->out);
}

const char *cn_real_text(double value, char text[32]) {
    // A number of at most 15 digits comes back as it was, and %g leaves its trailing zeros out.
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}
