// io/hdf5/hdf5_chunks.h
// Datasets of HDF5 files that are stored in chunks, compressed or not.
#ifndef CAIRN_IO_HDF5_CHUNKS_H
#define CAIRN_IO_HDF5_CHUNKS_H

#include "io/hdf5/hdf5_bytes.h"

#define IO_HDF5_FILTERS 8

// How chunks are found.
typedef enum io_chunk_index {
    IO_CHUNKS_NOT_READ,
    IO_CHUNKS_TREE,   // a B-tree of version 1: what HDF5 writes unless asked for its newest format
    IO_CHUNKS_SINGLE, // one chunk
    IO_CHUNKS_IMPLICIT, // one after the other, never filtered
    IO_CHUNKS_ARRAY     // addresses in an array of fixed size, of one page
} io_chunk_index;

// The storage of a one-dimensional chunked dataset.
typedef struct io_chunks {
    io_chunk_index index;
    uint64_t address;     // of the index
    uint64_t length;      // elements of a chunk
    uint64_t size;        // bytes of an element
    uint64_t single_size; // stored bytes of a single chunk, 0: length * size
    uint64_t single_mask; // its filter mask
    uint64_t page_bits;   // of an array
    int filter_count;
    uint16_t filter[IO_HDF5_FILTERS]; // in the order in which they were applied
    bool unknown_filter;
} io_chunks;

// The layout message from its class on (class 2: chunks), versions 3 and 4; false: damaged. What is
// not read has the index IO_CHUNKS_NOT_READ.
bool io_chunks_read_layout(io_cursor c, uint64_t version, io_chunks *chunks);
// The filter pipeline message; false: damaged.
bool io_chunks_read_filters(io_cursor c, io_chunks *chunks);

// Whether this file can read the chunks: known index, known filters.
bool io_chunks_are_read(const io_chunks *chunks);

// Elements first to first + count - 1, as they would stand in one piece.
typedef void io_chunk_fn(void *user, uint64_t first, const unsigned char *bytes, uint64_t count);

// Hands the first count elements to visit, chunk by chunk. CN_ERR_INPUT: damaged, or not all of
// them were written. Memory: one chunk, which a damaged file cannot make larger than the image
// times the best ratio of deflate.
cn_status io_chunks_visit(const io_hdf5_image *image, const io_chunks *chunks, const char *path,
                          uint64_t count, io_chunk_fn *visit, void *user, cn_error *error);
// The most elements that the image can hold in such chunks.
uint64_t io_chunks_capacity(const io_hdf5_image *image, const io_chunks *chunks);

#endif
