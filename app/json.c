// app/json.c
// The JSON writer; see json.h.
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cn_json cn_put_start(FILE *out) {
    return (cn_json){.out = out};
}

void cn_put_end(cn_json *json) {
    fputc('\n', json->out);
}

// One printable character of 1 to 4 bytes in its shortest form, no surrogate.
int32_t cn_utf8_length(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    if (b[0] >= 0x20 && b[0] < 0x7f) {
        return 1;
    }
    int32_t length = b[0] >= 0xc2 && b[0] < 0xe0 ? 2 : b[0] >= 0xe0 && b[0] < 0xf0 ? 3 : 4;
    if (b[0] < 0xc2 || b[0] > 0xf4) {
        return 0;
    }
    for (int32_t i = 1; i < length; i++) {
        if ((b[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xf0 && b[1] < 0x90);
    bool outside = (b[0] == 0xed && b[1] >= 0xa0) || (b[0] == 0xf4 && b[1] >= 0x90);
    bool control = b[0] == 0xc2 && b[1] < 0xa0;
    return overlong || outside || control ? 0 : length;
}

static void cn_put_quote(FILE *out, const char *text) {
    fputc('"', out);
    while (*text) {
        int32_t length = cn_utf8_length(text);
        if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text++);
        } else if (length > 0) {
            fwrite(text, 1, (size_t)length, out);
            text += length;
        } else if ((unsigned char)*text < 0x80) {
            fprintf(out, "\\u%04x", (unsigned)*text++);
        } else {
            fprintf(out, "\\\\x%02X", (unsigned)(unsigned char)*text++);
        }
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
