// app/support/bytes.c
// Growing bytes; see bytes.h. Numbers are put byte by byte, so the machine's own order does not
// matter.
#include "support/bytes.h"

#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void bytes_free(byte_buffer *bytes) {
    free(bytes->data);
    *bytes = (byte_buffer){0};
}

unsigned char *bytes_more(byte_buffer *bytes, size_t size) {
    if (size > bytes->capacity - bytes->size) {
        size_t capacity = 2 * bytes->capacity + size + 64;
        bytes->data = reallocate(bytes->data, (int64_t)capacity, 1);
        bytes->capacity = capacity;
    }
    unsigned char *start = bytes->data + bytes->size;
    bytes->size += size;
    return start;
}

void bytes_put(byte_buffer *bytes, const void *data, size_t size) {
    if (size > 0) {
        memcpy(bytes_more(bytes, size), data, size);
    }
}

// The low count bytes of value.
static void bytes_low(byte_buffer *bytes, uint64_t value, size_t count) {
    unsigned char *out = bytes_more(bytes, count);
    for (size_t i = 0; i < count; i++) {
        out[i] = (unsigned char)(value >> (8 * i));
    }
}

void bytes_u16(byte_buffer *bytes, uint32_t value) {
    bytes_low(bytes, value, 2);
}

void bytes_u32(byte_buffer *bytes, uint32_t value) {
    bytes_low(bytes, value, 4);
}

void bytes_f32(byte_buffer *bytes, double value) {
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    bytes_low(bytes, bits, 4);
}

void bytes_f64(byte_buffer *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_low(bytes, bits, 8);
}

void bytes_align(byte_buffer *bytes, size_t multiple) {
    size_t over = bytes->size % multiple;
    if (over > 0) {
        memset(bytes_more(bytes, multiple - over), 0, multiple - over);
    }
}

void bytes_set_u32(byte_buffer *bytes, size_t at, uint32_t value) {
    for (size_t i = 0; i < 4; i++) {
        bytes->data[at + i] = (unsigned char)(value >> (8 * i));
    }
}

void bytes_deflate(byte_buffer *bytes, const void *data, size_t size) {
    z_stream stream = {.next_in = (Bytef *)data};
    unsigned char buffer[16384];
    int result =
        deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    if (result != Z_OK) {
        exit(report_failure("out of memory"));
    }
    // zlib counts in 32 bits: larger data go in pieces.
    do {
        if (stream.avail_in == 0 && size > 0) {
            size_t piece = size < (1u << 30) ? size : (1u << 30);
            stream.avail_in = (uInt)piece;
            size -= piece;
        }
        stream.next_out = buffer;
        stream.avail_out = sizeof buffer;
        result = deflate(&stream, size == 0 ? Z_FINISH : Z_NO_FLUSH);
        bytes_put(bytes, buffer, sizeof buffer - stream.avail_out);
    } while (result == Z_OK);
    deflateEnd(&stream);
}

void bytes_base64(byte_buffer *bytes, const void *data, size_t size) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = data;
    unsigned char *out = bytes_more(bytes, (size + 2) / 3 * 4);
    for (size_t i = 0; i < size; i += 3, out += 4) {
        size_t left = size - i;
        uint32_t three = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                         (left > 2 ? in[i + 2] : 0);
        out[0] = (unsigned char)letters[three >> 18];
        out[1] = (unsigned char)letters[three >> 12 & 63];
        out[2] = (unsigned char)(left > 1 ? letters[three >> 6 & 63] : '=');
        out[3] = (unsigned char)(left > 2 ? letters[three & 63] : '=');
    }
}
