// io/yaml/yaml.h
// YAML (and so JSON) text to a tree of nodes and back. Every node knows its file, line and column.
//
// The scalars are those of YAML 1.2's core schema: null, true, 12, 0x1F, 0o17, 1.5e-3, .inf, .nan;
// all else is text, and what stands in quotes always is. The text is UTF-8, with or without a byte
// order mark. Refused: tags, several documents in one
// text, the same key twice in a map, keys that are not plain text, and what exceeds the limits
// below.
#ifndef CAIRN_IO_YAML_H
#define CAIRN_IO_YAML_H

#include "base/memory.h"

#define IO_YAML_BYTES_MAX ((size_t)256 << 20) // of a text
#define IO_YAML_DEPTH_MAX 64                  // lists and maps inside each other
#define IO_YAML_KEYS_MAX 1000                 // of one map
#define IO_YAML_ANCHORS_MAX 1000
#define IO_YAML_ALIAS_NODES_MAX 1000000 // nodes that all aliases together stand for

typedef enum io_yaml_kind {
    IO_YAML_NULL,
    IO_YAML_BOOL,
    IO_YAML_NUMBER,
    IO_YAML_TEXT,
    IO_YAML_LIST,
    IO_YAML_MAP
} io_yaml_kind;

typedef struct io_yaml io_yaml;
struct io_yaml {
    const char *file;     // as it was named when read
    int32_t line, column; // from 1; columns count characters
    io_yaml_kind kind;
    bool truth;       // BOOL
    bool quoted;      // scalar written in quotes
    bool block;       // scalar written as a block (| or >): its text starts on the next line
    int32_t count;    // LIST, MAP
    int32_t capacity; // of the arrays below
    double number;    // NUMBER; may be infinite or NaN
    const char *text; // scalars: as written, without quotes, ended by '\0'
    io_yaml **key;    // MAP: TEXT nodes
    io_yaml **item;   // LIST and MAP: the values
};

// One document. An empty one is a NULL node. Nodes and texts go to memory; file is copied. Aliases
// are replaced by copies of what they stand for.
cn_status io_yaml_read(cn_arena *memory, const char *file, const char *text, size_t size,
                       io_yaml **out, cn_error *error);
// The same from a file, of which no more than the limit is read.
// regular: a pipe or a device is refused (io/file.h).
cn_status io_yaml_read_file(cn_arena *memory, const char *path, bool regular, io_yaml **out,
                            cn_error *error);

// The value of a key; NULL when the map has none (or the node is no map).
io_yaml *io_yaml_get(const io_yaml *map, const char *key);
// Its key node, for errors about the key itself.
const io_yaml *io_yaml_key(const io_yaml *map, const char *key);

// New nodes; at gives the place and may be NULL. NULL: no memory.
io_yaml *io_yaml_new(cn_arena *memory, io_yaml_kind kind, const io_yaml *at);
io_yaml *io_yaml_new_text(cn_arena *memory, const char *text, const io_yaml *at);
io_yaml *io_yaml_new_number(cn_arena *memory, double number, const io_yaml *at);
io_yaml *io_yaml_new_bool(cn_arena *memory, bool truth, const io_yaml *at);
// Puts a value behind the last of a list, or under a key of a map instead of what was there.
bool io_yaml_append(cn_arena *memory, io_yaml *list, io_yaml *item);
bool io_yaml_put(cn_arena *memory, io_yaml *map, io_yaml *key, io_yaml *value);

// Puts another key and value where a key was; the rest stays in its order.
bool io_yaml_replace(cn_arena *memory, io_yaml *map, const char *old, io_yaml *key, io_yaml *value);

// The tree as YAML text that reads back to the same tree. false: no memory.
bool io_yaml_write(const io_yaml *node, base_buffer *out);

#endif
