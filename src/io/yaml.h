// io/yaml.h
// YAML (and so JSON) text to a tree of nodes and back. Every node knows its file, line and column.
//
// The scalars are those of YAML 1.2's core schema: null, true, 12, 0x1F, 0o17, 1.5e-3, .inf, .nan;
// all else is text, and what stands in quotes always is. Refused: tags, several documents in one
// text, the same key twice in a map, keys that are not plain text, and what exceeds the limits
// below.
#ifndef CAIRN_IO_YAML_H
#define CAIRN_IO_YAML_H

#include "base/memory.h"

#define CN_YAML_BYTES_MAX ((size_t)256 << 20) // of a text
#define CN_YAML_DEPTH_MAX 64                  // lists and maps inside each other
#define CN_YAML_KEYS_MAX 1000                 // of one map
#define CN_YAML_ANCHORS_MAX 1000
#define CN_YAML_ALIAS_NODES_MAX 1000000 // nodes that all aliases together stand for

typedef enum cn_yaml_kind {
    CN_YAML_NULL,
    CN_YAML_BOOL,
    CN_YAML_NUMBER,
    CN_YAML_TEXT,
    CN_YAML_LIST,
    CN_YAML_MAP
} cn_yaml_kind;

typedef struct cn_yaml cn_yaml;
struct cn_yaml {
    const char *file;     // as it was named when read
    int32_t line, column; // from 1; columns count characters
    cn_yaml_kind kind;
    bool truth;       // BOOL
    bool quoted;      // scalar written in quotes
    bool block;       // scalar written as a block (| or >): its text starts on the next line
    int32_t count;    // LIST, MAP
    int32_t capacity; // of the arrays below
    double number;    // NUMBER; may be infinite or NaN
    const char *text; // scalars: as written, without quotes, ended by '\0'
    cn_yaml **key;    // MAP: TEXT nodes
    cn_yaml **item;   // LIST and MAP: the values
};

// One document. An empty one is a NULL node. Nodes and texts go to memory; file is copied. Aliases
// are replaced by copies of what they stand for.
cn_status cn_yaml_read(cn_arena *memory, const char *file, const char *text, size_t size,
                       cn_yaml **out, cn_error *error);
// The same from a file, of which no more than the limit is read.
// regular: a pipe or a device is refused (io/file.h).
cn_status cn_yaml_read_file(cn_arena *memory, const char *path, bool regular, cn_yaml **out,
                            cn_error *error);

// The value of a key; NULL when the map has none (or the node is no map).
cn_yaml *cn_yaml_get(const cn_yaml *map, const char *key);
// Its key node, for errors about the key itself.
const cn_yaml *cn_yaml_key(const cn_yaml *map, const char *key);

// New nodes; at gives the place and may be NULL. NULL: no memory.
cn_yaml *cn_yaml_new(cn_arena *memory, cn_yaml_kind kind, const cn_yaml *at);
cn_yaml *cn_yaml_new_text(cn_arena *memory, const char *text, const cn_yaml *at);
cn_yaml *cn_yaml_new_number(cn_arena *memory, double number, const cn_yaml *at);
cn_yaml *cn_yaml_new_bool(cn_arena *memory, bool truth, const cn_yaml *at);
// Puts a value behind the last of a list, or under a key of a map in place of what was there.
bool cn_yaml_append(cn_arena *memory, cn_yaml *list, cn_yaml *item);
bool cn_yaml_put(cn_arena *memory, cn_yaml *map, cn_yaml *key, cn_yaml *value);

// Puts another key and value where a key was; the rest stays in its order.
bool cn_yaml_replace(cn_arena *memory, cn_yaml *map, const char *old, cn_yaml *key, cn_yaml *value);

// The tree as YAML text that reads back to the same tree. false: no memory.
bool cn_yaml_write(const cn_yaml *node, cn_buffer *out);

#endif
