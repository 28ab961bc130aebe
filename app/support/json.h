// app/support/json.h
// Writing JSON. Commas are placed by the writer; NaN and infinities become null; bytes that are not
// UTF-8 become \xHH, visibly, so that every line parses.
#ifndef CAIRN_APP_SUPPORT_JSON_H
#define CAIRN_APP_SUPPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 8

typedef struct json_writer {
    FILE *out;
    int32_t depth;
    bool started[JSON_DEPTH]; // something was written at this depth
} json_writer;

json_writer put_start(FILE *out);
void put_end(json_writer *json); // the line break

// An object in memory: put into json between start, which opens it, and end, which closes it. Does
// not move meanwhile. Both end the program when there is no memory.
typedef struct json_text {
    json_writer json;
    char *text; // once ended; to be freed
    size_t size;
} json_text;
void json_text_start(json_text *out);
void json_text_end(json_text *out);

// key is NULL for an element of an array and for the outermost value.
void put_open(json_writer *json, const char *key, char bracket);     // '{' or '['
void put_close(json_writer *json, char bracket);                     // '}' or ']'
void put_text(json_writer *json, const char *key, const char *text); // NULL gives null
void put_int(json_writer *json, const char *key, int64_t value);
void put_real(json_writer *json, const char *key, double value);
void put_raw(json_writer *json, const char *key, const char *text); // JSON as it is
void put_bool(json_writer *json, const char *key, bool value);

// The fewest digits that read back as the same number.
const char *real_text(double value, char text[32]);
// Bytes of the character at the start of a UTF-8 text, with its code; 0: it is none, or the end.
int32_t utf8_decode(const char *text, uint32_t *code);
// The same of a character that may be shown; 0 also for controls, marks that turn the direction of
// writing and others that are not seen.
int32_t utf8_length(const char *text);

#endif
