// io/hdf5/hdf5_write.c
// A writer for the part of HDF5 that lists of numbers need ("HDF5 File Format Specification",
// version 3.0; section numbers below are its own), as bytes in memory.
//
// Written: superblock 0, object headers 1, groups as compact links, contiguous datasets. That is
// what HDF5 1.8 and later read. HDF5's own library is not used: it crashes when it has no memory.
#include "io/hdf5/hdf5_bytes.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define SUPERBLOCK_SIZE 96u
#define MESSAGE_SIZE 8u  // of a message, before its content
#define MESSAGE_MAX 512u // bytes of the content of a message
#define NAME_MAX 240u    // bytes of a name: its length is one byte, and its message has room
#define TEXT_MAX 200u    // bytes of an attribute

// A group or a dataset; the root is the first of its list.
typedef struct io_node {
    struct io_node *next, *parent;
    const char *path;
    bool group;
    uint64_t address; // of the object header; that of a group is known at the end
} io_node;

typedef struct io_mark {
    struct io_mark *next;
    const char *name, *text;
} io_mark;

struct io_hdf5_writer {
    cn_arena *memory;
    base_buffer image; // superblock (zeros), datasets
    io_node root, *last;
    io_mark *marks;
};

// ---- bytes ----

// The content of one message, little-endian.
typedef struct io_message {
    unsigned char bytes[MESSAGE_MAX];
    size_t size;
} io_message;

static void message_put(io_message *m, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        m->bytes[m->size++] = (unsigned char)(value >> (8 * i));
    }
}

static void put_bytes(io_message *m, const void *bytes, size_t count) {
    memcpy(m->bytes + m->size, bytes, count);
    m->size += count;
}

static size_t round_up(size_t size) {
    return (size + 7) / 8 * 8;
}

// Zeros up to a multiple of 8.
static void pad(io_message *m) {
    while (m->size % 8 != 0) {
        m->bytes[m->size++] = 0;
    }
}

static bool pad_buffer(base_buffer *buffer) {
    static const unsigned char zeros[8];
    return base_buffer_append(buffer, zeros, round_up(buffer->size) - buffer->size);
}

// Section IV.A.1.a: head and content of a message.
static bool append_message(base_buffer *out, int type, const io_message *content) {
    io_message head = {.size = 0}, padded = *content;
    pad(&padded);
    message_put(&head, (uint64_t)type, 2);
    message_put(&head, padded.size, 2);
    message_put(&head, 0, 4);
    return base_buffer_append(out, head.bytes, head.size) &&
           base_buffer_append(out, padded.bytes, padded.size);
}

static bool append_header(base_buffer *out, uint64_t messages, size_t bytes) {
    io_message head = {.size = 0};
    message_put(&head, 1, 2); // version, reserved
    message_put(&head, messages, 2);
    message_put(&head, 1, 4); // references
    message_put(&head, bytes, 4);
    message_put(&head, 0, 4);
    return base_buffer_append(out, head.bytes, head.size);
}

// ---- what messages hold ----

// Section IV.A.2.b; count < 0: a scalar.
static io_message message_space(int64_t count) {
    io_message m = {.size = 0};
    message_put(&m, 1, 1);
    message_put(&m, count >= 0, 1); // dimensions
    message_put(&m, 0, 6);
    if (count >= 0) {
        message_put(&m, (uint64_t)count, 8);
    }
    return m;
}

// Section IV.A.2.d
static io_message int_type(void) {
    io_message m = {.size = 0};
    message_put(&m, 0x10, 1); // version 1, fixed point
    message_put(&m, 0x08, 3); // little-endian, signed
    message_put(&m, sizeof(int32_t), 4);
    message_put(&m, 0, 2);
    message_put(&m, 32, 2);
    return m;
}

static io_message real_type(void) {
    io_message m = {.size = 0};
    message_put(&m, 0x11, 1);   // version 1, floating point
    message_put(&m, 0x3f20, 3); // little-endian, hidden leading bit, sign at bit 63
    message_put(&m, sizeof(double), 4);
    message_put(&m, 0, 2);
    message_put(&m, 64, 2);
    message_put(&m, 0x34000b34, 4); // exponent: at bit 52, 11 bits; mantissa: at bit 0, 52 bits
    message_put(&m, 1023, 4);
    return m;
}

static io_message text_type(const char *text) {
    io_message m = {.size = 0};
    message_put(&m, 0x13, 1); // version 1, string
    message_put(&m, 0, 3);    // ends with a zero, ASCII
    message_put(&m, strlen(text) + 1, 4);
    return m;
}

// Section IV.A.2.f: the fill value is the default one.
static io_message message_fill(void) {
    io_message m = {.size = 0};
    message_put(&m, 0x01020202, 4); // version 2, allocated late, written if set, defined
    message_put(&m, 0, 4);
    return m;
}

// Section IV.A.2.i
static io_message message_layout(uint64_t address, uint64_t bytes) {
    io_message m = {.size = 0};
    message_put(&m, 3, 1);
    message_put(&m, 1, 1); // contiguous
    message_put(&m, bytes > 0 ? address : IO_HDF5_UNDEFINED, 8);
    message_put(&m, bytes, 8);
    return m;
}

// Section IV.A.2.m
static io_message message_attribute(const io_mark *mark) {
    io_message m = {.size = 0}, type = text_type(mark->text), space = message_space(-1);
    message_put(&m, 1, 2);
    message_put(&m, strlen(mark->name) + 1, 2);
    message_put(&m, type.size, 2);
    message_put(&m, space.size, 2);
    put_bytes(&m, mark->name, strlen(mark->name) + 1);
    pad(&m);
    put_bytes(&m, type.bytes, type.size);
    put_bytes(&m, space.bytes, space.size);
    put_bytes(&m, mark->text, strlen(mark->text) + 1);
    return m;
}

// Section IV.A.2.c: all links are in the header.
static io_message link_info(void) {
    io_message m = {.size = 0};
    message_put(&m, 0, 2);
    message_put(&m, IO_HDF5_UNDEFINED, 8);
    message_put(&m, IO_HDF5_UNDEFINED, 8);
    return m;
}

// Section IV.A.2.k: however many there are.
static io_message group_info(void) {
    io_message m = {.size = 0};
    message_put(&m, 0x0100, 2); // version 0, with limits
    message_put(&m, UINT16_MAX, 2);
    message_put(&m, UINT16_MAX - 1, 2);
    return m;
}

static const char *name_of(const io_node *node) {
    return strrchr(node->path, '/') + 1;
}

// Section IV.A.2.g
static io_message message_link(const io_node *node) {
    const char *name = name_of(node);
    io_message m = {.size = 0};
    message_put(&m, 1, 2);
    message_put(&m, strlen(name), 1);
    put_bytes(&m, name, strlen(name));
    message_put(&m, node->address, 8);
    return m;
}

// ---- adding ----

cn_status io_hdf5_create(cn_arena *memory, io_hdf5_writer **out, cn_error *error) {
    static const unsigned char zeros[SUPERBLOCK_SIZE];
    io_hdf5_writer *writer = BASE_TAKE_ZERO(memory, io_hdf5_writer, 1);
    *out = NULL;
    if (!writer) {
        return base_fail_memory(error);
    }
    writer->memory = memory;
    writer->root = (io_node){.path = "", .group = true};
    writer->last = &writer->root;
    base_buffer_init(&writer->image, cn_arena_env(memory));
    if (!base_buffer_append(&writer->image, zeros, sizeof zeros)) {
        io_hdf5_close(writer);
        return base_fail_memory(error);
    }
    *out = writer;
    return CN_OK;
}

void io_hdf5_close(io_hdf5_writer *writer) {
    if (writer) {
        base_buffer_free(&writer->image);
    }
}

static cn_status fail_write(cn_error *error, const char *path) {
    return base_fail(error, CN_ERR_IO, "%s cannot be written", path);
}

static io_node *find(io_hdf5_writer *writer, const char *path, size_t length) {
    for (io_node *node = &writer->root; node; node = node->next) {
        if (strncmp(node->path, path, length) == 0 && node->path[length] == '\0') {
            return node;
        }
    }
    return NULL;
}

// A new node under its parent, which must be there.
static cn_status add_node(io_hdf5_writer *writer, const char *path, bool group, io_node **out,
                          cn_error *error) {
    const char *slash = strrchr(path, '/');
    io_node *parent = slash ? find(writer, path, (size_t)(slash - path)) : NULL;
    if (!parent || !parent->group || !slash[1] || strlen(slash + 1) > NAME_MAX ||
        find(writer, path, strlen(path))) {
        return fail_write(error, path);
    }
    io_node *node = BASE_TAKE_ZERO(writer->memory, io_node, 1);
    const char *own = base_arena_text(writer->memory, path, strlen(path));
    if (!node || !own) {
        return base_fail_memory(error);
    }
    *node = (io_node){.parent = parent, .path = own, .group = group};
    writer->last->next = node;
    writer->last = node;
    *out = node;
    return CN_OK;
}

cn_status io_hdf5_add_group(io_hdf5_writer *writer, const char *path, cn_error *error) {
    io_node *node;
    return add_node(writer, path, true, &node, error);
}

// The values, then the object header of their dataset.
static cn_status add_data(io_hdf5_writer *writer, const char *path, io_message space,
                          io_message type, const void *values, size_t size, cn_error *error) {
    io_node *node;
    base_buffer *image = &writer->image;
    uint64_t data = image->size; // a multiple of 8
    CN_TRY(add_node(writer, path, false, &node, error));
    io_message fill = message_fill(), layout = message_layout(data, size);
    size_t bytes = 4 * MESSAGE_SIZE + round_up(space.size) + round_up(type.size) +
                   round_up(fill.size) + round_up(layout.size);
    bool done = base_buffer_append(image, values, size) && pad_buffer(image);
    node->address = image->size;
    done = done && append_header(image, 4, bytes) &&
           append_message(image, IO_MESSAGE_SPACE, &space) &&
           append_message(image, IO_MESSAGE_TYPE, &type) &&
           append_message(image, IO_MESSAGE_FILL, &fill) &&
           append_message(image, IO_MESSAGE_LAYOUT, &layout);
    return done ? CN_OK : base_fail_memory(error);
}

cn_status io_hdf5_add_int(io_hdf5_writer *writer, const char *path, int64_t count,
                          const int32_t *values, cn_error *error) {
    return add_data(writer, path, message_space(count), int_type(), values,
                    (size_t)count * sizeof *values, error);
}

cn_status io_hdf5_add_real(io_hdf5_writer *writer, const char *path, int64_t count,
                           const double *values, cn_error *error) {
    return add_data(writer, path, message_space(count), real_type(), values,
                    (size_t)count * sizeof *values, error);
}

cn_status io_hdf5_add_text(io_hdf5_writer *writer, const char *path, const char *text,
                           cn_error *error) {
    return add_data(writer, path, message_space(-1), text_type(text), text, strlen(text) + 1,
                    error);
}

cn_status io_hdf5_add_mark(io_hdf5_writer *writer, const char *name, const char *text,
                           cn_error *error) {
    size_t name_size = strlen(name), text_size = strlen(text);
    if (name_size == 0 || name_size > NAME_MAX || text_size > TEXT_MAX) {
        return fail_write(error, name);
    }
    io_mark *mark = BASE_TAKE_ZERO(writer->memory, io_mark, 1);
    const char *own_name = base_arena_text(writer->memory, name, name_size),
               *own_text = base_arena_text(writer->memory, text, text_size);
    if (!mark || !own_name || !own_text) {
        return base_fail_memory(error);
    }
    *mark = (io_mark){.next = writer->marks, .name = own_name, .text = own_text};
    writer->marks = mark;
    return CN_OK;
}

// ---- the end ----

// The object header of a group; its children have their addresses.
static bool append_group(io_hdf5_writer *writer, io_node *group, base_buffer *out) {
    base_buffer messages;
    io_message info = link_info(), limits = group_info();
    uint64_t count = 2;
    base_buffer_init(&messages, out->env);
    bool done = append_message(&messages, IO_MESSAGE_LINK_INFO, &info) &&
                append_message(&messages, IO_MESSAGE_GROUP_INFO, &limits);
    for (const io_node *node = writer->root.next; done && node; node = node->next) {
        if (node->parent == group) {
            io_message link = message_link(node);
            done = append_message(&messages, IO_MESSAGE_LINK, &link);
            count++;
        }
    }
    for (const io_mark *mark = writer->marks; done && mark && group == &writer->root;
         mark = mark->next) {
        io_message attribute = message_attribute(mark);
        done = append_message(&messages, IO_MESSAGE_ATTRIBUTE, &attribute);
        count++;
    }
    group->address = out->size;
    done = done && append_header(out, count, messages.size) &&
           base_buffer_append(out, messages.data, messages.size);
    base_buffer_free(&messages);
    return done;
}

// Groups from the deepest up: those added later are never above earlier ones.
static bool append_groups(io_hdf5_writer *writer, io_node *node, base_buffer *out) {
    int64_t count = 0;
    for (io_node *each = node; each; each = each->next) {
        count++;
    }
    io_node **list = BASE_TAKE(writer->memory, io_node *, count);
    for (int64_t i = 0; list && i < count; i++, node = node->next) {
        list[i] = node;
    }
    bool done = list != NULL;
    for (int64_t i = count - 1; done && i >= 0; i--) {
        done = !list[i]->group || append_group(writer, list[i], out);
    }
    return done;
}

// Section II.A; the root group has its entry at the end.
static io_message superblock(uint64_t size, uint64_t root) {
    io_message m = {.size = 0};
    put_bytes(&m, IO_HDF5_SIGNATURE, 8);
    message_put(&m, 0, 5);      // versions
    message_put(&m, 0x0808, 3); // bytes of an address and of a length
    message_put(&m, 4, 2);      // sizes of trees that are not there
    message_put(&m, 16, 2);
    message_put(&m, 0, 4);
    message_put(&m, 0, 8); // where addresses start
    message_put(&m, IO_HDF5_UNDEFINED, 8);
    message_put(&m, size, 8);
    message_put(&m, IO_HDF5_UNDEFINED, 8);
    message_put(&m, 0, 8);
    message_put(&m, root, 8);
    message_put(&m, 0, 8);
    message_put(&m, 0, 8);
    message_put(&m, 0, 8);
    return m;
}

cn_status io_hdf5_finish(io_hdf5_writer *writer, cn_arena *memory, const void **bytes, size_t *size,
                         cn_error *error) {
    base_buffer out;
    base_buffer_init(&out, writer->image.env);
    bool done = base_buffer_append(&out, writer->image.data, writer->image.size) &&
                append_groups(writer, &writer->root, &out);
    unsigned char *image = done ? base_arena_take(memory, (int64_t)out.size, 1) : NULL;
    if (image) {
        io_message head = superblock(out.size, writer->root.address);
        memcpy(image, out.data, out.size);
        memcpy(image, head.bytes, head.size);
        *bytes = image;
        *size = out.size;
    }
    base_buffer_free(&out);
    return image ? CN_OK : base_fail_memory(error);
}
