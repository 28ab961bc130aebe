// io/obj.c
// Reading Wavefront OBJ: one pass gathers all vertices and faces, then each part gets the vertices
// that its own faces name. Polygons are kept as they are; indices count from 1, or from the end
// when negative.
#include "io/obj.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/number.h"

#include <math.h>
#include <string.h>

#define CN_WORD_MAX 64 // bytes

typedef struct cn_obj_reader {
    const char *name;
    cn_error *error;
    const char *start, *at; // of this line
    const char *word;
    int32_t line;
    cn_buffer vertex; // double[3]
    cn_buffer size;   // int32_t a face
    cn_buffer index;  // int32_t, from 0
    cn_buffer part;   // int32_t: the first face of each part
} cn_obj_reader;

static cn_status cn_obj_fail(cn_obj_reader *reader, const char *message) {
    cn_fail(reader->error, CN_ERR_INPUT, "%s", message);
    cn_fail_at(reader->error, reader->name, reader->line,
               (int32_t)(reader->word - reader->start) + 1);
    return CN_ERR_INPUT;
}

// The next word of the line; false at its end.
static bool cn_obj_word(cn_obj_reader *reader, char word[CN_WORD_MAX]) {
    reader->at += strspn(reader->at, " \t\r");
    reader->word = reader->at;
    size_t length = strcspn(reader->at, " \t\r\n");
    size_t kept = length < CN_WORD_MAX - 1 ? length : CN_WORD_MAX - 1;
    memcpy(word, reader->at, kept);
    word[kept] = '\0';
    reader->at += length;
    return length > 0;
}

static cn_status cn_obj_vertex(cn_obj_reader *reader) {
    double vertex[3];
    char word[CN_WORD_MAX];
    for (int i = 0; i < 3; i++) {
        if (!cn_obj_word(reader, word) || !cn_number_parse(word, &vertex[i]) ||
            !isfinite(vertex[i])) {
            return cn_obj_fail(reader, "a vertex needs three numbers");
        }
    }
    return cn_buffer_append(&reader->vertex, vertex, sizeof vertex) ? CN_OK
                                                                    : cn_fail_memory(reader->error);
}

// One corner of a face: 7, 7/1, 7//3, 7/1/3, of which the first number counts.
static cn_status cn_obj_corner(cn_obj_reader *reader, char *word) {
    double value;
    double count = (double)(reader->vertex.size / (3 * sizeof(double)));
    word[strcspn(word, "/")] = '\0';
    if (!cn_number_parse(word, &value) || value != floor(value)) {
        return cn_obj_fail(reader, "a face is made of vertex numbers");
    }
    double index = value > 0.0 ? value - 1.0 : count + value;
    if (!(value != 0.0 && index >= 0.0 && index < count && count < INT32_MAX)) {
        return cn_obj_fail(reader, "the face names a vertex that is not there");
    }
    int32_t kept = (int32_t)index;
    return cn_buffer_append(&reader->index, &kept, sizeof kept) ? CN_OK
                                                                : cn_fail_memory(reader->error);
}

static cn_status cn_obj_face(cn_obj_reader *reader) {
    int32_t size = 0;
    char word[CN_WORD_MAX];
    while (cn_obj_word(reader, word)) {
        cn_status status = cn_obj_corner(reader, word);
        if (status != CN_OK) {
            return status;
        }
        size++;
    }
    if (size < 3) {
        return cn_obj_fail(reader, "a face needs at least three vertices");
    }
    return cn_buffer_append(&reader->size, &size, sizeof size) ? CN_OK
                                                               : cn_fail_memory(reader->error);
}

static cn_status cn_obj_part_begins(cn_obj_reader *reader) {
    int32_t first = (int32_t)(reader->size.size / sizeof(int32_t));
    return cn_buffer_append(&reader->part, &first, sizeof first) ? CN_OK
                                                                 : cn_fail_memory(reader->error);
}

static cn_status cn_obj_lines(cn_obj_reader *reader, const char *text) {
    cn_status status = cn_obj_part_begins(reader);
    while (*text && status == CN_OK) {
        char word[CN_WORD_MAX];
        reader->start = reader->at = text;
        reader->line++;
        if (cn_obj_word(reader, word)) {
            if (strcmp(word, "v") == 0) {
                status = cn_obj_vertex(reader);
            } else if (strcmp(word, "f") == 0) {
                status = cn_obj_face(reader);
            } else if (strcmp(word, "o") == 0 || strcmp(word, "g") == 0) {
                status = cn_obj_part_begins(reader);
            }
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    // One past the last part, so that every part has an end.
    return status == CN_OK ? cn_obj_part_begins(reader) : status;
}

// The faces first .. last as a part of its own; map says where a vertex went, -1 when nowhere.
static cn_status cn_obj_extract(cn_obj_reader *reader, cn_arena *memory, int32_t first,
                                int32_t last, int64_t index_first, int32_t *map,
                                cn_obj_part *part) {
    const int32_t *size = (const int32_t *)(const void *)reader->size.data;
    const int32_t *index = (const int32_t *)(const void *)reader->index.data + index_first;
    const double *vertex = (const double *)(const void *)reader->vertex.data;
    int64_t total = 0;
    for (int32_t f = first; f < last; f++) {
        total += size[f];
    }
    *part = (cn_obj_part){.face_count = last - first};
    part->face_size = CN_TAKE(memory, int32_t, part->face_count);
    part->face = CN_TAKE(memory, int32_t, total);
    part->vertex = CN_TAKE(memory, double, 3 * total);
    if (!part->face_size || !part->face || !part->vertex) {
        return cn_fail_memory(reader->error);
    }
    memcpy(part->face_size, size + first, (size_t)part->face_count * sizeof *size);
    for (int64_t k = 0; k < total; k++) {
        int32_t old = index[k];
        if (map[old] < 0) {
            map[old] = part->vertex_count++;
            memcpy(part->vertex + 3 * (int64_t)map[old], vertex + 3 * (int64_t)old,
                   3 * sizeof *vertex);
        }
        part->face[k] = map[old];
    }
    for (int64_t k = 0; k < total; k++) {
        map[index[k]] = -1;
    }
    return CN_OK;
}

static cn_status cn_obj_parts(cn_obj_reader *reader, cn_arena *memory, cn_obj_part **parts,
                              int32_t *count) {
    const int32_t *first = (const int32_t *)(const void *)reader->part.data;
    const int32_t *size = (const int32_t *)(const void *)reader->size.data;
    int32_t marks = (int32_t)(reader->part.size / sizeof *first);
    int64_t vertices = (int64_t)(reader->vertex.size / (3 * sizeof(double)));
    int32_t *map = CN_TAKE(memory, int32_t, vertices);
    *parts = CN_TAKE(memory, cn_obj_part, marks);
    *count = 0;
    if (!map || !*parts) {
        return cn_fail_memory(reader->error);
    }
    memset(map, 0xFF, (size_t)vertices * sizeof *map);
    int64_t index_first = 0;
    for (int32_t p = 0; p + 1 < marks; p++) {
        if (first[p] == first[p + 1]) {
            continue;
        }
        cn_status status = cn_obj_extract(reader, memory, first[p], first[p + 1], index_first, map,
                                          &(*parts)[(*count)++]);
        if (status != CN_OK) {
            return status;
        }
        for (int32_t f = first[p]; f < first[p + 1]; f++) {
            index_first += size[f];
        }
    }
    return CN_OK;
}

cn_status cn_obj_read(cn_arena *memory, const char *name, const char *text, cn_obj_part **parts,
                      int32_t *count, cn_error *error) {
    cn_obj_reader reader = {.name = name, .error = error, .start = text, .at = text, .word = text};
    cn_buffer *buffers[] = {&reader.vertex, &reader.size, &reader.index, &reader.part};
    for (int i = 0; i < 4; i++) {
        cn_buffer_init(buffers[i], cn_arena_env(memory));
    }
    cn_status status = cn_obj_lines(&reader, text);
    if (status == CN_OK && reader.size.size == 0) {
        status = cn_fail(error, CN_ERR_INPUT, "the file has no faces");
        cn_fail_at(error, name, 0, 0);
    }
    if (status == CN_OK) {
        status = cn_obj_parts(&reader, memory, parts, count);
    }
    for (int i = 0; i < 4; i++) {
        cn_buffer_free(buffers[i]);
    }
    return status;
}
