// io/hdf5_write.c
// A writer for the part of HDF5 that lists of numbers need ("HDF5 File Format Specification",
// version 3.0; section numbers below are its own), as bytes in memory.
//
// Written: superblock 0, object headers 1, groups as compact links, contiguous datasets. That is
// what HDF5 1.8 and later read. HDF5's own library is not used: it crashes when it has no memory.
#include "io/hdf5.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define CN_SIGNATURE "\211HDF\r\n\032\n"
#define CN_SUPERBLOCK_SIZE 96u
#define CN_MESSAGE_SIZE 8u  // of a message, before its content
#define CN_MESSAGE_MAX 512u // bytes of the content of a message
#define CN_NAME_MAX 240u    // bytes of a name: its length is one byte, and its message has room
#define CN_TEXT_MAX 200u    // bytes of an attribute
#define CN_UNDEFINED UINT64_MAX

// Section IV.A.2
enum {
    CN_MESSAGE_SPACE = 0x1,
    CN_MESSAGE_LINK_INFO = 0x2,
    CN_MESSAGE_TYPE = 0x3,
    CN_MESSAGE_FILL = 0x5,
    CN_MESSAGE_LINK = 0x6,
    CN_MESSAGE_LAYOUT = 0x8,
    CN_MESSAGE_GROUP_INFO = 0xa,
    CN_MESSAGE_ATTRIBUTE = 0xc,
};

// A group or a dataset; the root is the first of its list.
typedef struct cn_node {
    struct cn_node *next, *parent;
    const char *path;
    bool group;
    uint64_t address; // of the object header; that of a group is known at the end
} cn_node;

typedef struct cn_mark {
    struct cn_mark *next;
    const char *name, *text;
} cn_mark;

struct cn_hdf5_writer {
    cn_arena *memory;
    cn_buffer image; // superblock (zeros), datasets
    cn_node root, *last;
    cn_mark *marks;
};

// ---- bytes ----

// The content of one message, little-endian.
typedef struct cn_message {
    unsigned char bytes[CN_MESSAGE_MAX];
    size_t size;
} cn_message;

static void cn_put(cn_message *m, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        m->bytes[m->size++] = (unsigned char)(value >> (8 * i));
    }
}

static void cn_put_bytes(cn_message *m, const void *bytes, size_t count) {
    memcpy(m->bytes + m->size, bytes, count);
    m->size += count;
}

static size_t cn_round_up(size_t size) {
    return (size + 7) / 8 * 8;
}

// Zeros up to a multiple of 8.
static void cn_pad(cn_message *m) {
    while (m->size % 8 != 0) {
        m->bytes[m->size++] = 0;
    }
}

static bool cn_pad_buffer(cn_buffer *buffer) {
    static const unsigned char zeros[8];
    return cn_buffer_append(buffer, zeros, cn_round_up(buffer->size) - buffer->size);
}

// Section IV.A.1.a: head and content of a message.
static bool cn_append_message(cn_buffer *out, int type, const cn_message *content) {
    cn_message head = {.size = 0}, padded = *content;
    cn_pad(&padded);
    cn_put(&head, (uint64_t)type, 2);
    cn_put(&head, padded.size, 2);
    cn_put(&head, 0, 4);
    return cn_buffer_append(out, head.bytes, head.size) &&
           cn_buffer_append(out, padded.bytes, padded.size);
}

static bool cn_append_header(cn_buffer *out, uint64_t messages, size_t bytes) {
    cn_message head = {.size = 0};
    cn_put(&head, 1, 2); // version, reserved
    cn_put(&head, messages, 2);
    cn_put(&head, 1, 4); // references
    cn_put(&head, bytes, 4);
    cn_put(&head, 0, 4);
    return cn_buffer_append(out, head.bytes, head.size);
}

// ---- what messages hold ----

// Section IV.A.2.b; count < 0: a scalar.
static cn_message cn_space(int64_t count) {
    cn_message m = {.size = 0};
    cn_put(&m, 1, 1);
    cn_put(&m, count >= 0, 1); // dimensions
    cn_put(&m, 0, 6);
    if (count >= 0) {
        cn_put(&m, (uint64_t)count, 8);
    }
    return m;
}

// Section IV.A.2.d
static cn_message cn_int_type(void) {
    cn_message m = {.size = 0};
    cn_put(&m, 0x10, 1); // version 1, fixed point
    cn_put(&m, 0x08, 3); // little-endian, signed
    cn_put(&m, sizeof(int32_t), 4);
    cn_put(&m, 0, 2);
    cn_put(&m, 32, 2);
    return m;
}

static cn_message cn_real_type(void) {
    cn_message m = {.size = 0};
    cn_put(&m, 0x11, 1);   // version 1, floating point
    cn_put(&m, 0x3f20, 3); // little-endian, hidden leading bit, sign at bit 63
    cn_put(&m, sizeof(double), 4);
    cn_put(&m, 0, 2);
    cn_put(&m, 64, 2);
    cn_put(&m, 0x34000b34, 4); // exponent: at bit 52, 11 bits; mantissa: at bit 0, 52 bits
    cn_put(&m, 1023, 4);
    return m;
}

static cn_message cn_text_type(const char *text) {
    cn_message m = {.size = 0};
    cn_put(&m, 0x13, 1); // version 1, string
    cn_put(&m, 0, 3);    // ends with a zero, ASCII
    cn_put(&m, strlen(text) + 1, 4);
    return m;
}

// Section IV.A.2.f: the fill value is the default one.
static cn_message cn_fill(void) {
    cn_message m = {.size = 0};
    cn_put(&m, 0x01020202, 4); // version 2, allocated late, written if set, defined
    cn_put(&m, 0, 4);
    return m;
}

// Section IV.A.2.i
static cn_message cn_layout(uint64_t address, uint64_t bytes) {
    cn_message m = {.size = 0};
    cn_put(&m, 3, 1);
    cn_put(&m, 1, 1); // contiguous
    cn_put(&m, bytes > 0 ? address : CN_UNDEFINED, 8);
    cn_put(&m, bytes, 8);
    return m;
}

// Section IV.A.2.m
static cn_message cn_attribute(const cn_mark *mark) {
    cn_message m = {.size = 0}, type = cn_text_type(mark->text), space = cn_space(-1);
    cn_put(&m, 1, 2);
    cn_put(&m, strlen(mark->name) + 1, 2);
    cn_put(&m, type.size, 2);
    cn_put(&m, space.size, 2);
    cn_put_bytes(&m, mark->name, strlen(mark->name) + 1);
    cn_pad(&m);
    cn_put_bytes(&m, type.bytes, type.size);
    cn_put_bytes(&m, space.bytes, space.size);
    cn_put_bytes(&m, mark->text, strlen(mark->text) + 1);
    return m;
}

// Section IV.A.2.c: all links are in the header.
static cn_message cn_link_info(void) {
    cn_message m = {.size = 0};
    cn_put(&m, 0, 2);
    cn_put(&m, CN_UNDEFINED, 8);
    cn_put(&m, CN_UNDEFINED, 8);
    return m;
}

// Section IV.A.2.k: however many there are.
static cn_message cn_group_info(void) {
    cn_message m = {.size = 0};
    cn_put(&m, 0x0100, 2); // version 0, with limits
    cn_put(&m, UINT16_MAX, 2);
    cn_put(&m, UINT16_MAX - 1, 2);
    return m;
}

static const char *cn_name_of(const cn_node *node) {
    return strrchr(node->path, '/') + 1;
}

// Section IV.A.2.g
static cn_message cn_link(const cn_node *node) {
    const char *name = cn_name_of(node);
    cn_message m = {.size = 0};
    cn_put(&m, 1, 2);
    cn_put(&m, strlen(name), 1);
    cn_put_bytes(&m, name, strlen(name));
    cn_put(&m, node->address, 8);
    return m;
}

// ---- adding ----

cn_status cn_hdf5_create(cn_arena *memory, cn_hdf5_writer **out, cn_error *error) {
    static const unsigned char zeros[CN_SUPERBLOCK_SIZE];
    cn_hdf5_writer *writer = CN_TAKE_ZERO(memory, cn_hdf5_writer, 1);
    *out = NULL;
    if (!writer) {
        return cn_fail_memory(error);
    }
    writer->memory = memory;
    writer->root = (cn_node){.path = "", .group = true};
    writer->last = &writer->root;
    cn_buffer_init(&writer->image, cn_arena_env(memory));
    if (!cn_buffer_append(&writer->image, zeros, sizeof zeros)) {
        cn_hdf5_close(writer);
        return cn_fail_memory(error);
    }
    *out = writer;
    return CN_OK;
}

void cn_hdf5_close(cn_hdf5_writer *writer) {
    if (writer) {
        cn_buffer_free(&writer->image);
    }
}

static cn_status cn_fail_write(cn_error *error, const char *path) {
    return cn_fail(error, CN_ERR_IO, "%s cannot be written", path);
}

static cn_node *cn_find(cn_hdf5_writer *writer, const char *path, size_t length) {
    for (cn_node *node = &writer->root; node; node = node->next) {
        if (strncmp(node->path, path, length) == 0 && node->path[length] == '\0') {
            return node;
        }
    }
    return NULL;
}

// A new node under its parent, which must be there.
static cn_status cn_add_node(cn_hdf5_writer *writer, const char *path, bool group, cn_node **out,
                             cn_error *error) {
    const char *slash = strrchr(path, '/');
    cn_node *parent = slash ? cn_find(writer, path, (size_t)(slash - path)) : NULL;
    if (!parent || !parent->group || !slash[1] || strlen(slash + 1) > CN_NAME_MAX ||
        cn_find(writer, path, strlen(path))) {
        return cn_fail_write(error, path);
    }
    cn_node *node = CN_TAKE_ZERO(writer->memory, cn_node, 1);
    const char *own = cn_arena_text(writer->memory, path, strlen(path));
    if (!node || !own) {
        return cn_fail_memory(error);
    }
    *node = (cn_node){.parent = parent, .path = own, .group = group};
    writer->last->next = node;
    writer->last = node;
    *out = node;
    return CN_OK;
}

cn_status cn_hdf5_add_group(cn_hdf5_writer *writer, const char *path, cn_error *error) {
    cn_node *node;
    return cn_add_node(writer, path, true, &node, error);
}

// The values, then the object header of their dataset.
static cn_status cn_add_data(cn_hdf5_writer *writer, const char *path, cn_message space,
                             cn_message type, const void *values, size_t size, cn_error *error) {
    cn_node *node;
    cn_buffer *image = &writer->image;
    uint64_t data = image->size; // a multiple of 8
    cn_status status = cn_add_node(writer, path, false, &node, error);
    if (status != CN_OK) {
        return status;
    }
    cn_message fill = cn_fill(), layout = cn_layout(data, size);
    size_t bytes = 4 * CN_MESSAGE_SIZE + cn_round_up(space.size) + cn_round_up(type.size) +
                   cn_round_up(fill.size) + cn_round_up(layout.size);
    bool done = cn_buffer_append(image, values, size) && cn_pad_buffer(image);
    node->address = image->size;
    done = done && cn_append_header(image, 4, bytes) &&
           cn_append_message(image, CN_MESSAGE_SPACE, &space) &&
           cn_append_message(image, CN_MESSAGE_TYPE, &type) &&
           cn_append_message(image, CN_MESSAGE_FILL, &fill) &&
           cn_append_message(image, CN_MESSAGE_LAYOUT, &layout);
    return done ? CN_OK : cn_fail_memory(error);
}

cn_status cn_hdf5_add_int(cn_hdf5_writer *writer, const char *path, int64_t count,
                          const int32_t *values, cn_error *error) {
    return cn_add_data(writer, path, cn_space(count), cn_int_type(), values,
                       (size_t)count * sizeof *values, error);
}

cn_status cn_hdf5_add_real(cn_hdf5_writer *writer, const char *path, int64_t count,
                           const double *values, cn_error *error) {
    return cn_add_data(writer, path, cn_space(count), cn_real_type(), values,
                       (size_t)count * sizeof *values, error);
}

cn_status cn_hdf5_add_text(cn_hdf5_writer *writer, const char *path, const char *text,
                           cn_error *error) {
    return cn_add_data(writer, path, cn_space(-1), cn_text_type(text), text, strlen(text) + 1,
                       error);
}

cn_status cn_hdf5_add_mark(cn_hdf5_writer *writer, const char *name, const char *text,
                           cn_error *error) {
    size_t name_size = strlen(name), text_size = strlen(text);
    if (name_size == 0 || name_size > CN_NAME_MAX || text_size > CN_TEXT_MAX) {
        return cn_fail_write(error, name);
    }
    cn_mark *mark = CN_TAKE_ZERO(writer->memory, cn_mark, 1);
    const char *own_name = cn_arena_text(writer->memory, name, name_size),
               *own_text = cn_arena_text(writer->memory, text, text_size);
    if (!mark || !own_name || !own_text) {
        return cn_fail_memory(error);
    }
    *mark = (cn_mark){.next = writer->marks, .name = own_name, .text = own_text};
    writer->marks = mark;
    return CN_OK;
}

// ---- the end ----

// The object header of a group; its children have their addresses.
static bool cn_append_group(cn_hdf5_writer *writer, cn_node *group, cn_buffer *out) {
    cn_buffer messages;
    cn_message info = cn_link_info(), limits = cn_group_info();
    uint64_t count = 2;
    cn_buffer_init(&messages, out->env);
    bool done = cn_append_message(&messages, CN_MESSAGE_LINK_INFO, &info) &&
                cn_append_message(&messages, CN_MESSAGE_GROUP_INFO, &limits);
    for (const cn_node *node = writer->root.next; done && node; node = node->next) {
        if (node->parent == group) {
            cn_message link = cn_link(node);
            done = cn_append_message(&messages, CN_MESSAGE_LINK, &link);
            count++;
        }
    }
    for (const cn_mark *mark = writer->marks; done && mark && group == &writer->root;
         mark = mark->next) {
        cn_message attribute = cn_attribute(mark);
        done = cn_append_message(&messages, CN_MESSAGE_ATTRIBUTE, &attribute);
        count++;
    }
    group->address = out->size;
    done = done && cn_append_header(out, count, messages.size) &&
           cn_buffer_append(out, messages.data, messages.size);
    cn_buffer_free(&messages);
    return done;
}

// Groups from the deepest up: those added later are never above earlier ones.
static bool cn_append_groups(cn_hdf5_writer *writer, cn_node *node, cn_buffer *out) {
    int64_t count = 0;
    for (cn_node *each = node; each; each = each->next) {
        count++;
    }
    cn_node **list = CN_TAKE(writer->memory, cn_node *, count);
    for (int64_t i = 0; list && i < count; i++, node = node->next) {
        list[i] = node;
    }
    bool done = list != NULL;
    for (int64_t i = count - 1; done && i >= 0; i--) {
        done = !list[i]->group || cn_append_group(writer, list[i], out);
    }
    return done;
}

// Section II.A; the root group has its entry at the end.
static cn_message cn_superblock(uint64_t size, uint64_t root) {
    cn_message m = {.size = 0};
    cn_put_bytes(&m, CN_SIGNATURE, 8);
    cn_put(&m, 0, 5);      // versions
    cn_put(&m, 0x0808, 3); // bytes of an address and of a length
    cn_put(&m, 4, 2);      // sizes of trees that are not there
    cn_put(&m, 16, 2);
    cn_put(&m, 0, 4);
    cn_put(&m, 0, 8); // where addresses start
    cn_put(&m, CN_UNDEFINED, 8);
    cn_put(&m, size, 8);
    cn_put(&m, CN_UNDEFINED, 8);
    cn_put(&m, 0, 8);
    cn_put(&m, root, 8);
    cn_put(&m, 0, 8);
    cn_put(&m, 0, 8);
    cn_put(&m, 0, 8);
    return m;
}

cn_status cn_hdf5_finish(cn_hdf5_writer *writer, cn_arena *memory, const void **bytes, size_t *size,
                         cn_error *error) {
    cn_buffer out;
    cn_buffer_init(&out, writer->image.env);
    bool done = cn_buffer_append(&out, writer->image.data, writer->image.size) &&
                cn_append_groups(writer, &writer->root, &out);
    unsigned char *image = done ? cn_arena_take(memory, (int64_t)out.size, 1) : NULL;
    if (image) {
        cn_message head = cn_superblock(out.size, writer->root.address);
        memcpy(image, out.data, out.size);
        memcpy(image, head.bytes, head.size);
        *bytes = image;
        *size = out.size;
    }
    cn_buffer_free(&out);
    return image ? CN_OK : cn_fail_memory(error);
}
