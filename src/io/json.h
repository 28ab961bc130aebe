// io/json.h
// Writing JSON: commas, indentation and escapes are taken care of; the first failure (no memory) is
// kept and later calls do nothing.
#ifndef CAIRN_IO_JSON_H
#define CAIRN_IO_JSON_H

#include "base/memory.h"

#define IO_JSON_DEPTH_MAX 64

typedef struct io_json {
    base_buffer *out;
    int32_t depth;
    bool filled[IO_JSON_DEPTH_MAX]; // whether a level has a member already
    bool after_key, good;
} io_json;

void io_json_start(io_json *json, base_buffer *out);
void io_json_open(io_json *json, char bracket); // '{' or '['
void io_json_close(io_json *json, char bracket);
void io_json_key(io_json *json, const char *key);
void io_json_text(io_json *json, const char *text);
void io_json_number(io_json *json, double number); // finite
void io_json_bool(io_json *json, bool truth);
// A key and its value in one.
void io_json_member(io_json *json, const char *key, const char *text);
void io_json_member_number(io_json *json, const char *key, double number);

#endif
