// app/support/json.h
// Writing JSON. Commas are placed by the writer; NaN and infinities become null; bytes that are not
// UTF-8 become \xHH, visibly, so that every line parses.
#ifndef CAIRN_APP_SUPPORT_JSON_H
#define CAIRN_APP_SUPPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CN_JSON_DEPTH 8

typedef struct cn_json {
    FILE *out;
    int32_t depth;
    bool started[CN_JSON_DEPTH]; // something was written at this depth
} cn_json;

cn_json cn_put_start(FILE *out);
void cn_put_end(cn_json *json); // the line break

// key is NULL for an element of an array and for the outermost value.
void cn_put_open(cn_json *json, const char *key, char bracket);     // '{' or '['
void cn_put_close(cn_json *json, char bracket);                     // '}' or ']'
void cn_put_text(cn_json *json, const char *key, const char *text); // NULL gives null
void cn_put_int(cn_json *json, const char *key, int64_t value);
void cn_put_real(cn_json *json, const char *key, double value);
void cn_put_raw(cn_json *json, const char *key, const char *text); // JSON as it is
void cn_put_bool(cn_json *json, const char *key, bool value);

// The fewest digits that read back as the same number.
const char *cn_real_text(double value, char text[32]);
// Bytes of the character at the start of a UTF-8 text, with its code; 0: it is none, or the end.
int32_t cn_utf8_decode(const char *text, uint32_t *code);
// The same of a character that may be shown; 0 also for controls, marks that turn the direction of
// writing and others that are not seen.
int32_t cn_utf8_length(const char *text);

#endif
