// app/support/gallery.c
// Finding and reading the gallery; see gallery.h.
#include "support/gallery.h"

#include "support/support.h"

#include <cairn/scene.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char scene_ending[] = ".yaml";

// What the library says of a name; NULL: nothing is there. To be freed.
static char *found_path(const char *name) {
    cn_arena *memory = cn_arena_create(NULL);
    const char *path;
    char *copy = memory && cn_gallery_path(name, memory, &path, NULL) == CN_OK
                     ? format_text("%s", path)
                     : NULL;
    cn_arena_destroy(memory);
    return copy;
}

char *gallery_folder_path(void) {
    return found_path(NULL);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The length of a scene's name; 0 when the file is no scene.
static size_t scene_name_length(const char *file) {
    size_t length = strlen(file), ending = strlen(scene_ending);
    bool is_scene = length > ending && strcmp(file + length - ending, scene_ending) == 0;
    return is_scene && file[0] != '.' ? length - ending : 0;
}

gallery_folder gallery_open(void) {
    gallery_folder gallery = {.folder = gallery_folder_path()};
    DIR *folder = gallery.folder ? opendir(gallery.folder) : NULL;
    if (!folder) {
        const char *given = getenv("CAIRN_SCENES");
        if (given && given[0]) {
            exit(report_failure("%s: no folder of scenes (it is what CAIRN_SCENES says)", given));
        }
        exit(report_failure("the gallery was not found; CAIRN_SCENES may say where it is"));
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = scene_name_length(entry->d_name);
        if (length > 0) {
            gallery.names = reallocate(gallery.names, gallery.count + 1, sizeof *gallery.names);
            gallery.names[gallery.count++] = format_text("%.*s", (int)length, entry->d_name);
        }
    }
    closedir(folder);
    if (gallery.count > 0) {
        qsort(gallery.names, (size_t)gallery.count, sizeof *gallery.names, compare_names);
    }
    return gallery;
}

void gallery_close(gallery_folder *gallery) {
    for (int32_t i = 0; i < gallery->count; i++) {
        free(gallery->names[i]);
    }
    free(gallery->names);
    free(gallery->folder);
}

char *gallery_path(const char *name) {
    return found_path(name);
}

char *gallery_comment(const gallery_folder *gallery, const char *name) {
    char *path = format_text("%s/%s%s", gallery->folder, name, scene_ending);
    FILE *file = fopen(path, "r");
    char *comment = format_text("%s", ""), *line = NULL;
    size_t capacity = 0;
    free(path);
    while (file && getline(&line, &capacity, file) > 0 && line[0] == '#') {
        const char *text = line + (line[1] == ' ' ? 2 : 1);
        char *longer = format_text("%s%s", comment, text);
        free(comment);
        comment = longer;
    }
    free(line);
    if (file) {
        fclose(file);
    }
    return comment;
}

const char *gallery_nearest(const gallery_folder *gallery, const char *name) {
    return cn_nearest_name(name, (const char *const *)gallery->names, gallery->count);
}

static void gallery_table_line(gallery_table *table, const char *line) {
    gallery_topic topic;
    gallery_row row = {.bodies = 0};
    if (sscanf(line, "# topic: %31[a-z], %63[^\n]", topic.name, topic.title) == 2) {
        table->topics = reallocate(table->topics, table->topic_count + 1, sizeof *table->topics);
        table->topics[table->topic_count++] = topic;
    } else if (line[0] != '#' && sscanf(line, "%63[^,],%31[a-z],", row.name, row.topic) == 2 &&
               strcmp(row.topic, "topic") != 0) {
        // The third field, the time to which it is run, may be empty.
        const char *until = strchr(strchr(line, ',') + 1, ',');
        const char *bodies = until ? strchr(until + 1, ',') : NULL;
        if (bodies && sscanf(bodies, ",%d,%lf", &row.bodies, &row.cpu) < 2) {
            row.bodies = 0;
        }
        table->rows = reallocate(table->rows, table->row_count + 1, sizeof *table->rows);
        table->rows[table->row_count++] = row;
    }
}

gallery_table gallery_table_read(const gallery_folder *gallery) {
    gallery_table table = {.topics = NULL};
    char *path = format_text("%s/gallery.csv", gallery->folder), *line = NULL;
    FILE *file = fopen(path, "r");
    size_t capacity = 0;
    free(path);
    while (file && getline(&line, &capacity, file) > 0) {
        gallery_table_line(&table, line);
    }
    free(line);
    if (file) {
        fclose(file);
    }
    return table;
}

void gallery_table_free(gallery_table *table) {
    free(table->topics);
    free(table->rows);
}
