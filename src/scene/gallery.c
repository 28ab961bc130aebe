// scene/gallery.c
// Where the scenes that come with Cairn are, and one of them by its name.
#include <cairn/scene.h>

#include "base/arena.h"
#include "base/error.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_MAX_HERE 4096
#define NAMES_MAX 512 // offered to "did you mean"

static const char scene_ending[] = ".yaml";

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// "PREFIX/share/cairn/scenes" for a program at "PREFIX/bin/NAME"; false: not known.
static bool beside_program(char path[PATH_MAX_HERE]) {
    static const char below[] = "/share/cairn/scenes";
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX_HERE - sizeof below);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    for (int32_t i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
    memcpy(path + strlen(path), below, sizeof below);
    return true;
}

static cn_status gallery_folder(char path[PATH_MAX_HERE], cn_error *error) {
    const char *given = getenv("CAIRN_SCENES");
    bool asked = given && given[0];
    const char *const places[] = {asked ? given : SCENES_INSTALLED, SCENES_SOURCE};
    if (!asked && beside_program(path) && is_folder(path)) {
        return CN_OK;
    }
    for (int32_t i = 0; i < (asked ? 1 : 2); i++) {
        int length = snprintf(path, PATH_MAX_HERE, "%s", places[i]);
        if (length < PATH_MAX_HERE && is_folder(path)) {
            return CN_OK;
        }
    }
    base_fail(error, CN_ERR_IO,
              asked ? "%.200s: no folder of scenes (it is what CAIRN_SCENES says)"
                    : "the gallery was not found%.0s",
              asked ? given : "");
    base_fail_hint(error, "CAIRN_SCENES may say where the gallery is");
    return CN_ERR_IO;
}

// Names near to one that is not there, as a hint.
static void hint_near(const char *folder, const char *name, cn_arena *memory, cn_error *error) {
    const char *names[NAMES_MAX];
    int32_t count = 0;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && count < NAMES_MAX && (entry = readdir(open)) != NULL;) {
        size_t length = strlen(entry->d_name), ending = strlen(scene_ending);
        if (length > ending && strcmp(entry->d_name + length - ending, scene_ending) == 0) {
            names[count] = base_arena_text(memory, entry->d_name, length - ending);
            count += names[count] ? 1 : 0;
        }
    }
    if (open) {
        closedir(open);
    }
    const char *near = cn_nearest_name(name, names, count);
    if (near) {
        base_fail_hint(error, "did you mean \"%s\"?", near);
    } else {
        base_fail_hint(error, "cairn gallery lists them");
    }
}

cn_status cn_gallery_path(const char *name, cn_arena *memory, const char **path, cn_error *error) {
    if (!memory || !path) {
        return base_fail_missing(error);
    }
    *path = NULL;
    char folder[PATH_MAX_HERE];
    CN_TRY(gallery_folder(folder, error));
    if (!name) {
        *path = base_arena_text(memory, folder, strlen(folder));
        return *path ? CN_OK : base_fail_memory(error);
    }
    char whole[2 * PATH_MAX_HERE];
    int length = snprintf(whole, sizeof whole, "%s/%s%s", folder, name, scene_ending);
    bool fits = length > 0 && (size_t)length < sizeof whole && !strchr(name, '/');
    if (!fits || access(whole, R_OK) != 0) {
        base_fail(error, CN_ERR_INPUT, "the gallery has no scene \"%.60s\"", name);
        hint_near(folder, name, memory, error);
        return CN_ERR_INPUT;
    }
    *path = base_arena_text(memory, whole, (size_t)length);
    return *path ? CN_OK : base_fail_memory(error);
}
