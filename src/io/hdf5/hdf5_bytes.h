// io/hdf5/hdf5_bytes.h
// What the files that read and write HDF5 share: the numbers of the format, and bounded reading of
// the bytes of an image.
#ifndef CAIRN_IO_HDF5_BYTES_H
#define CAIRN_IO_HDF5_BYTES_H

#include "io/hdf5/hdf5.h"

#include <string.h>

#define IO_HDF5_UNDEFINED UINT64_MAX // an address that leads nowhere
#define IO_HDF5_SIGNATURE "\211HDF\r\n\032\n"

// Types of messages in an object header (IV.A.2).
enum {
    IO_MESSAGE_SPACE = 0x01,
    IO_MESSAGE_LINK_INFO = 0x02,
    IO_MESSAGE_TYPE = 0x03,
    IO_MESSAGE_FILL = 0x05,
    IO_MESSAGE_LINK = 0x06,
    IO_MESSAGE_EXTERNAL = 0x07,
    IO_MESSAGE_LAYOUT = 0x08,
    IO_MESSAGE_GROUP_INFO = 0x0A,
    IO_MESSAGE_FILTERS = 0x0B,
    IO_MESSAGE_ATTRIBUTE = 0x0C,
    IO_MESSAGE_CONTINUE = 0x10,
    IO_MESSAGE_TABLE = 0x11
};

// What is left of a piece of the image. Reading past its end gives zeros and sets bad.
typedef struct io_cursor {
    const unsigned char *at;
    uint64_t left;
    bool bad;
} io_cursor;

// length bytes at an address; bad when they are not inside the image.
static inline io_cursor io_view(const io_hdf5_image *image, uint64_t address, uint64_t length) {
    if (address > image->size || length > image->size - address) {
        return (io_cursor){.at = image->bytes, .bad = true};
    }
    return (io_cursor){.at = image->bytes + address, .left = length};
}

// From an address to the end of the image.
static inline io_cursor io_view_from(const io_hdf5_image *image, uint64_t address) {
    return io_view(image, address, address < image->size ? image->size - address : 0);
}

// The next length bytes as a piece of their own.
static inline io_cursor io_cut(io_cursor *c, uint64_t length) {
    io_cursor piece = {.at = c->at, .bad = true};
    if (c->bad || length > c->left) {
        c->bad = true;
        return piece;
    }
    piece = (io_cursor){.at = c->at, .left = length};
    c->at += length;
    c->left -= length;
    return piece;
}

// A little-endian number of 1 to 8 bytes.
static inline uint64_t io_take(io_cursor *c, unsigned bytes) {
    io_cursor piece = io_cut(c, bytes);
    uint64_t value = 0;
    for (uint64_t i = 0; i < piece.left; i++) {
        value |= (uint64_t)piece.at[i] << (8 * i);
    }
    return value;
}

static inline bool io_take_signature(io_cursor *c, const char signature[4]) {
    io_cursor piece = io_cut(c, 4);
    return !piece.bad && memcmp(piece.at, signature, 4) == 0;
}

#endif
