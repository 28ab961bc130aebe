// app/support/bytes.h
// Bytes that grow, numbers in them little-endian: messages and binary files are put together here.
// Running out of memory ends the program, as everywhere in the command.
#ifndef CAIRN_APP_SUPPORT_BYTES_H
#define CAIRN_APP_SUPPORT_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct byte_buffer {
    unsigned char *data;
    size_t size, capacity;
} byte_buffer;

void bytes_free(byte_buffer *bytes);
// Room for size more, whose start is returned; their content is whatever it was.
unsigned char *bytes_more(byte_buffer *bytes, size_t size);
void bytes_put(byte_buffer *bytes, const void *data, size_t size);
void bytes_u16(byte_buffer *bytes, uint32_t value);
void bytes_u32(byte_buffer *bytes, uint32_t value);
void bytes_f32(byte_buffer *bytes, double value);
void bytes_f64(byte_buffer *bytes, double value);
// Zero bytes up to the next multiple.
void bytes_align(byte_buffer *bytes, size_t multiple);
// Overwrites four bytes.
void bytes_set_u32(byte_buffer *bytes, size_t at, uint32_t value);

// Appends the deflated form of data (zlib without its frame); raw deflate.
void bytes_deflate(byte_buffer *bytes, const void *data, size_t size);
// Appends data in base64, standard alphabet, padded.
void bytes_base64(byte_buffer *bytes, const void *data, size_t size);

#endif
