// app/support/bytes.h
// Bytes that grow, numbers in them little-endian: messages and binary files are put together here.
// Running out of memory ends the program, as everywhere in the command.
#ifndef CAIRN_APP_SUPPORT_BYTES_H
#define CAIRN_APP_SUPPORT_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct cn_bytes {
    unsigned char *data;
    size_t size, capacity;
} cn_bytes;

void cn_bytes_free(cn_bytes *bytes);
// Room for size more, whose start is returned; their content is whatever it was.
unsigned char *cn_bytes_more(cn_bytes *bytes, size_t size);
void cn_bytes_put(cn_bytes *bytes, const void *data, size_t size);
void cn_bytes_u16(cn_bytes *bytes, uint32_t value);
void cn_bytes_u32(cn_bytes *bytes, uint32_t value);
void cn_bytes_f32(cn_bytes *bytes, double value);
void cn_bytes_f64(cn_bytes *bytes, double value);
// Zero bytes up to the next multiple.
void cn_bytes_align(cn_bytes *bytes, size_t multiple);
// Overwrites four bytes.
void cn_bytes_set_u32(cn_bytes *bytes, size_t at, uint32_t value);

// Appends the deflated form of data (zlib without its frame); raw deflate.
void cn_bytes_deflate(cn_bytes *bytes, const void *data, size_t size);
// Appends data in base64, standard alphabet, padded.
void cn_bytes_base64(cn_bytes *bytes, const void *data, size_t size);

#endif
