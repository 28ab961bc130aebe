// io/hdf5/hdf5_read.c
// A reader for the part of HDF5 that lists of numbers need ("HDF5 File Format Specification",
// version 3.0; section numbers below are its own).
//
// Read: superblocks 0 to 3, object headers 1 and 2, groups as symbol tables or as compact links,
// contiguous, compact and chunked datasets (hdf5_chunks.c) of standard integers, IEEE reals and
// strings. Not read, and reported by name: other filters than deflate and shuffle, groups with many
// links in the newest form, external files, soft links. h5repack converts those. Every access is
// checked against the image and every walk is bounded by its size, so that no bytes can do harm.
#include "io/hdf5/hdf5_chunks.h"

#include "base/arena.h"
#include "base/error.h"

#include <string.h>

#define SIGNATURE_SIZE 8u
#define CONTINUATIONS 256 // blocks of one object header; real ones have a few
#define REPACK_HINT "rewrite it: h5repack -l CONTI -f NONE IN OUT"

static cn_status fail_path(cn_error *error, const char *path, const char *reason) {
    return base_fail(error, CN_ERR_INPUT, "%s %s", path, reason);
}

static cn_status fail_not_read(cn_error *error, const char *path) {
    cn_status status = base_fail(
        error, CN_ERR_UNSUPPORTED,
        "%s is stored in a way that is not read (an index of chunks, a filter, a link)", path);
    base_fail_hint(error, REPACK_HINT);
    return status;
}

// ---- superblock (II.A) ----

bool io_hdf5_is_image(const void *bytes, size_t size) {
    return size >= SIGNATURE_SIZE && memcmp(bytes, IO_HDF5_SIGNATURE, SIGNATURE_SIZE) == 0;
}

// The end of the file as it was written, and the address of the root group.
static bool read_superblock(io_cursor c, uint64_t *end, uint64_t *root) {
    io_cut(&c, SIGNATURE_SIZE);
    uint64_t version = io_take(&c, 1);
    if (version > 3) {
        return false;
    }
    io_cut(&c, version < 2 ? 4 : 0); // versions of parts
    uint64_t offsets = io_take(&c, 1);
    uint64_t lengths = io_take(&c, 1);
    // Sizes of 8 bytes only: smaller ones have to be asked for, and nobody does.
    if (offsets != 8 || lengths != 8) {
        return false;
    }
    if (version < 2) {
        io_cut(&c, version == 0 ? 9 : 13); // fan-outs and flags
        io_cut(&c, 16);                    // base address, free space
        *end = io_take(&c, 8);
        io_cut(&c, 16); // driver block, name of the root
        *root = io_take(&c, 8);
    } else {
        io_cut(&c, 17); // flags, base address, extension
        *end = io_take(&c, 8);
        *root = io_take(&c, 8);
    }
    return !c.bad;
}

// ---- object headers (IV.A) ----

typedef struct io_message {
    uint64_t type;
    bool shared; // the body is elsewhere
    io_cursor body;
} io_message;

// A walk over the messages of one object.
typedef struct io_header {
    const io_hdf5_image *image;
    bool old;     // version 1
    bool ordered; // messages carry a number
    bool bad;
    io_cursor block;
    int more; // continuation blocks waiting
    int seen; // and so far
    io_cursor waiting[CONTINUATIONS];
} io_header;

static void header_open(const io_hdf5_image *image, uint64_t address, io_header *h) {
    io_cursor c = io_view_from(image, address);
    *h = (io_header){.image = image, .old = c.left > 0 && c.at[0] == 1};
    if (h->old) {
        io_cut(&c, 8); // version, number of messages, references
        uint64_t size = io_take(&c, 4);
        io_cut(&c, 4); // to a multiple of 8
        h->block = io_cut(&c, size);
        h->bad = h->block.bad;
        return;
    }
    bool right = io_take_signature(&c, "OHDR") && io_take(&c, 1) == 2;
    uint64_t flags = io_take(&c, 1);
    io_cut(&c, (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0)); // times; attribute limits
    h->ordered = flags & 0x04;
    uint64_t size = io_take(&c, 1u << (flags & 3));
    h->block = io_cut(&c, size);
    h->bad = !right || h->block.bad;
}

// Takes a continuation block into the queue; a block of version 2 has a signature and a checksum.
static void header_continue(io_header *h, io_cursor body) {
    uint64_t address = io_take(&body, 8);
    uint64_t length = io_take(&body, 8);
    io_cursor block = io_view(h->image, address, length);
    if (!h->old) {
        h->bad = h->bad || !io_take_signature(&block, "OCHK") || block.left < 4;
        block.left -= block.left < 4 ? block.left : 4;
    }
    h->bad = h->bad || body.bad || block.bad || h->seen == CONTINUATIONS;
    if (!h->bad) {
        h->waiting[h->more++] = block;
        h->seen++;
    }
}

// The next message; false at the end, and when the header is damaged (bad).
static bool header_next(io_header *h, io_message *m) {
    uint64_t prefix = h->old ? 8 : h->ordered ? 6 : 4;
    while (!h->bad) {
        // What is left behind the last message is a gap.
        if (h->block.left < prefix) {
            if (h->more == 0) {
                return false;
            }
            h->block = h->waiting[--h->more];
            continue;
        }
        m->type = io_take(&h->block, h->old ? 2 : 1);
        uint64_t size = io_take(&h->block, 2);
        m->shared = io_take(&h->block, 1) & 0x02;
        io_cut(&h->block, prefix - (h->old ? 5 : 4));
        m->body = io_cut(&h->block, size);
        h->bad = m->body.bad;
        if (!h->bad && m->type == IO_MESSAGE_CONTINUE) {
            header_continue(h, m->body);
        } else if (!h->bad) {
            return true;
        }
    }
    return false;
}

// ---- groups (III.A to III.D, IV.A.2.g) ----

typedef enum io_found { ABSENT, FOUND, DAMAGED, NOT_READ } io_found;

// A name to look for, and the budget of the walk: the nodes and entries of a tree cannot outnumber
// what fits into the image, unless they go round in circles.
typedef struct io_search {
    const io_hdf5_image *image;
    const char *name;
    size_t length;
    uint64_t budget;
    io_cursor heap;   // the names of a symbol table
    uint64_t address; // of what was found
} io_search;

static bool name_matches(io_search *s, uint64_t offset) {
    io_cursor name = s->heap;
    io_cut(&name, offset);
    return !name.bad && name.left > s->length && memcmp(name.at, s->name, s->length) == 0 &&
           name.at[s->length] == '\0';
}

// A leaf of a symbol table: entries of 40 bytes.
static io_found search_leaf(io_search *s, uint64_t address) {
    io_cursor c = io_view_from(s->image, address);
    bool right = io_take_signature(&c, "SNOD");
    io_cut(&c, 2);
    uint64_t count = io_take(&c, 2);
    for (uint64_t i = 0; right && i < count && !c.bad; i++) {
        uint64_t name = io_take(&c, 8);
        uint64_t object = io_take(&c, 8);
        uint64_t cached = io_take(&c, 4);
        io_cut(&c, 20);
        if (c.bad || s->budget-- == 0) {
            return DAMAGED;
        }
        if (name_matches(s, name)) {
            s->address = object;
            return cached == 2 ? NOT_READ : FOUND; // 2: a soft link
        }
    }
    return right && !c.bad ? ABSENT : DAMAGED;
}

// Down the left edge of the tree, then along the lowest level.
static io_found search_tree(io_search *s, uint64_t address) {
    while (address != IO_HDF5_UNDEFINED) {
        io_cursor c = io_view_from(s->image, address);
        bool right = io_take_signature(&c, "TREE") && io_take(&c, 1) == 0;
        uint64_t level = io_take(&c, 1);
        uint64_t count = io_take(&c, 2);
        io_cut(&c, 8); // the sibling on the left
        address = io_take(&c, 8);
        if (!right || c.bad || s->budget-- == 0) {
            return DAMAGED;
        }
        for (uint64_t i = 0; i < count; i++) {
            io_cut(&c, 8); // key
            uint64_t child = io_take(&c, 8);
            if (c.bad || s->budget-- == 0) {
                return DAMAGED;
            }
            if (level > 0) {
                address = child;
                break;
            }
            io_found found = search_leaf(s, child);
            if (found != ABSENT) {
                return found;
            }
        }
    }
    return ABSENT;
}

static io_found search_table(io_search *s, io_cursor body) {
    uint64_t tree = io_take(&body, 8);
    io_cursor heap = io_view_from(s->image, io_take(&body, 8));
    bool right = io_take_signature(&heap, "HEAP");
    io_cut(&heap, 4);
    uint64_t size = io_take(&heap, 8);
    io_cut(&heap, 8);
    s->heap = io_view(s->image, io_take(&heap, 8), size);
    if (!right || body.bad || heap.bad || s->heap.bad) {
        return DAMAGED;
    }
    s->budget = s->image->size / 8; // each takes eight bytes and more
    return search_tree(s, tree);
}

static io_found search_link(io_search *s, io_cursor body) {
    uint64_t version = io_take(&body, 1);
    uint64_t flags = io_take(&body, 1);
    uint64_t kind = flags & 0x08 ? io_take(&body, 1) : 0;
    io_cut(&body, (flags & 0x04 ? 8 : 0) + (flags & 0x10 ? 1 : 0)); // order, character set
    uint64_t length = io_take(&body, 1u << (flags & 3));
    io_cursor name = io_cut(&body, length);
    if (body.bad || version != 1) {
        return DAMAGED;
    }
    if (length != s->length || memcmp(name.at, s->name, length) != 0) {
        return ABSENT;
    }
    s->address = io_take(&body, 8);
    if (kind != 0) {
        return NOT_READ;
    }
    return body.bad ? DAMAGED : FOUND;
}

// Links beyond a few are kept in a heap that is not read.
static io_found search_link_info(io_cursor body) {
    io_cut(&body, 1);
    uint64_t flags = io_take(&body, 1);
    io_cut(&body, flags & 0x01 ? 8 : 0);
    uint64_t heap = io_take(&body, 8);
    return body.bad ? DAMAGED : heap == IO_HDF5_UNDEFINED ? ABSENT : NOT_READ;
}

static io_found search_group(io_search *s, uint64_t group) {
    io_header header;
    io_message m;
    io_found result = ABSENT;
    header_open(s->image, group, &header);
    while (header_next(&header, &m)) {
        io_found found = m.shared                         ? ABSENT
                         : m.type == IO_MESSAGE_TABLE     ? search_table(s, m.body)
                         : m.type == IO_MESSAGE_LINK      ? search_link(s, m.body)
                         : m.type == IO_MESSAGE_LINK_INFO ? search_link_info(m.body)
                                                          : ABSENT;
        if (found == FOUND) {
            return FOUND;
        }
        result = found == ABSENT ? result : found;
    }
    return header.bad ? DAMAGED : result;
}

cn_status io_hdf5_open(const void *bytes, size_t size, io_hdf5_image *image, cn_error *error) {
    uint64_t end = 0;
    *image = (io_hdf5_image){.bytes = bytes, .size = size};
    if (!io_hdf5_is_image(bytes, size)) {
        return base_fail(error, CN_ERR_INPUT, "not an HDF5 file");
    }
    if (!read_superblock(io_view_from(image, 0), &end, &image->root)) {
        return base_fail(error, CN_ERR_INPUT, "an HDF5 file whose first block makes no sense");
    }
    if (end > size) {
        cn_status status = base_fail(
            error, CN_ERR_INPUT, "the HDF5 file is cut short: it should have %llu bytes, not %llu",
            (unsigned long long)end, (unsigned long long)size);
        base_fail_hint(error, "copy it again");
        return status;
    }
    // No link can have this name: what is learnt is whether the names can be read.
    io_search any = {.image = image, .name = ".", .length = 1};
    io_found found = search_group(&any, image->root);
    if (found == DAMAGED) {
        return fail_path(error, "/", "is damaged");
    }
    return found == NOT_READ ? fail_not_read(error, "/") : CN_OK;
}

static io_found find(const io_hdf5_image *image, const char *path, uint64_t *address) {
    io_found found = FOUND;
    *address = image->root;
    while (found == FOUND && *path) {
        path += *path == '/';
        io_search search = {.image = image, .name = path, .length = strcspn(path, "/")};
        found = search_group(&search, *address);
        *address = search.address;
        path += search.length;
    }
    return found;
}

bool io_hdf5_exists(const io_hdf5_image *image, const char *path) {
    uint64_t address;
    return find(image, path, &address) == FOUND;
}

bool io_hdf5_has_mark(const io_hdf5_image *image, const char *name) {
    io_header header;
    io_message m;
    size_t length = strlen(name) + 1;
    header_open(image, image->root, &header);
    while (header_next(&header, &m)) {
        if (m.type != IO_MESSAGE_ATTRIBUTE || m.shared) {
            continue;
        }
        uint64_t version = io_take(&m.body, 1);
        io_cut(&m.body, 1);
        uint64_t size = io_take(&m.body, 2);
        io_cut(&m.body, version == 3 ? 5 : 4); // sizes of type and space, character set
        io_cursor found = io_cut(&m.body, size);
        if (!found.bad && size >= length && memcmp(found.at, name, length) == 0) {
            return true;
        }
    }
    return false;
}

// ---- datasets ----

typedef enum io_element { INTEGER, IO_REAL, IO_TEXT, TEXT_VARIABLE, OTHER } io_element;

typedef struct io_dataset {
    uint64_t count;
    io_element element;
    uint64_t size; // bytes of one element
    bool big_endian, is_signed, space_padded;
    bool has_space, has_type, has_layout;
    bool not_read; // stored in a way that we do not read
    bool empty;    // no data was ever written
    io_cursor data;
    bool chunked;
    io_chunks chunks;
} io_dataset;

// IV.A.2.b: rank 0 or 1.
static bool read_space(io_cursor c, io_dataset *d) {
    uint64_t version = io_take(&c, 1);
    uint64_t rank = io_take(&c, 1);
    io_cut(&c, 1);
    uint64_t kind = io_take(&c, version == 1 ? 5 : 1);
    if (version < 1 || version > 2 || rank > 1) {
        return false;
    }
    d->count = rank == 1 ? io_take(&c, 8) : 1;
    if (version == 2 && kind == 2) {
        d->count = 0; // a null space
    }
    d->has_space = true;
    return !c.bad;
}

// IV.A.2.d: only the two IEEE formats, in either byte order.
static bool is_ieee(io_cursor *c, uint64_t bits, uint64_t size) {
    uint64_t offset = io_take(c, 2);
    uint64_t precision = io_take(c, 2);
    uint64_t exponent = io_take(c, 1);
    uint64_t exponent_size = io_take(c, 1);
    uint64_t mantissa = io_take(c, 1);
    uint64_t mantissa_size = io_take(c, 1);
    uint64_t bias = io_take(c, 4);
    uint64_t sign = bits >> 8 & 0xff;
    bool usual = !c->bad && offset == 0 && mantissa == 0 && precision == 8 * size &&
                 sign == precision - 1 && (bits >> 4 & 3) == 2;
    return usual && ((size == 8 && exponent == 52 && exponent_size == 11 && mantissa_size == 52 &&
                      bias == 1023) ||
                     (size == 4 && exponent == 23 && exponent_size == 8 && mantissa_size == 23 &&
                      bias == 127));
}

static bool read_type(io_cursor c, io_dataset *d) {
    uint64_t class = io_take(&c, 1) & 0x0f;
    uint64_t bits = io_take(&c, 3);
    d->size = io_take(&c, 4);
    d->big_endian = bits & 1;
    d->element = OTHER;
    d->has_type = true;
    if (class == 0) {
        uint64_t offset = io_take(&c, 2);
        uint64_t precision = io_take(&c, 2);
        bool usual = d->size == 1 || d->size == 2 || d->size == 4 || d->size == 8;
        d->is_signed = bits & 8;
        if (usual && offset == 0 && precision == 8 * d->size) {
            d->element = INTEGER;
        }
    } else if (class == 1 && !(bits & 0x40) && is_ieee(&c, bits, d->size)) {
        d->element = IO_REAL;
    } else if (class == 3) {
        d->element = IO_TEXT;
        d->space_padded = (bits & 0x0f) == 2;
    } else if (class == 9 && (bits & 0x0f) == 1) {
        d->element = TEXT_VARIABLE;
    }
    return !c.bad && d->size > 0;
}

// IV.A.2.i: data in the message itself, in one piece elsewhere, or in chunks.
static bool read_layout(const io_hdf5_image *image, io_cursor c, io_dataset *d) {
    uint64_t version = io_take(&c, 1);
    uint64_t class = io_take(&c, 1);
    d->has_layout = true;
    if (version == 3 || version == 4) {
        if (class == 0) {
            d->data = io_cut(&c, io_take(&c, 2));
            return !d->data.bad;
        }
        if (class == 1) {
            uint64_t address = io_take(&c, 8);
            uint64_t size = io_take(&c, 8);
            d->empty = address == IO_HDF5_UNDEFINED;
            d->data = io_view(image, d->empty ? 0 : address, d->empty ? 0 : size);
            return !c.bad && !d->data.bad;
        }
        if (class == 2) {
            d->chunked = true;
            return io_chunks_read_layout(c, version, &d->chunks);
        }
    }
    d->not_read = true;
    return !c.bad;
}

// The messages of a dataset that matter here; false: damaged.
static bool read_dataset(const io_hdf5_image *image, uint64_t address, io_dataset *d) {
    io_header header;
    io_message m;
    bool sound = true;
    *d = (io_dataset){0};
    header_open(image, address, &header);
    while (sound && header_next(&header, &m)) {
        bool needed = m.type == IO_MESSAGE_SPACE || m.type == IO_MESSAGE_TYPE ||
                      m.type == IO_MESSAGE_LAYOUT || m.type == IO_MESSAGE_EXTERNAL ||
                      m.type == IO_MESSAGE_FILTERS;
        if (needed && (m.shared || m.type == IO_MESSAGE_EXTERNAL)) {
            d->not_read = true;
        } else if (m.type == IO_MESSAGE_SPACE) {
            sound = read_space(m.body, d);
        } else if (m.type == IO_MESSAGE_TYPE) {
            sound = read_type(m.body, d);
        } else if (m.type == IO_MESSAGE_LAYOUT) {
            sound = read_layout(image, m.body, d);
        } else if (m.type == IO_MESSAGE_FILTERS) {
            sound = io_chunks_read_filters(m.body, &d->chunks);
        }
    }
    d->not_read = d->not_read || (d->chunked && !io_chunks_are_read(&d->chunks));
    return sound && !header.bad && (!d->chunked || d->not_read || d->chunks.size == d->size);
}

// A dataset whose data is all there.
static cn_status dataset_open(const io_hdf5_image *image, const char *path, io_dataset *d,
                              cn_error *error) {
    uint64_t address;
    io_found found = find(image, path, &address);
    if (found == NOT_READ) {
        return fail_not_read(error, path);
    }
    if (found != FOUND) {
        return fail_path(error, path, found == ABSENT ? "is missing" : "is damaged");
    }
    if (!read_dataset(image, address, d)) {
        return fail_path(error, path, "is damaged, or not a list of numbers or a text");
    }
    if (d->not_read) {
        return fail_not_read(error, path);
    }
    if (!d->has_space || !d->has_type || !d->has_layout) {
        return fail_path(error, path, "is not a dataset");
    }
    uint64_t capacity = d->chunked ? io_chunks_capacity(image, &d->chunks) : d->data.left / d->size;
    if (d->count > capacity) {
        return fail_path(error, path,
                         d->empty ? "was never written" : "declares more data than it has");
    }
    return CN_OK;
}

cn_status io_hdf5_count(const io_hdf5_image *image, const char *path, int64_t *count,
                        cn_error *error) {
    io_dataset d;
    CN_TRY(dataset_open(image, path, &d, error));
    *count = (int64_t)d.count;
    return CN_OK;
}

// The bits of element i of those at `bytes`, in the low end.
static uint64_t bits_at(const io_dataset *d, const unsigned char *bytes, uint64_t i) {
    const unsigned char *at = bytes + i * d->size;
    uint64_t bits = 0;
    for (uint64_t k = 0; k < d->size; k++) {
        bits = bits << 8 | at[d->big_endian ? k : d->size - 1 - k];
    }
    return bits;
}

static int64_t integer_at(const io_dataset *d, const unsigned char *bytes, uint64_t i) {
    uint64_t bits = bits_at(d, bytes, i);
    uint64_t sign = (uint64_t)1 << (8 * d->size - 1);
    if (d->is_signed && (bits & sign)) {
        // Two's complement: the distance below zero, taken off in two steps so as not to overflow.
        uint64_t below = (sign - 1) - (bits & (sign - 1));
        return -(int64_t)below - 1;
    }
    return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
}

static double real_at(const io_dataset *d, const unsigned char *bytes, uint64_t i) {
    uint64_t bits = bits_at(d, bytes, i);
    if (d->element == INTEGER) {
        return d->is_signed ? (double)integer_at(d, bytes, i) : (double)bits;
    }
    if (d->size == 4) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static cn_status numbers_open(const io_hdf5_image *image, const char *path, int64_t count,
                              bool integers, io_dataset *d, cn_error *error) {
    CN_TRY(dataset_open(image, path, d, error));
    if (d->element != INTEGER && (integers || d->element != IO_REAL)) {
        CN_TRY(
            fail_path(error, path, integers ? "does not hold integers" : "does not hold numbers"));
    }
    if (count < 0 || d->count < (uint64_t)count) {
        return base_fail(error, CN_ERR_INPUT, "%s holds %lld numbers where %lld are needed", path,
                         (long long)d->count, (long long)count);
    }
    return CN_OK;
}

// Where the numbers of a dataset go, whole or chunk by chunk: one of the two.
typedef struct number_target {
    const io_dataset *dataset;
    bool integral; // into integers, else into reals
    int64_t *integers;
    double *reals;
} number_target;

static void convert_numbers(void *user, uint64_t first, const unsigned char *bytes,
                            uint64_t count) {
    const number_target *to = user;
    for (uint64_t i = 0; i < count; i++) {
        if (to->integral) {
            to->integers[first + i] = integer_at(to->dataset, bytes, i);
        } else {
            to->reals[first + i] = real_at(to->dataset, bytes, i);
        }
    }
}

static cn_status read_numbers(const io_hdf5_image *image, const char *path, int64_t count,
                              number_target to, cn_error *error) {
    io_dataset d;
    CN_TRY(numbers_open(image, path, count, to.integral, &d, error));
    to.dataset = &d;
    if (d.chunked) {
        return io_chunks_visit(image, &d.chunks, path, (uint64_t)count, convert_numbers, &to,
                               error);
    }
    convert_numbers(&to, 0, d.data.at, (uint64_t)count);
    return CN_OK;
}

cn_status io_hdf5_read_int(const io_hdf5_image *image, const char *path, int64_t count,
                           int64_t *values, cn_error *error) {
    return read_numbers(image, path, count, (number_target){.integral = true, .integers = values},
                        error);
}

cn_status io_hdf5_read_real(const io_hdf5_image *image, const char *path, int64_t count,
                            double *values, cn_error *error) {
    return read_numbers(image, path, count, (number_target){.reals = values}, error);
}

// III.E: a length, then the place of the object in a global heap. The length 0 has no object.
static bool read_heap_text(const io_hdf5_image *image, io_cursor *data) {
    uint64_t length = io_take(data, 4);
    uint64_t address = io_take(data, 8);
    uint64_t wanted = io_take(data, 4);
    if (length == 0) {
        *data = (io_cursor){.at = image->bytes};
        return true;
    }
    io_cursor heap = io_view_from(image, address);
    bool right = io_take_signature(&heap, "GCOL");
    io_cut(&heap, 4);
    uint64_t size = io_take(&heap, 8);
    heap = io_view(image, address + 16, size < 16 ? 0 : size - 16);
    while (right && !heap.bad && heap.left >= 16) {
        uint64_t index = io_take(&heap, 2);
        io_cut(&heap, 6); // references
        uint64_t bytes = io_take(&heap, 8);
        if (index == wanted && index != 0) {
            *data = io_cut(&heap, bytes);
            data->bad = data->bad || length > bytes;
            data->left = length < bytes ? length : bytes;
            return !data->bad;
        }
        // Index 0 is what is free, and the rest of the collection.
        if (index == 0 || bytes > heap.left) {
            return false;
        }
        io_cut(&heap, bytes);
        io_cut(&heap, (8 - bytes % 8) % 8);
    }
    return false;
}

cn_status io_hdf5_read_text(const io_hdf5_image *image, const char *path, cn_arena *memory,
                            const char **text, cn_error *error) {
    io_dataset d;
    CN_TRY(dataset_open(image, path, &d, error));
    bool variable = d.element == TEXT_VARIABLE;
    if (d.chunked) {
        return fail_not_read(error, path);
    }
    if ((d.element != IO_TEXT && !variable) || d.count != 1 || (variable && d.size != 16)) {
        return fail_path(error, path, "does not hold one text");
    }
    io_cursor bytes = io_cut(&d.data, d.size);
    if (variable && !read_heap_text(image, &bytes)) {
        return fail_path(error, path, "is damaged: its text is not where it should be");
    }
    size_t length = strnlen((const char *)bytes.at, bytes.left);
    while (d.space_padded && length > 0 && bytes.at[length - 1] == ' ') {
        length--;
    }
    *text = base_arena_text(memory, (const char *)bytes.at, length);
    return *text ? CN_OK : base_fail_memory(error);
}
