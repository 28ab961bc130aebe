// scene/load.c
// A scene file and the files it includes as one tree.
//
// Included files come first, in their order, each with its own includes worked in. Lists (bodies,
// contacts, forces ...) are joined; of single values, and of the keys of maps (solver, materials
// ...), the later one wins. An included scene's name is dropped.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/file.h"
#include "scene/files.h"

#include <string.h>

#define INCLUDE_DEPTH_MAX 16
#define INCLUDE_FILES_MAX 256 // in all, so that files including others twice stay bounded

// The files that are being read, innermost first.
typedef struct include_chain {
    const char *path;
    const struct include_chain *from;
    int32_t depth;
} include_chain;

static cn_status load_tree(scene_reader *reader, io_yaml *own, const include_chain *chain,
                           int32_t *files, io_yaml **tree);

static cn_status check_version(scene_reader *reader, const io_yaml *tree) {
    if (tree->kind != IO_YAML_MAP) {
        scene_fail_node(reader, tree, CN_ERR_INPUT,
                        tree->kind == IO_YAML_NULL ? "the file is empty"
                                                   : "a scene file is a map of keys");
        base_fail_hint(reader->error, "a scene starts with \"cairn: %d\"", SCENE_VERSION);
        return CN_ERR_INPUT;
    }
    const io_yaml *version = io_yaml_get(tree, "cairn");
    if (!version) {
        scene_fail_node(reader, tree, CN_ERR_INPUT, "the version of the format is missing");
        base_fail_hint(reader->error, "write \"cairn: %d\" at the top", SCENE_VERSION);
        return CN_ERR_INPUT;
    }
    if (version->kind != IO_YAML_NUMBER || version->number != SCENE_VERSION) {
        scene_fail_node(reader, version, CN_ERR_INPUT, "this reads version %d of the format",
                        SCENE_VERSION);
        base_fail_hint(reader->error, "write \"cairn: %d\"", SCENE_VERSION);
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

// ---- merging ----

static cn_status merge_maps(scene_reader *reader, io_yaml *base, const io_yaml *over) {
    for (int32_t i = 0; i < over->count; i++) {
        io_yaml *old = io_yaml_get(base, over->key[i]->text);
        if (old && old->kind == IO_YAML_MAP && over->item[i]->kind == IO_YAML_MAP) {
            CN_TRY(merge_maps(reader, old, over->item[i]));
        } else if (!io_yaml_put(reader->memory, base, over->key[i], over->item[i])) {
            return base_fail_memory(reader->error);
        }
    }
    return CN_OK;
}

static bool is_list_of_scene(const char *key) {
    const scene_field *field = scene_table_field(&scene_table, key);
    return field && field->kind == &scene_kind_list;
}

// over's keys into base. Lists of entries are joined.
static cn_status merge_scenes(scene_reader *reader, io_yaml *base, const io_yaml *over) {
    const io_yaml *dims[2] = {io_yaml_get(base, "dimension"), io_yaml_get(over, "dimension")};
    if (dims[0] && dims[1] && strcmp(dims[0]->text, dims[1]->text) != 0) {
        return scene_fail_node(reader, dims[0], CN_ERR_INPUT,
                               "this included file has dimension %.8s, another has %.8s",
                               dims[0]->text, dims[1]->text);
    }
    for (int32_t i = 0; i < over->count; i++) {
        const char *key = over->key[i]->text;
        io_yaml *old = io_yaml_get(base, key);
        io_yaml *item = over->item[i];
        bool good = true;
        cn_status status = CN_OK;
        if (old && is_list_of_scene(key) && old->kind == IO_YAML_LIST &&
            item->kind == IO_YAML_LIST) {
            for (int32_t j = 0; j < item->count && good; j++) {
                good = io_yaml_append(reader->memory, old, item->item[j]);
            }
        } else if (old && old->kind == IO_YAML_MAP && item->kind == IO_YAML_MAP) {
            status = merge_maps(reader, old, item);
        } else if (!(old && item->kind == IO_YAML_NULL)) {
            good = io_yaml_put(reader->memory, base, over->key[i], item);
        }
        if (status != CN_OK || !good) {
            return status != CN_OK ? status : base_fail_memory(reader->error);
        }
    }
    return CN_OK;
}

// The tree without a key.
static io_yaml *without(cn_arena *memory, const io_yaml *tree, const char *key) {
    io_yaml *out = io_yaml_new(memory, IO_YAML_MAP, tree);
    for (int32_t i = 0; i < tree->count && out; i++) {
        if (strcmp(tree->key[i]->text, key) != 0 &&
            !io_yaml_put(memory, out, tree->key[i], tree->item[i])) {
            return NULL;
        }
    }
    return out;
}

// ---- including ----

static cn_status load_include(scene_reader *reader, const io_yaml *node, const include_chain *chain,
                              int32_t *files, io_yaml **tree) {
    if (node->kind != IO_YAML_TEXT) {
        return scene_fail_node(reader, node, CN_ERR_INPUT, "include must be a list of file names");
    }
    const char *path = scene_path_beside(reader, node, node->text);
    if (!path) {
        return base_fail_memory(reader->error);
    }
    for (const include_chain *c = chain; c; c = c->from) {
        if (io_file_same(c->path, path)) {
            return scene_fail_node(reader, node, CN_ERR_INPUT, "\"%.200s\" includes itself",
                                   node->text);
        }
    }
    if (chain->depth == INCLUDE_DEPTH_MAX || ++*files > INCLUDE_FILES_MAX) {
        return scene_fail_node(reader, node, CN_ERR_INPUT, "there are too many includes");
    }
    io_yaml *own;
    cn_status status = io_yaml_read_file(reader->memory, path, true, &own, reader->error);
    if (status == CN_ERR_IO) {
        return scene_fail_unreadable(reader, node, "cannot read the included file ", path);
    }
    include_chain inner = {.path = path, .from = chain, .depth = chain->depth + 1};
    CN_TRY(status);
    return load_tree(reader, own, &inner, files, tree);
}

static cn_status load_tree(scene_reader *reader, io_yaml *own, const include_chain *chain,
                           int32_t *files, io_yaml **tree) {
    cn_status status = check_version(reader, own);
    io_yaml *include = status == CN_OK ? io_yaml_get(own, "include") : NULL;
    *tree = own;
    if (status != CN_OK || !include) {
        return status;
    }
    bool list = include->kind == IO_YAML_LIST;
    if (!list && include->kind != IO_YAML_TEXT && include->kind != IO_YAML_NULL) {
        return scene_fail_node(reader, include, CN_ERR_INPUT,
                               "include must be a list of file names");
    }
    io_yaml *base = io_yaml_new(reader->memory, IO_YAML_MAP, own);
    int32_t count = list ? include->count : include->kind == IO_YAML_TEXT;
    for (int32_t i = 0; i < count && base && status == CN_OK; i++) {
        io_yaml *part;
        status = load_include(reader, list ? include->item[i] : include, chain, files, &part);
        if (status == CN_OK) {
            part = without(reader->memory, part, "name");
            status = part ? merge_scenes(reader, base, part) : base_fail_memory(reader->error);
        }
    }
    CN_TRY(status);
    own = without(reader->memory, own, "include");
    if (!base || !own) {
        return base_fail_memory(reader->error);
    }
    *tree = base;
    return merge_scenes(reader, base, own);
}

cn_status scene_load(scene_reader *reader, const char *path, io_yaml **tree) {
    io_yaml *own;
    int32_t files = 0;
    include_chain chain = {.path = path};
    CN_TRY(io_yaml_read_file(reader->memory, path, false, &own, reader->error));
    return load_tree(reader, own, &chain, &files, tree);
}

cn_status scene_load_text(scene_reader *reader, const char *text, size_t size, io_yaml **tree) {
    io_yaml *own;
    int32_t files = 0;
    include_chain chain = {.path = reader->file};
    CN_TRY(io_yaml_read(reader->memory, reader->file, text, size, &own, reader->error));
    return load_tree(reader, own, &chain, &files, tree);
}
