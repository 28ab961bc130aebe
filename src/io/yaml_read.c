// io/yaml_read.c
// libyaml's events to a tree of nodes.
//
// Children wait on a stack until their list or map ends, so that no node is ever moved. An alias
// becomes a copy of its anchor's tree, counted against a limit: nine levels of "nine times the one
// before" are some hundred bytes of text and a thousand million nodes. libyaml takes its own memory
// from the C library.
#include "io/yaml.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"
#include "io/number.h"

#include <yaml.h>

#include <math.h>
#include <string.h>

#define CN_NODE_POOL 256
#define CN_TEXT_POOL 16384
#define CN_INTEGER_EXACT 9007199254740992.0 // 2^53: whole numbers up to here are doubles

// Small pieces from an arena whose own pieces are at least 64 bytes.
typedef struct cn_yaml_pool {
    cn_arena *memory;
    cn_yaml *node;
    int32_t node_left;
    char *text;
    size_t text_left;
} cn_yaml_pool;

typedef struct cn_yaml_anchor {
    const char *name;
    cn_yaml *node; // incomplete while its end has not come
    bool complete;
} cn_yaml_anchor;

typedef struct cn_yaml_open {
    cn_yaml *node;
    size_t first;   // of its children on the stack
    int32_t anchor; // -1: none
} cn_yaml_open;

typedef struct cn_yaml_loader {
    cn_yaml_pool pool;
    const char *file;
    cn_error *error;
    yaml_parser_t parser;
    cn_buffer children; // cn_yaml *, keys and values in turn for a map
    cn_yaml_open open[CN_YAML_DEPTH_MAX];
    int32_t depth;
    cn_yaml_anchor anchor[CN_YAML_ANCHORS_MAX];
    int32_t anchor_count;
    int64_t copied; // nodes made for aliases
    cn_yaml *root;
} cn_yaml_loader;

static int32_t cn_yaml_place(size_t zero_based) {
    return zero_based < INT32_MAX ? (int32_t)zero_based + 1 : INT32_MAX;
}

static cn_status cn_yaml_fail(cn_yaml_loader *loader, yaml_mark_t mark, const char *message) {
    cn_fail(loader->error, CN_ERR_INPUT, "%s", message);
    cn_fail_at(loader->error, loader->file, cn_yaml_place(mark.line), cn_yaml_place(mark.column));
    return CN_ERR_INPUT;
}

static cn_status cn_yaml_no_memory(cn_yaml_loader *loader) {
    return cn_fail_memory(loader->error);
}

// ---- nodes ----

static cn_yaml *cn_pool_node(cn_yaml_pool *pool) {
    if (pool->node_left == 0) {
        pool->node = CN_TAKE_ZERO(pool->memory, cn_yaml, CN_NODE_POOL);
        pool->node_left = pool->node ? CN_NODE_POOL : 0;
    }
    if (pool->node_left == 0) {
        return NULL;
    }
    pool->node_left--;
    return pool->node++;
}

static const char *cn_pool_text(cn_yaml_pool *pool, const char *text, size_t length) {
    if (length + 1 > CN_TEXT_POOL / 4) {
        return cn_arena_text(pool->memory, text, length);
    }
    if (length + 1 > pool->text_left) {
        pool->text = CN_TAKE(pool->memory, char, CN_TEXT_POOL);
        pool->text_left = pool->text ? CN_TEXT_POOL : 0;
    }
    if (pool->text_left == 0) {
        return NULL;
    }
    char *copy = pool->text;
    memcpy(copy, text, length);
    copy[length] = '\0';
    pool->text += length + 1;
    pool->text_left -= length + 1;
    return copy;
}

static cn_yaml *cn_yaml_copy(cn_yaml_loader *loader, const cn_yaml *from) {
    if (++loader->copied > CN_YAML_ALIAS_NODES_MAX) {
        return NULL;
    }
    cn_yaml *to = cn_pool_node(&loader->pool);
    if (!to) {
        return NULL;
    }
    *to = *from;
    to->capacity = 0;
    if (from->count == 0) {
        return to;
    }
    to->item = CN_TAKE(loader->pool.memory, cn_yaml *, from->count);
    for (int32_t i = 0; i < from->count; i++) {
        if (!to->item || !(to->item[i] = cn_yaml_copy(loader, from->item[i]))) {
            return NULL;
        }
    }
    return to; // keys are never changed, so they are shared
}

// ---- scalars ----

static bool cn_is_one_of(const char *text, const char *const *words, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

// 0x1F and 0o17, exact up to 2^53 and refused as numbers beyond.
static bool cn_parse_based(const char *text, double *value) {
    bool hexadecimal = strncmp(text, "0x", 2) == 0;
    if (!hexadecimal && strncmp(text, "0o", 2) != 0) {
        return false;
    }
    const char *const digits = hexadecimal ? "0123456789abcdefABCDEF" : "01234567";
    size_t length = strspn(text + 2, digits);
    if (length == 0 || text[2 + length] != '\0') {
        return false;
    }
    *value = 0.0;
    for (const char *c = text + 2; *c; c++) {
        int digit = (int)(strchr(digits, *c) - digits);
        *value = *value * (hexadecimal ? 16 : 8) + (digit > 15 ? digit - 6 : digit);
        if (*value > CN_INTEGER_EXACT) {
            return false;
        }
    }
    return true;
}

// What a plain scalar is in the core schema.
static void cn_yaml_resolve(cn_yaml *node) {
    static const char *const nothing[] = {"", "~", "null", "Null", "NULL"};
    static const char *const yes[] = {"true", "True", "TRUE"};
    static const char *const no[] = {"false", "False", "FALSE"};
    static const char *const infinite[] = {".inf", ".Inf", ".INF"};
    static const char *const nan[] = {".nan", ".NaN", ".NAN"};
    const char *text = node->text;
    const char *unsigned_text = text + (*text == '+' || *text == '-');
    if (cn_is_one_of(text, nothing, 5)) {
        node->kind = CN_YAML_NULL;
    } else if (cn_is_one_of(text, yes, 3) || cn_is_one_of(text, no, 3)) {
        node->kind = CN_YAML_BOOL;
        node->truth = cn_is_one_of(text, yes, 3);
    } else if (cn_number_parse(text, &node->number) || cn_parse_based(text, &node->number)) {
        node->kind = CN_YAML_NUMBER;
    } else if (cn_is_one_of(unsigned_text, infinite, 3)) {
        node->kind = CN_YAML_NUMBER;
        node->number = *text == '-' ? -INFINITY : INFINITY;
    } else if (cn_is_one_of(text, nan, 3)) {
        node->kind = CN_YAML_NUMBER;
        node->number = NAN;
    }
}

// ---- from events to nodes ----

static cn_yaml *cn_loader_node(cn_yaml_loader *loader, cn_yaml_kind kind, yaml_mark_t mark) {
    cn_yaml *node = cn_pool_node(&loader->pool);
    if (node) {
        *node = (cn_yaml){.file = loader->file,
                          .line = cn_yaml_place(mark.line),
                          .column = cn_yaml_place(mark.column),
                          .kind = kind};
    }
    return node;
}

static size_t cn_loader_children(const cn_yaml_loader *loader) {
    return loader->children.size / sizeof(cn_yaml *);
}

static bool cn_next_is_key(const cn_yaml_loader *loader) {
    if (loader->depth == 0) {
        return false;
    }
    const cn_yaml_open *open = &loader->open[loader->depth - 1];
    return open->node->kind == CN_YAML_MAP && (cn_loader_children(loader) - open->first) % 2 == 0;
}

static cn_status cn_loader_check_key(cn_yaml_loader *loader, const cn_yaml *key, yaml_mark_t mark) {
    const cn_yaml_open *open = &loader->open[loader->depth - 1];
    cn_yaml *const *child = (cn_yaml *const *)(const void *)loader->children.data;
    size_t count = cn_loader_children(loader);
    if (count - open->first >= 2 * (size_t)CN_YAML_KEYS_MAX) {
        return cn_yaml_fail(loader, mark, "a map has too many keys");
    }
    for (size_t i = open->first; i < count; i += 2) {
        if (strcmp(child[i]->text, key->text) == 0) {
            cn_fail(loader->error, CN_ERR_INPUT, "the key \"%.60s\" is there twice", key->text);
            cn_fail_hint(loader->error, "it is first given in line %d", child[i]->line);
            cn_fail_at(loader->error, loader->file, key->line, key->column);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

// The node takes its place under the innermost open list or map.
static cn_status cn_loader_add(cn_yaml_loader *loader, cn_yaml *node, yaml_mark_t mark) {
    if (!node) {
        return cn_yaml_no_memory(loader);
    }
    if (loader->depth == 0) {
        loader->root = node;
        return CN_OK;
    }
    if (cn_next_is_key(loader)) {
        if (node->kind == CN_YAML_LIST || node->kind == CN_YAML_MAP) {
            return cn_yaml_fail(loader, mark, "a key must be a word, not a list or a map");
        }
        node->kind = CN_YAML_TEXT;
        cn_status status = cn_loader_check_key(loader, node, mark);
        if (status != CN_OK) {
            return status;
        }
    }
    return cn_buffer_append(&loader->children, &node, sizeof node) ? CN_OK
                                                                   : cn_yaml_no_memory(loader);
}

static cn_status cn_loader_anchor(cn_yaml_loader *loader, const yaml_char_t *name, cn_yaml *node,
                                  bool complete, yaml_mark_t mark, int32_t *index) {
    *index = -1;
    if (!name || !node) {
        return CN_OK;
    }
    if (loader->anchor_count == CN_YAML_ANCHORS_MAX) {
        return cn_yaml_fail(loader, mark, "there are too many anchors");
    }
    const char *text = (const char *)name;
    const char *copy = cn_pool_text(&loader->pool, text, strlen(text));
    if (!copy) {
        return cn_yaml_no_memory(loader);
    }
    *index = loader->anchor_count++;
    loader->anchor[*index] = (cn_yaml_anchor){.name = copy, .node = node, .complete = complete};
    return CN_OK;
}

static cn_status cn_loader_scalar(cn_yaml_loader *loader, const yaml_event_t *event) {
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    yaml_mark_t mark = event->start_mark;
    if (event->data.scalar.tag) {
        return cn_yaml_fail(loader, mark, "tags such as !!str are not supported");
    }
    if (memchr(value, '\0', length)) {
        return cn_yaml_fail(loader, mark, "the text has a zero byte");
    }
    cn_yaml *node = cn_loader_node(loader, CN_YAML_TEXT, mark);
    if (!node || !(node->text = cn_pool_text(&loader->pool, value, length))) {
        return cn_yaml_no_memory(loader);
    }
    yaml_scalar_style_t style = event->data.scalar.style;
    node->block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
    node->quoted =
        style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (!node->block && !node->quoted) {
        cn_yaml_resolve(node);
    }
    int32_t anchor;
    cn_status status =
        cn_loader_anchor(loader, event->data.scalar.anchor, node, true, mark, &anchor);
    return status != CN_OK ? status : cn_loader_add(loader, node, mark);
}

static cn_status cn_loader_alias(cn_yaml_loader *loader, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    const cn_yaml_anchor *found = NULL;
    for (int32_t i = loader->anchor_count - 1; i >= 0 && !found; i--) {
        found = strcmp(loader->anchor[i].name, name) == 0 ? &loader->anchor[i] : NULL;
    }
    if (!found) {
        cn_fail(loader->error, CN_ERR_INPUT, "there is no anchor \"&%.60s\" before this alias",
                name);
        cn_fail_at(loader->error, loader->file, cn_yaml_place(event->start_mark.line),
                   cn_yaml_place(event->start_mark.column));
        return CN_ERR_INPUT;
    }
    if (!found->complete) {
        return cn_yaml_fail(loader, event->start_mark, "an alias stands inside its own anchor");
    }
    cn_yaml *node = cn_yaml_copy(loader, found->node);
    if (!node && loader->copied > CN_YAML_ALIAS_NODES_MAX) {
        return cn_yaml_fail(loader, event->start_mark, "the aliases stand for too many nodes");
    }
    return cn_loader_add(loader, node, event->start_mark);
}

static cn_status cn_loader_begin(cn_yaml_loader *loader, const yaml_event_t *event) {
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    yaml_mark_t mark = event->start_mark;
    const yaml_char_t *tag = list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    const yaml_char_t *name =
        list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    if (tag) {
        return cn_yaml_fail(loader, mark, "tags such as !!map are not supported");
    }
    if (loader->depth == CN_YAML_DEPTH_MAX) {
        return cn_yaml_fail(loader, mark, "lists and maps are too deep inside each other");
    }
    cn_yaml *node = cn_loader_node(loader, list ? CN_YAML_LIST : CN_YAML_MAP, mark);
    int32_t anchor;
    cn_status status = cn_loader_anchor(loader, name, node, false, mark, &anchor);
    if (status == CN_OK) {
        status = cn_loader_add(loader, node, mark);
    }
    if (status == CN_OK) {
        loader->open[loader->depth++] =
            (cn_yaml_open){.node = node, .first = cn_loader_children(loader), .anchor = anchor};
    }
    return status;
}

// The children leave the stack for arrays of their own.
static cn_status cn_loader_end(cn_yaml_loader *loader) {
    cn_yaml_open *open = &loader->open[--loader->depth];
    size_t count = cn_loader_children(loader) - open->first;
    bool map = open->node->kind == CN_YAML_MAP;
    if (count > INT32_MAX) {
        return cn_fail(loader->error, CN_ERR_INPUT, "a list is too long");
    }
    if (count > 0) {
        cn_yaml **child = (cn_yaml **)(void *)loader->children.data + open->first;
        cn_yaml *node = open->node;
        node->count = node->capacity = (int32_t)(map ? count / 2 : count);
        node->item = CN_TAKE(loader->pool.memory, cn_yaml *, node->count);
        node->key = map ? CN_TAKE(loader->pool.memory, cn_yaml *, node->count) : NULL;
        if (!node->item || (map && !node->key)) {
            node->count = node->capacity = 0;
            return cn_yaml_no_memory(loader);
        }
        for (int32_t i = 0; i < node->count; i++) {
            node->item[i] = map ? child[2 * i + 1] : child[i];
            if (map) {
                node->key[i] = child[2 * i];
            }
        }
        loader->children.size = open->first * sizeof(cn_yaml *);
    }
    if (open->anchor >= 0) {
        loader->anchor[open->anchor].complete = true;
    }
    return CN_OK;
}

static cn_status cn_loader_event(cn_yaml_loader *loader, const yaml_event_t *event,
                                 int32_t *documents) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1) {
            return cn_yaml_fail(loader, event->start_mark, "a second document starts here");
        }
        return CN_OK;
    case YAML_SCALAR_EVENT:
        return cn_loader_scalar(loader, event);
    case YAML_ALIAS_EVENT:
        return cn_loader_alias(loader, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return cn_loader_begin(loader, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return cn_loader_end(loader);
    default:
        return CN_OK;
    }
}

// What libyaml says, with its place.
static cn_status cn_loader_syntax(cn_yaml_loader *loader) {
    const yaml_parser_t *parser = &loader->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return cn_yaml_no_memory(loader);
    }
    // A broken byte has no mark of its own: the parser has come about as far.
    yaml_mark_t mark = parser->error == YAML_READER_ERROR ? parser->mark : parser->problem_mark;
    cn_yaml_fail(loader, mark, parser->problem ? parser->problem : "this is not YAML");
    if (parser->context) {
        cn_fail_hint(loader->error, "%s that starts in line %d", parser->context,
                     cn_yaml_place(parser->context_mark.line));
    }
    return CN_ERR_INPUT;
}

static cn_status cn_loader_run(cn_yaml_loader *loader) {
    int32_t documents = 0;
    bool done = false;
    cn_status status = CN_OK;
    while (status == CN_OK && !done) {
        yaml_event_t event;
        if (!yaml_parser_parse(&loader->parser, &event)) {
            return cn_loader_syntax(loader);
        }
        done = event.type == YAML_STREAM_END_EVENT;
        status = cn_loader_event(loader, &event, &documents);
        yaml_event_delete(&event);
    }
    if (status == CN_OK && !loader->root) {
        loader->root = cn_loader_node(loader, CN_YAML_NULL, (yaml_mark_t){0});
        status = loader->root ? CN_OK : cn_yaml_no_memory(loader);
    }
    return status;
}

// The loader is large (anchors and open nodes have fixed tables), so it lives in the arena too.
static cn_status cn_loader_start(cn_arena *memory, const char *file, cn_error *error,
                                 cn_yaml_loader **out) {
    cn_yaml_loader *loader = CN_TAKE_ZERO(memory, cn_yaml_loader, 1);
    const char *name = cn_arena_text(memory, file, strlen(file));
    if (!loader || !name) {
        return cn_fail_memory(error);
    }
    loader->pool.memory = memory;
    loader->file = name;
    loader->error = error;
    cn_buffer_init(&loader->children, cn_arena_env(memory));
    if (!yaml_parser_initialize(&loader->parser)) {
        return cn_fail_memory(error);
    }
    *out = loader;
    return CN_OK;
}

cn_status cn_yaml_read(cn_arena *memory, const char *file, const char *text, size_t size,
                       cn_yaml **out, cn_error *error) {
    *out = NULL;
    if (size > CN_YAML_BYTES_MAX) {
        cn_fail(error, CN_ERR_INPUT, "the text has more than %zu MiB", CN_YAML_BYTES_MAX >> 20);
        cn_fail_at(error, file, 0, 0);
        return CN_ERR_INPUT;
    }
    cn_yaml_loader *loader = NULL;
    cn_status status = cn_loader_start(memory, file, error, &loader);
    if (status == CN_OK) {
        yaml_parser_set_input_string(&loader->parser, (const unsigned char *)text, size);
        yaml_parser_set_encoding(&loader->parser, YAML_UTF8_ENCODING);
        status = cn_loader_run(loader);
        yaml_parser_delete(&loader->parser);
        cn_buffer_free(&loader->children);
        *out = status == CN_OK ? loader->root : NULL;
    }
    return status;
}

cn_status cn_yaml_read_file(cn_arena *memory, const char *path, bool regular, cn_yaml **out,
                            cn_error *error) {
    *out = NULL;
    cn_buffer bytes;
    cn_buffer_init(&bytes, cn_arena_env(memory));
    cn_status status = regular ? cn_file_read_regular(path, CN_YAML_BYTES_MAX, &bytes, error)
                               : cn_file_read_most(path, CN_YAML_BYTES_MAX, &bytes, error);
    if (status == CN_OK) {
        const char *text = bytes.data ? (const char *)bytes.data : "";
        status = cn_yaml_read(memory, path, text, bytes.size, out, error);
    }
    cn_buffer_free(&bytes);
    return status;
}
