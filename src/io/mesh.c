// io/mesh.c
// OBJ and STL. Both readers gather points, corners and faces in growing buffers; what they gathered
// is then sorted by part, and each part gets the points that it uses.
//
// References: "Object files (.obj)", Wavefront Advanced Visualizer manual, appendix B1; 3D Systems,
// "StereoLithography interface specification", 1989.
#include "io/mesh.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/names.h"
#include "io/file.h"
#include "io/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define MESH_BYTES_MAX ((size_t)256 << 20) // of a file
#define STL_HEADER 84 // bytes before the triangles of a binary file, their count included
#define STL_RECORD 50 // bytes of a triangle: normal, three corners, an attribute

typedef struct gather {
    cn_arena *memory;
    cn_error *error;
    base_buffer point;  // 3 doubles each
    base_buffer corner; // int32, indices of points
    base_buffer face;   // gathered_face
    base_buffer name;   // const char *, of parts
    base_names part_of; // names to parts
    int32_t part;       // the one that faces go to; -1: none yet
} gather;

typedef struct gathered_face {
    int32_t part, size;
} gathered_face;

static int64_t gather_points(const gather *g) {
    return (int64_t)(g->point.size / (3 * sizeof(double)));
}

static cn_status gather_append(gather *g, base_buffer *buffer, const void *bytes, size_t size) {
    // Counts must fit 32 bits; every item has 4 bytes at least.
    if (buffer->size / sizeof(int32_t) >= INT32_MAX - 8) {
        return base_fail(g->error, CN_ERR_UNSUPPORTED, "the mesh is too large");
    }
    return base_buffer_append(buffer, bytes, size) ? CN_OK : base_fail_memory(g->error);
}

// Faces go to the part of this name from now on.
static cn_status gather_begin_part(gather *g, const char *name, size_t length) {
    const char *copy = base_arena_text(g->memory, name, length);
    if (!copy || !base_names_reserve(&g->part_of, g->memory)) {
        return base_fail_memory(g->error);
    }
    g->part = base_names_find(&g->part_of, copy);
    if (g->part >= 0) {
        return CN_OK;
    }
    g->part = (int32_t)(g->name.size / sizeof copy);
    base_names_add(&g->part_of, copy, g->part);
    return gather_append(g, &g->name, &copy, sizeof copy);
}

static cn_status gather_face(gather *g, const int32_t *corner, int32_t size) {
    if (g->part < 0) {
        CN_TRY(gather_begin_part(g, "", 0));
    }
    const gathered_face face = {.part = g->part, .size = size};
    CN_TRY(gather_append(g, &g->corner, corner, (size_t)size * sizeof *corner));
    return gather_append(g, &g->face, &face, sizeof face);
}

// ---- OBJ ----

// Words that say nothing about the shape, and words that would, but are not read.
static const char *const obj_passed[] = {
    "vt",     "vn",  "vp",    "s",      "l",      "p",        "mg",       "usemtl",
    "mtllib", "lod", "bevel", "usemap", "maplib", "c_interp", "d_interp", "shadow_obj"};
static const char *const obj_refused[] = {"cstype", "deg",  "bmat", "step", "curv", "curv2",
                                          "surf",   "parm", "trim", "hole", "con",  "call",
                                          "bsp",    "bzp",  "cdc",  "res",  "csh"};

static bool word_is_in(const char *word, size_t length, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && memcmp(list[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static cn_status obj_point(io_text_reader *reader, gather *g) {
    io_text_reader start = *reader; // errors about the whole line point at its first word
    const char *word;
    size_t length;
    double x[3];
    for (int32_t k = 0; k < 3; k++) {
        if (!io_text_peek(reader, &word, &length) || reader->line != start.line) {
            return io_text_fail(&start, CN_ERR_INPUT, "the point has %d numbers; it needs 3", k);
        }
        CN_TRY(io_text_real(reader, "a coordinate", &x[k]));
    }
    return gather_append(g, &g->point, x, sizeof x);
}

// The point of a corner "12", "12/3", "12//7" or "-1/2/3"; texture and normal are passed over.
static cn_status obj_corner(io_text_reader *reader, const gather *g, const char *word,
                            size_t length, int32_t *corner) {
    bool negative = length > 0 && word[0] == '-';
    size_t i = negative ? 1 : 0, first = i;
    int64_t index = 0, count = gather_points(g);
    for (; i < length && word[i] >= '0' && word[i] <= '9'; i++) {
        index = index > INT32_MAX ? index : 10 * index + (word[i] - '0'); // too large stays so
    }
    if (i == first || (i < length && word[i] != '/')) {
        return io_text_fail(reader, CN_ERR_INPUT, "a corner should be the number of a point");
    }
    index = negative ? count - index : index - 1;
    if (index < 0 || index >= count) {
        return io_text_fail(reader, CN_ERR_INPUT,
                            "the corner names a point that is not among the %lld so far",
                            (long long)count);
    }
    *corner = (int32_t)index;
    return CN_OK;
}

static cn_status obj_face(io_text_reader *reader, gather *g) {
    if (g->part < 0) {
        CN_TRY(gather_begin_part(g, "", 0));
    }
    const char *word;
    size_t length;
    io_text_reader start = *reader;
    gathered_face face = {.part = g->part};
    while (io_text_peek(reader, &word, &length) && reader->line == start.line && word[0] != '#') {
        int32_t corner;
        CN_TRY(obj_corner(reader, g, word, length, &corner));
        reader->at += length;
        face.size++;
        CN_TRY(gather_append(g, &g->corner, &corner, sizeof corner));
    }
    if (face.size < 3) {
        return io_text_fail(&start, CN_ERR_INPUT, "the face has %d corners; it needs 3", face.size);
    }
    return gather_append(g, &g->face, &face, sizeof face);
}

// The rest of the line without the blanks around it.
static void text_rest_of_line(const io_text_reader *reader, const char **rest, size_t *length) {
    size_t from = reader->at, to = from;
    while (to < reader->size && reader->bytes[to] != '\n') {
        to++;
    }
    while (from < to && (unsigned char)reader->bytes[from] <= ' ') {
        from++;
    }
    while (to > from && (unsigned char)reader->bytes[to - 1] <= ' ') {
        to--;
    }
    *rest = reader->bytes + from;
    *length = to - from;
}

static cn_status obj_line(io_text_reader *reader, gather *g, const char *word, size_t length) {
    const char *rest;
    size_t rest_length;
    cn_status status = CN_OK;
    if (length == 1 && word[0] == 'v') {
        status = obj_point(reader, g);
    } else if (length == 1 && word[0] == 'f') {
        return obj_face(reader, g); // stands at the next line already
    } else if (length == 1 && (word[0] == 'o' || word[0] == 'g')) {
        text_rest_of_line(reader, &rest, &rest_length);
        status = gather_begin_part(g, rest, rest_length);
    } else if (word_is_in(word, length, obj_refused, sizeof obj_refused / sizeof *obj_refused)) {
        status = io_text_fail(reader, CN_ERR_UNSUPPORTED, "curved surfaces are not read");
        base_fail_hint(g->error, "export the shape as a mesh of flat faces");
    } else if (word[0] != '#' &&
               !word_is_in(word, length, obj_passed, sizeof obj_passed / sizeof *obj_passed)) {
        status = io_text_fail(reader, CN_ERR_INPUT, "no line of an OBJ file begins like this");
    }
    if (status == CN_OK) {
        io_text_skip_line(reader);
    }
    return status;
}

static cn_status obj_read(io_text_reader *reader, gather *g) {
    const char *word;
    size_t length;
    while (io_text_peek(reader, &word, &length)) {
        CN_TRY(io_text_word(reader, "a line", &word, &length));
        CN_TRY(obj_line(reader, g, word, length));
    }
    return CN_OK;
}

// ---- STL ----

static cn_status stl_triangle(gather *g, const double x[9]) {
    int32_t first = (int32_t)gather_points(g);
    const int32_t corner[3] = {first, first + 1, first + 2};
    CN_TRY(gather_append(g, &g->point, x, 9 * sizeof *x));
    return gather_face(g, corner, 3);
}

// A number of a binary file, little-endian whatever the machine.
static uint32_t stl_word(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static cn_status stl_read_binary(const unsigned char *bytes, gather *g) {
    uint32_t count = stl_word(bytes + STL_HEADER - 4);
    for (uint32_t t = 0; t < count; t++) {
        const unsigned char *record = bytes + STL_HEADER + (size_t)t * STL_RECORD;
        double x[9];
        for (int32_t k = 0; k < 9; k++) {
            uint32_t word = stl_word(record + 12 + 4 * k);
            float number;
            memcpy(&number, &word, sizeof number);
            x[k] = (double)number;
            if (!isfinite(number)) {
                return base_fail(g->error, CN_ERR_INPUT,
                                 "triangle %u has a coordinate that is not a finite number", t);
            }
        }
        CN_TRY(stl_triangle(g, x));
    }
    return CN_OK;
}

// Takes the word, in any case.
static cn_status stl_expect(io_text_reader *reader, const char *want) {
    const char *word;
    size_t length;
    CN_TRY(io_text_word(reader, want, &word, &length));
    if (strlen(want) != length || strncasecmp(word, want, length) != 0) {
        CN_TRY(io_text_fail(reader, CN_ERR_INPUT, "'%s' should be here", want));
    }
    return CN_OK;
}

static bool stl_next_is(io_text_reader *reader, const char *want) {
    const char *word;
    size_t length;
    return io_text_peek(reader, &word, &length) && strlen(want) == length &&
           strncasecmp(word, want, length) == 0;
}

static cn_status stl_read_facet(io_text_reader *reader, gather *g) {
    double x[9];
    // The normal follows from the corners; some programs write it as nan.
    io_text_skip_line(reader);
    CN_TRY(stl_expect(reader, "outer"));
    CN_TRY(stl_expect(reader, "loop"));
    for (int32_t corner = 0; corner < 3; corner++) {
        CN_TRY(stl_expect(reader, "vertex"));
        for (int32_t k = 0; k < 3; k++) {
            CN_TRY(io_text_real(reader, "a coordinate", &x[3 * corner + k]));
        }
    }
    CN_TRY(stl_expect(reader, "endloop"));

    CN_TRY(stl_expect(reader, "endfacet"));
    return stl_triangle(g, x);
}

static cn_status stl_read_text(io_text_reader *reader, gather *g) {
    const char *name;
    size_t length;
    while (io_text_peek(reader, &name, &length)) {
        CN_TRY(stl_expect(reader, "solid"));
        text_rest_of_line(reader, &name, &length);
        CN_TRY(gather_begin_part(g, name, length));
        io_text_skip_line(reader);
        while (stl_next_is(reader, "facet")) {
            CN_TRY(stl_read_facet(reader, g));
        }
        CN_TRY(stl_expect(reader, "endsolid"));
        io_text_skip_line(reader);
    }
    return CN_OK;
}

// ---- parts ----

// Counts and memory of every part; the parts without faces are left out.
static cn_status parts_make(const gather *g, int32_t names, int32_t *part_of_name, io_mesh *out) {
    const gathered_face *face = (const gathered_face *)(const void *)g->face.data;
    int32_t faces = (int32_t)(g->face.size / sizeof *face);
    int32_t *corners = BASE_TAKE_ZERO(g->memory, int32_t, names);
    int32_t *counts = BASE_TAKE_ZERO(g->memory, int32_t, names);
    out->part = BASE_TAKE_ZERO(g->memory, io_mesh_part, names);
    if (!corners || !counts || !out->part) {
        return base_fail_memory(g->error);
    }
    for (int32_t f = 0; f < faces; f++) {
        counts[face[f].part]++;
        corners[face[f].part] += face[f].size;
    }
    for (int32_t n = 0; n < names; n++) {
        if (counts[n] == 0) {
            continue;
        }
        part_of_name[n] = out->part_count;
        io_mesh_part *part = &out->part[out->part_count++];
        memcpy(&part->name, g->name.data + (size_t)n * sizeof part->name, sizeof part->name);
        part->face_size = BASE_TAKE(g->memory, int32_t, counts[n]);
        part->corner = BASE_TAKE(g->memory, int32_t, corners[n]);
        part->vertex = BASE_TAKE(g->memory, double, 3 * (int64_t)corners[n]);
        if (!part->face_size || !part->corner || !part->vertex) {
            return base_fail_memory(g->error);
        }
        part->vertex_count = corners[n]; // until they are numbered
    }
    return CN_OK;
}

// The part's corners, global numbers so far, become its own; points in the order of their first
// use. seen and number: per point, the part that numbered it last and how.
static void part_number(io_mesh_part *part, int32_t mark, const double *point, int32_t *seen,
                        int32_t *number) {
    int32_t corners = part->vertex_count;
    part->vertex_count = 0;
    for (int32_t i = 0; i < corners; i++) {
        int32_t global = part->corner[i];
        if (seen[global] != mark) {
            seen[global] = mark;
            number[global] = part->vertex_count;
            memcpy(part->vertex + 3 * (int64_t)part->vertex_count++, point + 3 * (int64_t)global,
                   3 * sizeof *point);
        }
        part->corner[i] = number[global];
    }
}

static cn_status gather_parts(const gather *g, io_mesh *out) {
    const gathered_face *face = (const gathered_face *)(const void *)g->face.data;
    const int32_t *corner = (const int32_t *)(const void *)g->corner.data;
    int32_t faces = (int32_t)(g->face.size / sizeof *face);
    int32_t names = (int32_t)(g->name.size / sizeof(const char *));
    if (faces == 0) {
        return base_fail(g->error, CN_ERR_INPUT, "the file has no faces");
    }
    int32_t *part_of_name = BASE_TAKE(g->memory, int32_t, names);
    int32_t *seen = BASE_TAKE_ZERO(g->memory, int32_t, gather_points(g));
    int32_t *number = BASE_TAKE(g->memory, int32_t, gather_points(g));
    int32_t *filled = BASE_TAKE_ZERO(g->memory, int32_t, names);
    if (!part_of_name || !seen || !number || !filled) {
        return base_fail_memory(g->error);
    }
    CN_TRY(parts_make(g, names, part_of_name, out));
    for (int32_t f = 0; f < faces; f++) {
        int32_t p = part_of_name[face[f].part];
        io_mesh_part *part = &out->part[p];
        part->face_size[part->face_count++] = face[f].size;
        memcpy(part->corner + filled[p], corner, (size_t)face[f].size * sizeof *corner);
        filled[p] += face[f].size;
        corner += face[f].size;
    }
    for (int32_t p = 0; p < out->part_count; p++) {
        part_number(&out->part[p], p + 1, (const double *)(const void *)g->point.data, seen,
                    number);
    }
    return CN_OK;
}

// ---- files ----

static bool name_ends(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcasecmp(name + length - tail, ending) == 0;
}

static bool stl_is_binary(const unsigned char *bytes, size_t size) {
    return size >= STL_HEADER && (size - STL_HEADER) % STL_RECORD == 0 &&
           (size - STL_HEADER) / STL_RECORD == stl_word(bytes + STL_HEADER - 4);
}

static cn_status mesh_read_text(const char *name, const void *bytes, size_t size, bool stl,
                                gather *g) {
    io_text_reader reader;
    if (!io_text_open(&reader, name, bytes, size, g->error)) {
        return base_fail_memory(g->error);
    }
    cn_status status = stl ? stl_read_text(&reader, g) : obj_read(&reader, g);
    io_text_close(&reader);
    return status;
}

static cn_status mesh_gather(const char *name, const void *bytes, size_t size, gather *g) {
    bool stl = name_ends(name, ".stl");
    if (!stl && !name_ends(name, ".obj")) {
        base_fail(g->error, CN_ERR_UNSUPPORTED, "not a mesh file by its name");
        base_fail_hint(g->error, "use a file that ends in .obj or .stl");
        return CN_ERR_UNSUPPORTED;
    }
    if (stl && stl_is_binary(bytes, size)) {
        return stl_read_binary(bytes, g);
    }
    bool text = !stl || (size >= 5 && strncasecmp(bytes, "solid", 5) == 0);
    return text ? mesh_read_text(name, bytes, size, stl, g)
                : base_fail(g->error, CN_ERR_INPUT,
                            "neither an STL text nor as long as its number of triangles says");
}

cn_status io_mesh_read_bytes(const char *name, const void *bytes, size_t size, cn_arena *memory,
                             io_mesh *out, cn_error *error) {
    cn_error own;
    gather g = {.memory = memory, .error = error ? error : &own, .part = -1};
    base_buffer *const buffers[] = {&g.point, &g.corner, &g.face, &g.name};
    for (int32_t i = 0; i < 4; i++) {
        base_buffer_init(buffers[i], cn_arena_env(memory));
    }
    *out = (io_mesh){0};
    cn_status status = mesh_gather(name, bytes, size, &g);
    if (status == CN_OK) {
        status = gather_parts(&g, out);
    }
    if (status != CN_OK && g.error->line == 0) {
        base_fail_at(g.error, name, 0, 0);
    }
    for (int32_t i = 0; i < 4; i++) {
        base_buffer_free(buffers[i]);
    }
    return status;
}

cn_status io_mesh_read(const char *path, cn_arena *memory, io_mesh *out, cn_error *error) {
    base_buffer bytes;
    base_buffer_init(&bytes, cn_arena_env(memory));
    *out = (io_mesh){0};
    cn_status status = io_file_read_regular(path, MESH_BYTES_MAX, &bytes, error);
    if (status == CN_OK) {
        status = io_mesh_read_bytes(path, bytes.data ? (const char *)bytes.data : "", bytes.size,
                                    memory, out, error);
    }
    base_buffer_free(&bytes);
    return status;
}
