// io/hdf5/hdf5.h
// HDF5 files as images in memory: named lists of numbers and texts, nothing about their meaning.
//
// Reading is our own code over a part of the format, because problem files come from anywhere: a
// damaged file must give an error, and HDF5's own library (1.10.8, fuzzed) reads past its buffers,
// leaks, and asks for as much memory as a damaged file declares. Writing is our own code as well,
// since that library crashes when it has no memory.
#ifndef CAIRN_IO_HDF5_H
#define CAIRN_IO_HDF5_H

#include <cairn/base.h>

// Paths are absolute, "/group/name". Errors start with the path.

// ---- reading (hdf5_read.c) ----

// The bytes must stay where they are; there is nothing to close. env may be set after opening.
typedef struct io_hdf5_image {
    const unsigned char *bytes;
    uint64_t size;
    uint64_t root;     // address of the root group
    const cn_env *env; // of the memory for a chunk of compressed data; NULL: malloc
} io_hdf5_image;

// Whether the bytes start with the HDF5 signature. (It may also stand behind a user block; such
// files are not read, since a text could then be taken for one.)
bool io_hdf5_is_image(const void *bytes, size_t size);
cn_status io_hdf5_open(const void *bytes, size_t size, io_hdf5_image *image, cn_error *error);

bool io_hdf5_exists(const io_hdf5_image *image, const char *path);
// An attribute of the root group, of whatever content.
bool io_hdf5_has_mark(const io_hdf5_image *image, const char *name);

// How many numbers a scalar or one-dimensional dataset holds. Never more than the file can hold.
cn_status io_hdf5_count(const io_hdf5_image *image, const char *path, int64_t *count,
                        cn_error *error);
// The first count numbers, converted from whatever standard type is stored. Integers must be
// integers, and those outside 64 bits become the nearest that is inside.
cn_status io_hdf5_read_int(const io_hdf5_image *image, const char *path, int64_t count,
                           int64_t *values, cn_error *error);
cn_status io_hdf5_read_real(const io_hdf5_image *image, const char *path, int64_t count,
                            double *values, cn_error *error);
// One string, of fixed or variable length, up to its first zero byte; the bytes are not
// interpreted.
cn_status io_hdf5_read_text(const io_hdf5_image *image, const char *path, cn_arena *memory,
                            const char **text, cn_error *error);

// ---- writing (hdf5_write.c) ----

// A file in memory, which HDF5 1.8 and later read. Nothing written depends on the time: equal
// content, equal bytes.
typedef struct io_hdf5_writer io_hdf5_writer;

cn_status io_hdf5_create(cn_arena *memory, io_hdf5_writer **out, cn_error *error);
// The bytes of the file as it now stands.
cn_status io_hdf5_finish(io_hdf5_writer *writer, cn_arena *memory, const void **bytes, size_t *size,
                         cn_error *error);
void io_hdf5_close(io_hdf5_writer *writer); // NULL is allowed

// Groups, one-dimensional datasets of 32-bit integers and 64-bit reals, scalar strings of fixed
// length, and attributes of the root group (at most 200 bytes). A name has at most 240 bytes, its
// group was added before, and nothing is added twice.
cn_status io_hdf5_add_group(io_hdf5_writer *writer, const char *path, cn_error *error);
cn_status io_hdf5_add_int(io_hdf5_writer *writer, const char *path, int64_t count,
                          const int32_t *values, cn_error *error);
cn_status io_hdf5_add_real(io_hdf5_writer *writer, const char *path, int64_t count,
                           const double *values, cn_error *error);
cn_status io_hdf5_add_text(io_hdf5_writer *writer, const char *path, const char *text,
                           cn_error *error);
cn_status io_hdf5_add_mark(io_hdf5_writer *writer, const char *name, const char *text,
                           cn_error *error);

#endif
