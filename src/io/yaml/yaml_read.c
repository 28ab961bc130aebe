// io/yaml/yaml_read.c
// libyaml's events to a tree of nodes.
//
// Children wait on a stack until their list or map ends, so that no node is ever moved. An alias
// becomes a copy of its anchor's tree, counted against a limit: nine levels of "nine times the one
// before" are some hundred bytes of text and a thousand million nodes. libyaml takes its own memory
// from the C library.
#include "io/yaml/yaml.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"
#include "io/number.h"
#include "io/yaml/yaml_syntax.h"

#include <yaml.h>

#include <math.h>
#include <string.h>

#define NODE_POOL 256
#define TEXT_POOL 16384
#define INTEGER_EXACT 9007199254740992.0 // 2^53: whole numbers up to here are doubles

// Small pieces from an arena whose own pieces are at least 64 bytes.
typedef struct yaml_pool {
    cn_arena *memory;
    io_yaml *node;
    int32_t node_left;
    char *text;
    size_t text_left;
} yaml_pool;

typedef struct yaml_anchor {
    const char *name;
    io_yaml *node; // incomplete while its end has not come
    bool complete;
} yaml_anchor;

typedef struct yaml_open {
    io_yaml *node;
    size_t first;   // of its children on the stack
    int32_t anchor; // -1: none
} yaml_open;

typedef struct yaml_loader {
    yaml_pool pool;
    const char *file;
    const char *text; // without its byte order mark
    size_t size;
    cn_error *error;
    yaml_parser_t parser;
    base_buffer children; // io_yaml *, keys and values in turn for a map
    yaml_open open[IO_YAML_DEPTH_MAX];
    int32_t depth;
    yaml_anchor anchor[IO_YAML_ANCHORS_MAX];
    int32_t anchor_count;
    int64_t copied; // nodes made for aliases
    io_yaml *root;
} yaml_loader;

static int32_t yaml_place(size_t zero_based) {
    return zero_based < INT32_MAX ? (int32_t)zero_based + 1 : INT32_MAX;
}

static cn_status yaml_fail(yaml_loader *loader, yaml_mark_t mark, const char *message) {
    base_fail(loader->error, CN_ERR_INPUT, "%s", message);
    base_fail_at(loader->error, loader->file, yaml_place(mark.line), yaml_place(mark.column));
    return CN_ERR_INPUT;
}

static cn_status yaml_no_memory(yaml_loader *loader) {
    return base_fail_memory(loader->error);
}

// ---- nodes ----

static io_yaml *pool_node(yaml_pool *pool) {
    if (pool->node_left == 0) {
        pool->node = BASE_TAKE_ZERO(pool->memory, io_yaml, NODE_POOL);
        pool->node_left = pool->node ? NODE_POOL : 0;
    }
    if (pool->node_left == 0) {
        return NULL;
    }
    pool->node_left--;
    return pool->node++;
}

static const char *pool_text(yaml_pool *pool, const char *text, size_t length) {
    if (length + 1 > TEXT_POOL / 4) {
        return base_arena_text(pool->memory, text, length);
    }
    if (length + 1 > pool->text_left) {
        pool->text = BASE_TAKE(pool->memory, char, TEXT_POOL);
        pool->text_left = pool->text ? TEXT_POOL : 0;
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

static io_yaml *yaml_copy(yaml_loader *loader, const io_yaml *from) {
    if (++loader->copied > IO_YAML_ALIAS_NODES_MAX) {
        return NULL;
    }
    io_yaml *to = pool_node(&loader->pool);
    if (!to) {
        return NULL;
    }
    *to = *from;
    to->capacity = 0;
    if (from->count == 0) {
        return to;
    }
    to->item = BASE_TAKE(loader->pool.memory, io_yaml *, from->count);
    for (int32_t i = 0; i < from->count; i++) {
        if (!to->item || !(to->item[i] = yaml_copy(loader, from->item[i]))) {
            return NULL;
        }
    }
    return to; // keys are never changed, so they are shared
}

// ---- scalars ----

static bool is_one_of(const char *text, const char *const *words, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

// 0x1F and 0o17, exact up to 2^53 and refused as numbers beyond.
static bool parse_based(const char *text, double *value) {
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
        if (*value > INTEGER_EXACT) {
            return false;
        }
    }
    return true;
}

// What a plain scalar is in the core schema.
static void yaml_resolve(io_yaml *node) {
    static const char *const nothing[] = {"", "~", "null", "Null", "NULL"};
    static const char *const yes[] = {"true", "True", "TRUE"};
    static const char *const no[] = {"false", "False", "FALSE"};
    static const char *const infinite[] = {".inf", ".Inf", ".INF"};
    static const char *const nan[] = {".nan", ".NaN", ".NAN"};
    const char *text = node->text;
    const char *unsigned_text = text + (*text == '+' || *text == '-');
    if (is_one_of(text, nothing, 5)) {
        node->kind = IO_YAML_NULL;
    } else if (is_one_of(text, yes, 3) || is_one_of(text, no, 3)) {
        node->kind = IO_YAML_BOOL;
        node->truth = is_one_of(text, yes, 3);
    } else if (io_number_parse(text, &node->number) || parse_based(text, &node->number)) {
        node->kind = IO_YAML_NUMBER;
    } else if (is_one_of(unsigned_text, infinite, 3)) {
        node->kind = IO_YAML_NUMBER;
        node->number = *text == '-' ? -INFINITY : INFINITY;
    } else if (is_one_of(text, nan, 3)) {
        node->kind = IO_YAML_NUMBER;
        node->number = NAN;
    }
}

// ---- from events to nodes ----

static io_yaml *loader_node(yaml_loader *loader, io_yaml_kind kind, yaml_mark_t mark) {
    io_yaml *node = pool_node(&loader->pool);
    if (node) {
        *node = (io_yaml){.file = loader->file,
                          .line = yaml_place(mark.line),
                          .column = yaml_place(mark.column),
                          .kind = kind};
    }
    return node;
}

static size_t loader_children(const yaml_loader *loader) {
    return loader->children.size / sizeof(io_yaml *);
}

static bool next_is_key(const yaml_loader *loader) {
    if (loader->depth == 0) {
        return false;
    }
    const yaml_open *open = &loader->open[loader->depth - 1];
    return open->node->kind == IO_YAML_MAP && (loader_children(loader) - open->first) % 2 == 0;
}

static cn_status loader_check_key(yaml_loader *loader, const io_yaml *key, yaml_mark_t mark) {
    const yaml_open *open = &loader->open[loader->depth - 1];
    io_yaml *const *child = (io_yaml *const *)(const void *)loader->children.data;
    size_t count = loader_children(loader);
    if (count - open->first >= 2 * (size_t)IO_YAML_KEYS_MAX) {
        return yaml_fail(loader, mark, "a map has too many keys");
    }
    for (size_t i = open->first; i < count; i += 2) {
        if (strcmp(child[i]->text, key->text) == 0) {
            base_fail(loader->error, CN_ERR_INPUT, "duplicate key \"%.60s\"", key->text);
            base_fail_hint(loader->error, "it is first given in line %d", child[i]->line);
            base_fail_at(loader->error, loader->file, key->line, key->column);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

// The node takes its place under the innermost open list or map.
static cn_status loader_add(yaml_loader *loader, io_yaml *node, yaml_mark_t mark) {
    if (!node) {
        return yaml_no_memory(loader);
    }
    if (loader->depth == 0) {
        loader->root = node;
        return CN_OK;
    }
    if (next_is_key(loader)) {
        if (node->kind == IO_YAML_LIST || node->kind == IO_YAML_MAP) {
            return yaml_fail(loader, mark, "a key must be a word, not a list or a map");
        }
        node->kind = IO_YAML_TEXT;
        CN_TRY(loader_check_key(loader, node, mark));
    }
    return base_buffer_append(&loader->children, &node, sizeof node) ? CN_OK
                                                                     : yaml_no_memory(loader);
}

static cn_status loader_anchor(yaml_loader *loader, const yaml_char_t *name, io_yaml *node,
                               bool complete, yaml_mark_t mark, int32_t *index) {
    *index = -1;
    if (!name || !node) {
        return CN_OK;
    }
    if (loader->anchor_count == IO_YAML_ANCHORS_MAX) {
        return yaml_fail(loader, mark, "there are too many anchors");
    }
    const char *text = (const char *)name;
    const char *copy = pool_text(&loader->pool, text, strlen(text));
    if (!copy) {
        return yaml_no_memory(loader);
    }
    *index = loader->anchor_count++;
    loader->anchor[*index] = (yaml_anchor){.name = copy, .node = node, .complete = complete};
    return CN_OK;
}

static cn_status loader_scalar(yaml_loader *loader, const yaml_event_t *event) {
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    yaml_mark_t mark = event->start_mark;
    if (event->data.scalar.tag) {
        return yaml_fail(loader, mark, "tags such as !!str are not supported");
    }
    if (memchr(value, '\0', length)) {
        return yaml_fail(loader, mark, "the text has a zero byte");
    }
    io_yaml *node = loader_node(loader, IO_YAML_TEXT, mark);
    if (!node || !(node->text = pool_text(&loader->pool, value, length))) {
        return yaml_no_memory(loader);
    }
    yaml_scalar_style_t style = event->data.scalar.style;
    node->block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
    node->quoted =
        style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (!node->block && !node->quoted) {
        yaml_resolve(node);
    }
    int32_t anchor;
    CN_TRY(loader_anchor(loader, event->data.scalar.anchor, node, true, mark, &anchor));
    return loader_add(loader, node, mark);
}

static cn_status loader_alias(yaml_loader *loader, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    const yaml_anchor *found = NULL;
    for (int32_t i = loader->anchor_count - 1; i >= 0 && !found; i--) {
        found = strcmp(loader->anchor[i].name, name) == 0 ? &loader->anchor[i] : NULL;
    }
    if (!found) {
        base_fail(loader->error, CN_ERR_INPUT, "there is no anchor \"&%.60s\" before this alias",
                  name);
        base_fail_at(loader->error, loader->file, yaml_place(event->start_mark.line),
                     yaml_place(event->start_mark.column));
        return CN_ERR_INPUT;
    }
    if (!found->complete) {
        return yaml_fail(loader, event->start_mark, "an alias stands inside its own anchor");
    }
    io_yaml *node = yaml_copy(loader, found->node);
    if (!node && loader->copied > IO_YAML_ALIAS_NODES_MAX) {
        return yaml_fail(loader, event->start_mark, "the aliases stand for too many nodes");
    }
    return loader_add(loader, node, event->start_mark);
}

static cn_status loader_begin(yaml_loader *loader, const yaml_event_t *event) {
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    yaml_mark_t mark = event->start_mark;
    const yaml_char_t *tag = list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    const yaml_char_t *name =
        list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    if (tag) {
        return yaml_fail(loader, mark, "tags such as !!map are not supported");
    }
    if (loader->depth == IO_YAML_DEPTH_MAX) {
        return yaml_fail(loader, mark, "lists and maps are too deep inside each other");
    }
    io_yaml *node = loader_node(loader, list ? IO_YAML_LIST : IO_YAML_MAP, mark);
    int32_t anchor;
    CN_TRY(loader_anchor(loader, name, node, false, mark, &anchor));
    CN_TRY(loader_add(loader, node, mark));

    loader->open[loader->depth++] =
        (yaml_open){.node = node, .first = loader_children(loader), .anchor = anchor};
    return CN_OK;
}

// The children leave the stack for arrays of their own.
static cn_status loader_end(yaml_loader *loader) {
    yaml_open *open = &loader->open[--loader->depth];
    size_t count = loader_children(loader) - open->first;
    bool map = open->node->kind == IO_YAML_MAP;
    if (count > INT32_MAX) {
        return base_fail(loader->error, CN_ERR_INPUT, "a list is too long");
    }
    if (count > 0) {
        io_yaml **child = (io_yaml **)(void *)loader->children.data + open->first;
        io_yaml *node = open->node;
        node->count = node->capacity = (int32_t)(map ? count / 2 : count);
        node->item = BASE_TAKE(loader->pool.memory, io_yaml *, node->count);
        node->key = map ? BASE_TAKE(loader->pool.memory, io_yaml *, node->count) : NULL;
        if (!node->item || (map && !node->key)) {
            node->count = node->capacity = 0;
            return yaml_no_memory(loader);
        }
        for (int32_t i = 0; i < node->count; i++) {
            node->item[i] = map ? child[2 * i + 1] : child[i];
            if (map) {
                node->key[i] = child[2 * i];
            }
        }
        loader->children.size = open->first * sizeof(io_yaml *);
    }
    if (open->anchor >= 0) {
        loader->anchor[open->anchor].complete = true;
    }
    return CN_OK;
}

static cn_status loader_event(yaml_loader *loader, const yaml_event_t *event, int32_t *documents) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1) {
            yaml_fail(loader, event->start_mark, "a second document starts here");
            base_fail_hint(loader->error, "take the line --- away, or put the rest in a file of "
                                          "its own");
            return CN_ERR_INPUT;
        }
        return CN_OK;
    case YAML_SCALAR_EVENT:
        return loader_scalar(loader, event);
    case YAML_ALIAS_EVENT:
        return loader_alias(loader, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return loader_begin(loader, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return loader_end(loader);
    default:
        return CN_OK;
    }
}

static cn_status loader_syntax(yaml_loader *loader) {
    const yaml_parser_t *parser = &loader->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return yaml_no_memory(loader);
    }
    const io_yaml_problem problem = {.what = parser->problem,
                                     .context = parser->context,
                                     .line = parser->problem_mark.line,
                                     .column = parser->problem_mark.column,
                                     .context_line = parser->context_mark.line,
                                     .context_column = parser->context_mark.column};
    return io_yaml_explain(loader->file, loader->text, loader->size, &problem, loader->error);
}

static cn_status loader_run(yaml_loader *loader) {
    int32_t documents = 0;
    bool done = false;
    cn_status status = CN_OK;
    while (status == CN_OK && !done) {
        yaml_event_t event;
        if (!yaml_parser_parse(&loader->parser, &event)) {
            return loader_syntax(loader);
        }
        done = event.type == YAML_STREAM_END_EVENT;
        status = loader_event(loader, &event, &documents);
        yaml_event_delete(&event);
    }
    if (status == CN_OK && !loader->root) {
        loader->root = loader_node(loader, IO_YAML_NULL, (yaml_mark_t){0});
        status = loader->root ? CN_OK : yaml_no_memory(loader);
    }
    return status;
}

// The loader is large (anchors and open nodes have fixed tables), so it lives in the arena too.
static cn_status loader_start(cn_arena *memory, const char *file, cn_error *error,
                              yaml_loader **out) {
    yaml_loader *loader = BASE_TAKE_ZERO(memory, yaml_loader, 1);
    const char *name = base_arena_text(memory, file, strlen(file));
    if (!loader || !name) {
        return base_fail_memory(error);
    }
    loader->pool.memory = memory;
    loader->file = name;
    loader->error = error;
    base_buffer_init(&loader->children, cn_arena_env(memory));
    if (!yaml_parser_initialize(&loader->parser)) {
        return base_fail_memory(error);
    }
    *out = loader;
    return CN_OK;
}

cn_status io_yaml_read(cn_arena *memory, const char *file, const char *text, size_t size,
                       io_yaml **out, cn_error *error) {
    *out = NULL;
    if (size > IO_YAML_BYTES_MAX) {
        base_fail(error, CN_ERR_INPUT, "the text has more than %zu MiB", IO_YAML_BYTES_MAX >> 20);
        base_fail_at(error, file, 0, 0);
        return CN_ERR_INPUT;
    }
    yaml_loader *loader = NULL;
    size_t skip = 0;
    cn_status status = io_yaml_check_encoding(file, text, size, &skip, error);
    status = status == CN_OK ? loader_start(memory, file, error, &loader) : status;
    if (status == CN_OK) {
        loader->text = text + skip;
        loader->size = size - skip;
        const unsigned char *bytes = (const unsigned char *)loader->text;
        yaml_parser_set_input_string(&loader->parser, bytes, loader->size);
        yaml_parser_set_encoding(&loader->parser, YAML_UTF8_ENCODING);
        status = loader_run(loader);
        yaml_parser_delete(&loader->parser);
        base_buffer_free(&loader->children);
        *out = status == CN_OK ? loader->root : NULL;
    }
    return status;
}

cn_status io_yaml_read_file(cn_arena *memory, const char *path, bool regular, io_yaml **out,
                            cn_error *error) {
    *out = NULL;
    base_buffer bytes;
    base_buffer_init(&bytes, cn_arena_env(memory));
    cn_status status = regular ? io_file_read_regular(path, IO_YAML_BYTES_MAX, &bytes, error)
                               : io_file_read_max(path, IO_YAML_BYTES_MAX, &bytes, error);
    if (status == CN_OK) {
        const char *text = bytes.data ? (const char *)bytes.data : "";
        status = io_yaml_read(memory, path, text, bytes.size, out, error);
    }
    base_buffer_free(&bytes);
    return status;
}
