// io/gmsh_sections.c
// The sections of a file of Gmsh. Numbers come as words or as bytes; the order of them is the same
// but for the elements of version 2.
#include "io/gmsh_parts.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ITEMS_MAX (INT32_MAX / 64)

// ---- numbers ----

static cn_status fail_here(gmsh_file *f, const char *message) {
    if (!f->binary) {
        return io_text_fail(&f->text, CN_ERR_INPUT, "%s", message);
    }
    base_fail(f->error, CN_ERR_INPUT, "%s, at byte %zu", message, f->text.at);
    base_fail_at(f->error, f->text.name, 0, 0);
    return CN_ERR_INPUT;
}

static cn_status take_bytes(gmsh_file *f, size_t count, void *out) {
    if (f->text.size - f->text.at < count) {
        return fail_here(f, "the file ends within its data");
    }
    memcpy(out, f->text.bytes + f->text.at, count);
    f->text.at += count;
    return CN_OK;
}

// The bytes are little-endian, whatever the machine.
static cn_status take_word(gmsh_file *f, size_t count, uint64_t *out) {
    unsigned char bytes[8];
    *out = 0;
    CN_TRY(take_bytes(f, count, bytes));
    for (size_t i = 0; i < count; i++) {
        *out |= (uint64_t)bytes[i] << (8 * i);
    }
    return CN_OK;
}

static cn_status take_int(gmsh_file *f, const char *what, int64_t low, int64_t *out) {
    if (!f->binary) {
        return io_text_int(&f->text, what, low, INT32_MAX, out);
    }
    uint64_t word;
    CN_TRY(take_word(f, 4, &word));
    *out = word > INT32_MAX ? (int64_t)word - ((int64_t)1 << 32) : (int64_t)word;
    return *out >= low ? CN_OK : fail_here(f, "a number is out of range");
}

static cn_status take_size(gmsh_file *f, const char *what, int64_t high, int64_t *out) {
    if (!f->binary) {
        return io_text_int(&f->text, what, 0, high, out);
    }
    uint64_t word;
    CN_TRY(take_word(f, 8, &word));
    *out = word > (uint64_t)high ? -1 : (int64_t)word;
    return *out >= 0 ? CN_OK : fail_here(f, "a number is out of range");
}

static cn_status take_real(gmsh_file *f, const char *what, double *out) {
    if (!f->binary) {
        return io_text_real(&f->text, what, out);
    }
    uint64_t word;
    CN_TRY(take_word(f, 8, &word));
    memcpy(out, &word, sizeof *out);
    return isfinite(*out) ? CN_OK : fail_here(f, "a number is not finite");
}

// Fails unless so many items can be there, each of some words (text) or bytes (binary).
static cn_status check_room(gmsh_file *f, const char *what, int64_t count, int64_t words,
                            size_t bytes) {
    if (!f->binary) {
        return io_text_room(&f->text, what, count * words);
    }
    return (uint64_t)count <= (f->text.size - f->text.at) / bytes
               ? CN_OK
               : fail_here(f, "the file is shorter than its number of items says");
}

static cn_status append(gmsh_file *f, base_buffer *buffer, const void *item, size_t size) {
    if (buffer->size / size >= ITEMS_MAX) {
        return base_fail(f->error, CN_ERR_UNSUPPORTED, "the mesh is too large");
    }
    return base_buffer_append(buffer, item, size) ? CN_OK : base_fail_memory(f->error);
}

// ---- the head and names ----

static cn_status read_format(gmsh_file *f) {
    int64_t kind, size;
    double version;
    CN_TRY(io_text_real(&f->text, "the version", &version));
    f->version = version == 2.2 ? 2 : version == 4.1 ? 4 : 0;
    if (f->version == 0) {
        io_text_fail(&f->text, CN_ERR_UNSUPPORTED, "version %g of the format is not read", version);
        base_fail_hint(f->error, "save the mesh as version 4.1 or 2.2 (gmsh -format msh41)");
        return CN_ERR_UNSUPPORTED;
    }
    CN_TRY(io_text_int(&f->text, "the kind of file", 0, 1, &kind));
    CN_TRY(io_text_int(&f->text, "the size of a number", 8, 8, &size));
    if (kind == 1) {
        uint64_t one;
        io_text_skip_line(&f->text);
        f->binary = true;
        CN_TRY(take_word(f, 4, &one));
        if (one != 1) {
            base_fail(f->error, CN_ERR_UNSUPPORTED, "the file is big-endian");
            base_fail_hint(f->error, "save the mesh as text");
            base_fail_at(f->error, f->text.name, 0, 0);
            return CN_ERR_UNSUPPORTED;
        }
    }
    return io_text_expect(&f->text, "$EndMeshFormat");
}

// A name in quotes, which may have blanks in it.
static cn_status take_quoted(gmsh_file *f, const char **out) {
    const char *word, *end;
    size_t length;
    if (!io_text_peek(&f->text, &word, &length) || word[0] != '"') {
        return io_text_fail(&f->text, CN_ERR_INPUT, "a name in quotes should be here");
    }
    size_t left = f->text.size - f->text.at - 1;
    end = memchr(word + 1, '"', left);
    if (!end || memchr(word, '\n', (size_t)(end - word))) {
        return io_text_fail(&f->text, CN_ERR_INPUT, "the name has no closing quote");
    }
    length = (size_t)(end - word) - 1;
    if (length == 0 || memchr(word + 1, '\0', length)) {
        return io_text_fail(&f->text, CN_ERR_INPUT, "the name is empty");
    }
    *out = base_arena_text(f->memory, word + 1, length);
    f->text.at += length + 2;
    return *out ? CN_OK : base_fail_memory(f->error);
}

static cn_status read_names(gmsh_file *f) {
    int64_t count, dim, tag;
    CN_TRY(io_text_int(&f->text, "the number of names", 0, ITEMS_MAX, &count));
    for (int64_t k = 0; k < count; k++) {
        gmsh_physical name = {0};
        CN_TRY(io_text_int(&f->text, "the dimension of a group", 0, 3, &dim));
        CN_TRY(io_text_int(&f->text, "the number of a group", INT32_MIN, INT32_MAX, &tag));
        name.dim = (int32_t)dim;
        name.tag = (int32_t)tag;
        CN_TRY(take_quoted(f, &name.name));
        CN_TRY(append(f, &f->physical, &name, sizeof name));
    }
    return CN_OK;
}

// The physical group of a number as a member of what is read; it may have no name.
static cn_status add_member(gmsh_file *f, int32_t dim, int64_t tag) {
    const gmsh_physical *known = (const void *)f->physical.data;
    int32_t count = (int32_t)(f->physical.size / sizeof *known), at = 0;
    while (at < count && (known[at].dim != dim || known[at].tag != tag)) {
        at++;
    }
    if (at == count) {
        const gmsh_physical unnamed = {dim, (int32_t)tag, NULL};
        CN_TRY(append(f, &f->physical, &unnamed, sizeof unnamed));
    }
    return append(f, &f->member, &at, sizeof at);
}

// ---- entities ----

static cn_status read_entity(gmsh_file *f, int32_t dim) {
    int64_t tag, groups, group, bounds;
    double x;
    CN_TRY(take_int(f, "the number of an entity", INT32_MIN, &tag));
    for (int k = 0; k < (dim == 0 ? 3 : 6); k++) {
        CN_TRY(take_real(f, "a coordinate", &x));
    }
    gmsh_entity entity = {dim, (int32_t)tag, (int32_t)(f->member.size / sizeof(int32_t)), 0};
    CN_TRY(take_size(f, "the number of physical groups", ITEMS_MAX, &groups));
    for (int64_t k = 0; k < groups; k++) {
        CN_TRY(take_int(f, "a physical group", INT32_MIN, &group));
        CN_TRY(add_member(f, dim, group < 0 ? -group : group)); // negative: turned round
        entity.groups++;
    }
    if (dim > 0) {
        CN_TRY(take_size(f, "the number of bounds", ITEMS_MAX, &bounds));
        for (int64_t k = 0; k < bounds; k++) {
            CN_TRY(take_int(f, "a bound", INT32_MIN, &group));
        }
    }
    return append(f, &f->entity, &entity, sizeof entity);
}

static cn_status read_entities(gmsh_file *f) {
    int64_t count[4];
    for (int dim = 0; dim < 4; dim++) {
        CN_TRY(take_size(f, "a number of entities", ITEMS_MAX, &count[dim]));
    }
    for (int32_t dim = 0; dim < 4; dim++) {
        for (int64_t k = 0; k < count[dim]; k++) {
            CN_TRY(read_entity(f, dim));
        }
    }
    return CN_OK;
}

// ---- nodes ----

static cn_status take_point(gmsh_file *f, double x[3]) {
    for (int i = 0; i < 3; i++) {
        CN_TRY(take_real(f, "a coordinate", &x[i]));
    }
    return CN_OK;
}

static cn_status read_nodes_2(gmsh_file *f) {
    int64_t count, tag;
    CN_TRY(io_text_int(&f->text, "the number of nodes", 0, ITEMS_MAX, &count));
    if (f->binary) {
        io_text_skip_line(&f->text);
    }
    CN_TRY(check_room(f, "a node", count, 4, 28));
    for (int64_t k = 0; k < count; k++) {
        gmsh_node node = {.index = (int32_t)k, .used = -1};
        CN_TRY(take_int(f, "the number of a node", 0, &tag));
        node.tag = tag;
        CN_TRY(take_point(f, node.x));
        CN_TRY(append(f, &f->node, &node, sizeof node));
    }
    return CN_OK;
}

static cn_status read_node_block(gmsh_file *f) {
    int64_t dim, tag, parametric, count;
    double skipped;
    CN_TRY(take_int(f, "the dimension of an entity", 0, &dim));
    CN_TRY(take_int(f, "the number of an entity", INT32_MIN, &tag));
    CN_TRY(take_int(f, "0 or 1 (parametric)", 0, &parametric));
    CN_TRY(take_size(f, "the number of nodes", ITEMS_MAX, &count));
    if (dim > 3 || parametric > 1) {
        return fail_here(f, "a block of nodes has a wrong head");
    }
    int64_t numbers = 3 + (parametric ? dim : 0);
    CN_TRY(check_room(f, "a node", count, 1 + numbers, 8 * (size_t)(1 + numbers)));
    size_t first = f->node.size;
    for (int64_t k = 0; k < count; k++) {
        gmsh_node node = {.index = (int32_t)(f->node.size / sizeof node), .used = -1};
        CN_TRY(take_size(f, "the number of a node", INT64_MAX, &node.tag));
        CN_TRY(append(f, &f->node, &node, sizeof node));
    }
    for (int64_t k = 0; k < count; k++) {
        gmsh_node *node = (gmsh_node *)(void *)(f->node.data + first) + k;
        CN_TRY(take_point(f, node->x));
        for (int64_t i = 3; i < numbers; i++) {
            CN_TRY(take_real(f, "a parameter", &skipped));
        }
    }
    return CN_OK;
}

static cn_status read_blocks(gmsh_file *f, cn_status (*read)(gmsh_file *)) {
    int64_t blocks, passed;
    CN_TRY(take_size(f, "the number of blocks", ITEMS_MAX, &blocks));
    for (int k = 0; k < 3; k++) {
        CN_TRY(take_size(f, "a total", INT64_MAX, &passed));
    }
    for (int64_t k = 0; k < blocks; k++) {
        CN_TRY(read(f));
    }
    return CN_OK;
}

// ---- elements ----

static cn_status find_type(gmsh_file *f, int64_t number, const gmsh_type **out) {
    *out = io_gmsh_type(number);
    if (*out) {
        return CN_OK;
    }
    char message[80];
    snprintf(message, sizeof message, "elements of type %lld are not read", (long long)number);
    fail_here(f, message);
    f->error->status = CN_ERR_UNSUPPORTED;
    base_fail_hint(f->error, "triangles, quadrilaterals, tetrahedra of order 1 and 2, and "
                             "hexahedra of 8 nodes are");
    return CN_ERR_UNSUPPORTED;
}

// Where the word that comes is.
static void note_place(gmsh_file *f, gmsh_element *element) {
    const char *word;
    size_t length;
    if (!f->binary && io_text_peek(&f->text, &word, &length)) {
        element->line = (int32_t)(f->text.line < INT32_MAX ? f->text.line : INT32_MAX);
        element->column = (int32_t)(f->text.word - f->text.line_start) + 1;
    }
}

static cn_status take_corners(gmsh_file *f, gmsh_element *element) {
    for (int32_t k = 0; k < element->type->nodes; k++) {
        CN_TRY(f->version == 2 ? take_int(f, "a node", 0, &element->node[k])
                               : take_size(f, "a node", INT64_MAX, &element->node[k]));
    }
    return append(f, &f->element, element, sizeof *element);
}

// Tags of version 2: the first is the physical group, 0: none.
static cn_status take_tags(gmsh_file *f, int64_t count, gmsh_element *element) {
    int64_t tag;
    element->first = (int32_t)(f->member.size / sizeof(int32_t));
    for (int64_t k = 0; k < count; k++) {
        CN_TRY(take_int(f, "a tag", INT32_MIN, &tag));
        if (k == 0 && tag != 0) {
            CN_TRY(add_member(f, element->type->dim, tag));
            element->groups = 1;
        }
    }
    return CN_OK;
}

static cn_status read_elements_2_text(gmsh_file *f, int64_t count) {
    int64_t number, tags;
    for (int64_t k = 0; k < count; k++) {
        gmsh_element element = {0};
        note_place(f, &element);
        CN_TRY(take_int(f, "the number of an element", 0, &element.tag));
        CN_TRY(take_int(f, "the type of an element", 0, &number));
        CN_TRY(find_type(f, number, &element.type));
        CN_TRY(take_int(f, "the number of tags", 0, &tags));
        CN_TRY(take_tags(f, tags, &element));
        CN_TRY(take_corners(f, &element));
    }
    return CN_OK;
}

static cn_status read_elements_2_binary(gmsh_file *f, int64_t count) {
    int64_t number, tags, follow;
    for (int64_t k = 0; k < count;) {
        const gmsh_type *type;
        CN_TRY(take_int(f, "", 0, &number));
        CN_TRY(take_int(f, "", 1, &follow));
        CN_TRY(take_int(f, "", 0, &tags));
        CN_TRY(find_type(f, number, &type));
        if (follow > count - k) {
            return fail_here(f, "a block has more elements than the section");
        }
        for (int64_t i = 0; i < follow; i++, k++) {
            gmsh_element element = {.type = type};
            CN_TRY(take_int(f, "", 0, &element.tag));
            CN_TRY(take_tags(f, tags, &element));
            CN_TRY(take_corners(f, &element));
        }
    }
    return CN_OK;
}

static cn_status read_elements_2(gmsh_file *f) {
    int64_t count;
    CN_TRY(io_text_int(&f->text, "the number of elements", 0, ITEMS_MAX, &count));
    if (f->binary) {
        io_text_skip_line(&f->text);
        return read_elements_2_binary(f, count);
    }
    CN_TRY(check_room(f, "an element", count, 4, 1));
    return read_elements_2_text(f, count);
}

static const gmsh_entity *find_entity(const gmsh_file *f, int64_t dim, int64_t tag) {
    const gmsh_entity *entity = (const void *)f->entity.data;
    for (size_t k = 0; k < f->entity.size / sizeof *entity; k++) {
        if (entity[k].dim == dim && entity[k].tag == tag) {
            return &entity[k];
        }
    }
    return NULL;
}

static cn_status read_element_block(gmsh_file *f) {
    int64_t dim, tag, number, count;
    const gmsh_type *type;
    CN_TRY(take_int(f, "the dimension of an entity", 0, &dim));
    CN_TRY(take_int(f, "the number of an entity", INT32_MIN, &tag));
    CN_TRY(take_int(f, "the type of the elements", 0, &number));
    CN_TRY(find_type(f, number, &type));
    CN_TRY(take_size(f, "the number of elements", ITEMS_MAX, &count));
    CN_TRY(check_room(f, "an element", count, 1 + type->nodes, 8 * (size_t)(1 + type->nodes)));
    const gmsh_entity *entity = find_entity(f, dim, tag);
    for (int64_t k = 0; k < count; k++) {
        gmsh_element element = {.type = type,
                                .first = entity ? entity->first : 0,
                                .groups = entity ? entity->groups : 0};
        note_place(f, &element);
        CN_TRY(take_size(f, "the number of an element", INT64_MAX, &element.tag));
        CN_TRY(take_corners(f, &element));
    }
    return CN_OK;
}

// ---- sections ----

// Behind the end of a section that is not read.
static cn_status skip_section(gmsh_file *f, const char *name, size_t length) {
    const char *from = f->text.bytes + f->text.at, *end = f->text.bytes + f->text.size;
    for (const char *at = from; at && (size_t)(end - at) >= length + 3;) {
        at = memchr(at, '$', (size_t)(end - at) - length - 2);
        if (!at) {
            break;
        }
        if (memcmp(at, "$End", 4) == 0 && (size_t)(end - at) >= length + 3 &&
            memcmp(at + 4, name + 1, length - 1) == 0) {
            f->text.at = (size_t)(at - f->text.bytes) + length + 3;
            return CN_OK;
        }
        at++;
    }
    return io_text_fail(&f->text, CN_ERR_INPUT, "the section has no end");
}

static bool word_is(const char *word, size_t length, const char *wanted) {
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

static cn_status read_section(gmsh_file *f, const char *word, size_t length) {
    bool four = f->version == 4;
    if (word_is(word, length, "$PhysicalNames")) {
        CN_TRY(read_names(f));
        return io_text_expect(&f->text, "$EndPhysicalNames");
    }
    bool entities = four && word_is(word, length, "$Entities"),
         nodes = word_is(word, length, "$Nodes"), elements = word_is(word, length, "$Elements");
    if (!entities && !nodes && !elements) {
        return word[0] == '$' ? skip_section(f, word, length)
                              : io_text_fail(&f->text, CN_ERR_INPUT, "a section should be here");
    }
    if (four && f->binary) {
        io_text_skip_line(&f->text);
    }
    if (entities) {
        CN_TRY(read_entities(f));
        return io_text_expect(&f->text, "$EndEntities");
    }
    if (nodes) {
        CN_TRY(four ? read_blocks(f, read_node_block) : read_nodes_2(f));
        return io_text_expect(&f->text, "$EndNodes");
    }
    CN_TRY(four ? read_blocks(f, read_element_block) : read_elements_2(f));
    return io_text_expect(&f->text, "$EndElements");
}

cn_status io_gmsh_sections(gmsh_file *f) {
    const char *word;
    size_t length;
    if (!io_text_next_is(&f->text, "$MeshFormat")) {
        io_text_fail(&f->text, CN_ERR_INPUT,
                     "not a mesh of Gmsh: it does not begin with "
                     "$MeshFormat");
        base_fail_hint(f->error, "save the mesh as version 4.1 or 2.2 (gmsh -format msh41)");
        return CN_ERR_INPUT;
    }
    CN_TRY(io_text_expect(&f->text, "$MeshFormat"));
    CN_TRY(read_format(f));
    while (io_text_peek(&f->text, &word, &length)) {
        CN_TRY(io_text_word(&f->text, "a section", &word, &length));
        CN_TRY(read_section(f, word, length));
    }
    return CN_OK;
}
