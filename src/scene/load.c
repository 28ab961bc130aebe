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

#define CN_INCLUDE_DEPTH_MAX 16
#define CN_INCLUDE_FILES_MAX 256 // in all, so that files including others twice stay bounded

// The files that are being read, innermost first.
typedef struct cn_include_chain {
    const char *path;
    const struct cn_include_chain *from;
    int32_t depth;
} cn_include_chain;

static cn_status cn_load_tree(cn_reader *reader, cn_yaml *own, const cn_include_chain *chain,
                              int32_t *files, cn_yaml **tree);

static cn_status cn_check_version(cn_reader *reader, const cn_yaml *tree) {
    if (tree->kind != CN_YAML_MAP) {
        cn_fail_node(reader, tree, CN_ERR_INPUT,
                     tree->kind == CN_YAML_NULL ? "the file is empty"
                                                : "a scene file is a map of keys");
        cn_fail_hint(reader->error, "a scene starts with \"cairn: %d\"", CN_SCENE_VERSION);
        return CN_ERR_INPUT;
    }
    const cn_yaml *version = cn_yaml_get(tree, "cairn");
    if (!version) {
        cn_fail_node(reader, tree, CN_ERR_INPUT, "the version of the format is missing");
        cn_fail_hint(reader->error, "write \"cairn: %d\" at the top", CN_SCENE_VERSION);
        return CN_ERR_INPUT;
    }
    if (version->kind != CN_YAML_NUMBER || version->number != CN_SCENE_VERSION) {
        cn_fail_node(reader, version, CN_ERR_INPUT, "this reads version %d of the format",
                     CN_SCENE_VERSION);
        cn_fail_hint(reader->error, "write \"cairn: %d\"", CN_SCENE_VERSION);
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

// ---- merging ----

static cn_status cn_merge_maps(cn_reader *reader, cn_yaml *base, const cn_yaml *over) {
    for (int32_t i = 0; i < over->count; i++) {
        cn_yaml *old = cn_yaml_get(base, over->key[i]->text);
        cn_status status = CN_OK;
        if (old && old->kind == CN_YAML_MAP && over->item[i]->kind == CN_YAML_MAP) {
            status = cn_merge_maps(reader, old, over->item[i]);
        } else if (!cn_yaml_put(reader->memory, base, over->key[i], over->item[i])) {
            status = cn_fail_memory(reader->error);
        }
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

static bool cn_is_list_of_scene(const char *key) {
    const cn_field *field = cn_table_field(&cn_scene_table, key);
    return field && field->kind == &cn_kind_list;
}

// over's keys into base. Lists of entries are joined.
static cn_status cn_merge_scenes(cn_reader *reader, cn_yaml *base, const cn_yaml *over) {
    const cn_yaml *dims[2] = {cn_yaml_get(base, "dimension"), cn_yaml_get(over, "dimension")};
    if (dims[0] && dims[1] && strcmp(dims[0]->text, dims[1]->text) != 0) {
        return cn_fail_node(reader, dims[0], CN_ERR_INPUT,
                            "this included file has dimension %.8s, another has %.8s",
                            dims[0]->text, dims[1]->text);
    }
    for (int32_t i = 0; i < over->count; i++) {
        const char *key = over->key[i]->text;
        cn_yaml *old = cn_yaml_get(base, key);
        cn_yaml *item = over->item[i];
        bool good = true;
        cn_status status = CN_OK;
        if (old && cn_is_list_of_scene(key) && old->kind == CN_YAML_LIST &&
            item->kind == CN_YAML_LIST) {
            for (int32_t j = 0; j < item->count && good; j++) {
                good = cn_yaml_append(reader->memory, old, item->item[j]);
            }
        } else if (old && old->kind == CN_YAML_MAP && item->kind == CN_YAML_MAP) {
            status = cn_merge_maps(reader, old, item);
        } else if (!(old && item->kind == CN_YAML_NULL)) {
            good = cn_yaml_put(reader->memory, base, over->key[i], item);
        }
        if (status != CN_OK || !good) {
            return status != CN_OK ? status : cn_fail_memory(reader->error);
        }
    }
    return CN_OK;
}

// The tree without a key.
static cn_yaml *cn_without(cn_arena *memory, const cn_yaml *tree, const char *key) {
    cn_yaml *out = cn_yaml_new(memory, CN_YAML_MAP, tree);
    for (int32_t i = 0; i < tree->count && out; i++) {
        if (strcmp(tree->key[i]->text, key) != 0 &&
            !cn_yaml_put(memory, out, tree->key[i], tree->item[i])) {
            return NULL;
        }
    }
    return out;
}

// ---- including ----

static cn_status cn_load_include(cn_reader *reader, const cn_yaml *node,
                                 const cn_include_chain *chain, int32_t *files, cn_yaml **tree) {
    if (node->kind != CN_YAML_TEXT) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "include must be a list of file names");
    }
    const char *path = cn_path_beside(reader, node, node->text);
    if (!path) {
        return cn_fail_memory(reader->error);
    }
    for (const cn_include_chain *c = chain; c; c = c->from) {
        if (cn_file_same(c->path, path)) {
            return cn_fail_node(reader, node, CN_ERR_INPUT, "\"%.200s\" includes itself",
                                node->text);
        }
    }
    if (chain->depth == CN_INCLUDE_DEPTH_MAX || ++*files > CN_INCLUDE_FILES_MAX) {
        return cn_fail_node(reader, node, CN_ERR_INPUT, "there are too many includes");
    }
    cn_yaml *own;
    cn_status status = cn_yaml_read_file(reader->memory, path, true, &own, reader->error);
    if (status == CN_ERR_IO) {
        return cn_fail_unreadable(reader, node, "cannot read the included file ", path);
    }
    cn_include_chain inner = {.path = path, .from = chain, .depth = chain->depth + 1};
    return status == CN_OK ? cn_load_tree(reader, own, &inner, files, tree) : status;
}

static cn_status cn_load_tree(cn_reader *reader, cn_yaml *own, const cn_include_chain *chain,
                              int32_t *files, cn_yaml **tree) {
    cn_status status = cn_check_version(reader, own);
    cn_yaml *include = status == CN_OK ? cn_yaml_get(own, "include") : NULL;
    *tree = own;
    if (status != CN_OK || !include) {
        return status;
    }
    bool list = include->kind == CN_YAML_LIST;
    if (!list && include->kind != CN_YAML_TEXT && include->kind != CN_YAML_NULL) {
        return cn_fail_node(reader, include, CN_ERR_INPUT, "include must be a list of file names");
    }
    cn_yaml *base = cn_yaml_new(reader->memory, CN_YAML_MAP, own);
    int32_t count = list ? include->count : include->kind == CN_YAML_TEXT;
    for (int32_t i = 0; i < count && base && status == CN_OK; i++) {
        cn_yaml *part;
        status = cn_load_include(reader, list ? include->item[i] : include, chain, files, &part);
        if (status == CN_OK) {
            part = cn_without(reader->memory, part, "name");
            status = part ? cn_merge_scenes(reader, base, part) : cn_fail_memory(reader->error);
        }
    }
    if (status != CN_OK) {
        return status;
    }
    own = cn_without(reader->memory, own, "include");
    if (!base || !own) {
        return cn_fail_memory(reader->error);
    }
    *tree = base;
    return cn_merge_scenes(reader, base, own);
}

cn_status cn_scene_load(cn_reader *reader, const char *path, cn_yaml **tree) {
    cn_yaml *own;
    int32_t files = 0;
    cn_include_chain chain = {.path = path};
    cn_status status = cn_yaml_read_file(reader->memory, path, false, &own, reader->error);
    return status == CN_OK ? cn_load_tree(reader, own, &chain, &files, tree) : status;
}

cn_status cn_scene_load_text(cn_reader *reader, const char *text, size_t size, cn_yaml **tree) {
    cn_yaml *own;
    int32_t files = 0;
    cn_include_chain chain = {.path = reader->file};
    cn_status status = cn_yaml_read(reader->memory, reader->file, text, size, &own, reader->error);
    return status == CN_OK ? cn_load_tree(reader, own, &chain, &files, tree) : status;
}
