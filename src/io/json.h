// io/json.h
// Writing JSON: commas, indentation and escapes are taken care of; the first failure (no memory) is
// kept and later calls do nothing.
#ifndef CAIRN_IO_JSON_H
#define CAIRN_IO_JSON_H

#include "base/memory.h"

#define CN_JSON_DEPTH_MAX 64

typedef struct cn_json {
    cn_buffer *out;
    int32_t depth;
    bool filled[CN_JSON_DEPTH_MAX]; // whether a level has a member already
    bool after_key, good;
} cn_json;

void cn_json_start(cn_json *json, cn_buffer *out);
void cn_json_open(cn_json *json, char bracket); // '{' or '['
void cn_json_close(cn_json *json, char bracket);
void cn_json_key(cn_json *json, const char *key);
void cn_json_text(cn_json *json, const char *text);
void cn_json_number(cn_json *json, double number); // finite
void cn_json_bool(cn_json *json, bool truth);
// A key and its value in one.
void cn_json_member(cn_json *json, const char *key, const char *text);
void cn_json_member_number(cn_json *json, const char *key, double number);

#endif
