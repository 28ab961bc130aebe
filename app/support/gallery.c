// app/support/gallery.c
// Finding and reading the gallery; see gallery.h.
#include "support/gallery.h"

#include "support/support.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scene_ending[] = ".yaml";

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// "PREFIX/share/cairn/scenes" for a command at "PREFIX/bin/cairn". To be freed; NULL: not known.
static char *gallery_beside_command(void) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        return NULL;
    }
    self[length] = '\0';
    for (int32_t i = 0; i < 2; i++) {
        char *slash = strrchr(self, '/');
        if (!slash) {
            return NULL;
        }
        *slash = '\0';
    }
    return format_text("%s/share/cairn/scenes", self);
}

char *gallery_folder_path(void) {
    const char *given = getenv("CAIRN_SCENES");
    if (given && given[0]) {
        return is_folder(given) ? format_text("%s", given) : NULL;
    }
    char *beside = gallery_beside_command();
    const char *const places[] = {beside, SCENES_INSTALLED, SCENES_SOURCE};
    char *found = NULL;
    for (size_t i = 0; !found && i < sizeof places / sizeof places[0]; i++) {
        if (places[i] && is_folder(places[i])) {
            found = format_text("%s", places[i]);
        }
    }
    free(beside);
    return found;
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
    char *folder = strchr(name, '/') ? NULL : gallery_folder_path();
    if (!folder) {
        return NULL;
    }
    char *path = format_text("%s/%s%s", folder, name, scene_ending);
    free(folder);
    if (access(path, R_OK) != 0) {
        free(path);
        return NULL;
    }
    return path;
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
