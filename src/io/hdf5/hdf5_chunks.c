// io/hdf5/hdf5_chunks.c
// Chunked storage ("HDF5 File Format Specification", version 3.0: III.A.1, IV.A.2.i, IV.A.2.l,
// VII).
//
// Read: B-trees of version 1, single chunks, implicit indices and fixed arrays of one page; the
// filters deflate, shuffle and Fletcher's checksum. Not read: extensible arrays and B-trees of
// version 2, which only files of the newest format with unlimited sizes have, and other filters.
#include "io/hdf5/hdf5_chunks.h"

#include "base/error.h"
#include "base/memory.h"

#include <zlib.h>

#define DEFLATE_RATIO 1032u // deflate stores at most so many bytes in one
#define TREE_DEPTH 16       // real trees have one to four levels

enum { FILTER_DEFLATE = 1, FILTER_SHUFFLE = 2, FILTER_FLETCHER = 3 };

bool io_chunks_read_layout(io_cursor c, uint64_t version, io_chunks *chunks) {
    chunks->index = IO_CHUNKS_NOT_READ;
    if (version == 3) {
        uint64_t rank = io_take(&c, 1); // of the chunk: one more, the size of an element
        chunks->address = io_take(&c, 8);
        chunks->length = io_take(&c, 4);
        chunks->size = io_take(&c, 4);
        chunks->index = rank == 2 ? IO_CHUNKS_TREE : IO_CHUNKS_NOT_READ;
        return !c.bad;
    }
    uint64_t flags = io_take(&c, 1), rank = io_take(&c, 1), bytes = io_take(&c, 1);
    if (c.bad || bytes < 1 || bytes > 8) {
        return false;
    }
    chunks->length = io_take(&c, (unsigned)bytes);
    chunks->size = rank == 2 ? io_take(&c, (unsigned)bytes) : 0;
    if (rank != 2) {
        return !c.bad;
    }
    uint64_t kind = io_take(&c, 1);
    if (kind == 1) {
        chunks->index = IO_CHUNKS_SINGLE;
        chunks->single_size = flags & 2 ? io_take(&c, 8) : 0;
        chunks->single_mask = flags & 2 ? io_take(&c, 4) : 0;
    } else if (kind == 2) {
        chunks->index = IO_CHUNKS_IMPLICIT;
    } else if (kind == 3) {
        chunks->index = IO_CHUNKS_ARRAY;
        chunks->page_bits = io_take(&c, 1);
    }
    chunks->address = io_take(&c, 8);
    return !c.bad;
}

bool io_chunks_read_filters(io_cursor c, io_chunks *chunks) {
    uint64_t version = io_take(&c, 1), count = io_take(&c, 1);
    io_cut(&c, version == 1 ? 6 : 0);
    chunks->unknown_filter = version < 1 || version > 2 || count > IO_HDF5_FILTERS;
    for (uint64_t i = 0; i < count && !chunks->unknown_filter && !c.bad; i++) {
        uint64_t id = io_take(&c, 2);
        uint64_t name = version == 1 || id >= 256 ? io_take(&c, 2) : 0;
        io_cut(&c, 2); // flags
        uint64_t values = io_take(&c, 2);
        io_cut(&c, version == 1 ? (name + 7) / 8 * 8 : name);
        io_cut(&c, 4 * (values + (version == 1 ? values % 2 : 0)));
        chunks->filter[chunks->filter_count++] = (uint16_t)id;
        chunks->unknown_filter =
            id != FILTER_DEFLATE && id != FILTER_SHUFFLE && id != FILTER_FLETCHER;
    }
    return !c.bad;
}

bool io_chunks_are_read(const io_chunks *chunks) {
    return chunks->index != IO_CHUNKS_NOT_READ && !chunks->unknown_filter &&
           !(chunks->index == IO_CHUNKS_IMPLICIT && chunks->filter_count > 0);
}

static uint64_t ratio_of(const io_chunks *chunks) {
    for (int i = 0; i < chunks->filter_count; i++) {
        if (chunks->filter[i] == FILTER_DEFLATE) {
            return DEFLATE_RATIO;
        }
    }
    return 1;
}

uint64_t io_chunks_capacity(const io_hdf5_image *image, const io_chunks *chunks) {
    return chunks->size > 0 ? image->size / chunks->size * ratio_of(chunks) : 0;
}

// ---- one chunk ----

typedef struct chunk_walk {
    const io_hdf5_image *image;
    const io_chunks *chunks;
    const char *path;
    uint64_t count;   // elements wanted
    uint64_t covered; // and seen so far
    uint64_t budget;  // nodes and chunks that may still be visited
    io_chunk_fn *visit;
    void *user;
    base_buffer plain, turned; // a chunk without its filters
    cn_error *error;
} chunk_walk;

static cn_status fail_damaged(chunk_walk *w) {
    return base_fail(w->error, CN_ERR_INPUT, "%s is damaged: its chunks make no sense", w->path);
}

// What deflate stored, into `to` of the size of a whole chunk.
static cn_status inflate_chunk(chunk_walk *w, io_cursor stored, base_buffer *to, uint64_t size) {
    if (stored.left > UINT32_MAX || size > UINT32_MAX) {
        return fail_damaged(w);
    }
    to->size = 0;
    if (!base_buffer_reserve(to, size)) {
        return base_fail_memory(w->error);
    }
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)stored.at,
                  .avail_in = (unsigned)stored.left,
                  .next_out = to->data,
                  .avail_out = (unsigned)size};
    int code = inflateInit(&z);
    if (code == Z_OK) {
        code = inflate(&z, Z_FINISH);
        inflateEnd(&z);
    }
    if (code == Z_MEM_ERROR) {
        return base_fail_memory(w->error);
    }
    to->size = size - z.avail_out;
    return code == Z_STREAM_END ? CN_OK : fail_damaged(w);
}

// Shuffled: the first bytes of all elements, then the second ones, and so on; what is left over
// stands at the end.
static cn_status unshuffle(chunk_walk *w, io_cursor *bytes, base_buffer *to) {
    uint64_t size = w->chunks->size, count = bytes->left / size;
    to->size = 0;
    if (!base_buffer_reserve(to, bytes->left)) {
        return base_fail_memory(w->error);
    }
    for (uint64_t k = 0; k < size; k++) {
        for (uint64_t i = 0; i < count; i++) {
            to->data[i * size + k] = bytes->at[k * count + i];
        }
    }
    if (bytes->left > count * size) {
        memcpy(to->data + count * size, bytes->at + count * size, bytes->left - count * size);
    }
    to->size = bytes->left;
    *bytes = (io_cursor){.at = to->data, .left = to->size};
    return CN_OK;
}

// Takes the filters off, the last one first; bit k of the mask: filter k was left out.
static cn_status remove_filters(chunk_walk *w, uint64_t mask, uint64_t size, io_cursor *bytes) {
    cn_status status = CN_OK;
    for (int k = w->chunks->filter_count - 1; k >= 0 && status == CN_OK; k--) {
        uint16_t filter = w->chunks->filter[k];
        if (mask >> k & 1) {
            continue;
        }
        base_buffer *to = bytes->at == w->plain.data ? &w->turned : &w->plain;
        if (filter == FILTER_FLETCHER) {
            status = bytes->left < 4 ? fail_damaged(w) : CN_OK;
            bytes->left -= status == CN_OK ? 4 : 0; // the sum; the image is checked as a whole
        } else if (filter == FILTER_SHUFFLE) {
            status = unshuffle(w, bytes, to);
        } else {
            status = inflate_chunk(w, *bytes, to, size + 4); // a checksum may be inside
            *bytes = (io_cursor){.at = to->data, .left = to->size};
        }
    }
    return status;
}

// A chunk at an element; stored: its bytes in the file.
static cn_status visit_chunk(chunk_walk *w, uint64_t first, uint64_t address, uint64_t stored,
                             uint64_t mask) {
    const io_chunks *chunks = w->chunks;
    io_cursor bytes = io_view(w->image, address, stored);
    if (w->budget-- == 0 || bytes.bad || first % chunks->length != 0) {
        return fail_damaged(w);
    }
    if (first >= w->count) {
        return CN_OK;
    }
    uint64_t left = w->count - first, count = chunks->length < left ? chunks->length : left;
    if (chunks->length > UINT32_MAX / chunks->size ||
        count > stored * ratio_of(chunks) / chunks->size) {
        return fail_damaged(w);
    }
    CN_TRY(remove_filters(w, mask, chunks->length * chunks->size, &bytes));
    if (bytes.left < count * chunks->size) {
        CN_TRY(fail_damaged(w));
    }
    w->visit(w->user, first, bytes.at, count);
    w->covered += count;
    return CN_OK;
}

// ---- how chunks are found ----

// III.A.1, node type 1. Keys: stored size, mask, offsets of the element and inside it.
static cn_status visit_tree(chunk_walk *w, uint64_t address, int depth) {
    io_cursor c = io_view_from(w->image, address);
    bool right = io_take_signature(&c, "TREE") && io_take(&c, 1) == 1;
    uint64_t level = io_take(&c, 1), count = io_take(&c, 2);
    io_cut(&c, 16); // siblings: the level above leads to all of them
    if (!right || c.bad || depth > TREE_DEPTH || w->budget-- == 0) {
        return fail_damaged(w);
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t stored = io_take(&c, 4), mask = io_take(&c, 4), first = io_take(&c, 8);
        io_cut(&c, 8);
        uint64_t child = io_take(&c, 8);
        if (c.bad) {
            return fail_damaged(w);
        }
        CN_TRY(level > 0 ? visit_tree(w, child, depth + 1)
                         : visit_chunk(w, first, child, stored, mask));
    }
    return CN_OK;
}

// VII.C: a header and one data block. Elements: address, and with filters stored size and mask.
static cn_status visit_array(chunk_walk *w) {
    const io_chunks *chunks = w->chunks;
    uint64_t whole = chunks->length * chunks->size;
    io_cursor c = io_view_from(w->image, chunks->address);
    bool right = io_take_signature(&c, "FAHD") && io_take(&c, 1) == 0;
    bool filtered = io_take(&c, 1) == 1;
    uint64_t entry = io_take(&c, 1), page_bits = io_take(&c, 1), count = io_take(&c, 8);
    io_cursor block = io_view_from(w->image, io_take(&c, 8));
    right = right && io_take_signature(&block, "FADB") && io_take(&block, 1) == 0;
    io_cut(&block, 1 + 8); // whose it is
    if (!right || c.bad || block.bad || entry < (filtered ? 13u : 8u) || entry > 20u) {
        return fail_damaged(w);
    }
    if (page_bits > 63 || count > (uint64_t)1 << page_bits) {
        base_fail(w->error, CN_ERR_UNSUPPORTED, "%s has chunks in an array of several pages",
                  w->path);
        base_fail_hint(w->error, "rewrite it: h5repack -l CONTI -f NONE IN OUT");
        return CN_ERR_UNSUPPORTED;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t address = io_take(&block, 8);
        uint64_t stored = filtered ? io_take(&block, (unsigned)(entry - 12)) : whole;
        uint64_t mask = filtered ? io_take(&block, 4) : 0;
        if (block.bad) {
            return fail_damaged(w);
        }
        if (address != IO_HDF5_UNDEFINED) {
            CN_TRY(visit_chunk(w, i * chunks->length, address, stored, mask));
        }
    }
    return CN_OK;
}

static cn_status visit_implicit(chunk_walk *w) {
    const io_chunks *chunks = w->chunks;
    uint64_t whole = chunks->length * chunks->size;
    for (uint64_t first = 0; first < w->count; first += chunks->length) {
        CN_TRY(visit_chunk(w, first, chunks->address + first * chunks->size, whole, 0));
    }
    return CN_OK;
}

cn_status io_chunks_visit(const io_hdf5_image *image, const io_chunks *chunks, const char *path,
                          uint64_t count, io_chunk_fn *visit, void *user, cn_error *error) {
    chunk_walk w = {image, chunks, path, count, .visit = visit, .user = user, .error = error};
    base_buffer_init(&w.plain, image->env);
    base_buffer_init(&w.turned, image->env);
    w.budget = image->size / 8; // each takes eight bytes and more
    uint64_t whole = chunks->length * chunks->size;
    cn_status status = CN_OK;
    if (count == 0) {
        return CN_OK;
    }
    if (chunks->length == 0 || chunks->size == 0 || chunks->length > UINT32_MAX ||
        chunks->size > UINT32_MAX) {
        status = fail_damaged(&w);
    } else if (chunks->address != IO_HDF5_UNDEFINED) {
        switch (chunks->index) {
        case IO_CHUNKS_TREE:
            status = visit_tree(&w, chunks->address, 0);
            break;
        case IO_CHUNKS_SINGLE:
            status =
                visit_chunk(&w, 0, chunks->address,
                            chunks->single_size ? chunks->single_size : whole, chunks->single_mask);
            break;
        case IO_CHUNKS_IMPLICIT:
            status = visit_implicit(&w);
            break;
        case IO_CHUNKS_ARRAY:
            status = visit_array(&w);
            break;
        default:
            status = fail_damaged(&w);
            break;
        }
    }
    base_buffer_free(&w.plain);
    base_buffer_free(&w.turned);
    if (status == CN_OK && w.covered != count) {
        status = base_fail(
            error, CN_ERR_INPUT,
            w.covered == 0 ? "%s was never written" : "%s was not written as a whole", path);
    }
    return status;
}
