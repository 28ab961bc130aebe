// app/run/watch.c
// Sizes and times of the files in a scene's folder, put into one number; see watch.h.
#include "run/watch.h"

#include "support/progress.h"
#include "support/support.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLL_EVERY 100000 // [us]

// What scenes include: other scenes, tables, meshes, plug-ins.
static bool is_part_of_a_scene(const char *name) {
    static const char *const endings[] = {".yaml", ".yml", ".json", ".csv",
                                          ".obj",  ".stl", ".msh",  ".so"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && name[0] != '.' && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

// FNV-1a, 64 bits.
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t file_stamp(const char *path) {
    struct stat about;
    memset(&about, 0, sizeof about);
    if (stat(path, &about) != 0) {
        return 0;
    }
    uint64_t hash = mix(0xcbf29ce484222325u, path, strlen(path));
    hash = mix(hash, &about.st_size, sizeof about.st_size);
    hash = mix(hash, &about.st_mtim.tv_sec, sizeof about.st_mtim.tv_sec);
    return mix(hash, &about.st_mtim.tv_nsec, sizeof about.st_mtim.tv_nsec);
}

uint64_t scene_stamp(const char *scene) {
    const char *slash = strrchr(scene, '/');
    char *folder = slash ? format_text("%.*s", (int)(slash - scene + 1), scene) : format_text("./");
    uint64_t sum = file_stamp(scene); // of any order of the entries
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open)) != NULL;) {
        if (is_part_of_a_scene(entry->d_name)) {
            char *path = format_text("%s%s", folder, entry->d_name);
            sum += file_stamp(path);
            free(path);
        }
    }
    if (open) {
        closedir(open);
    }
    free(folder);
    return sum;
}

bool scene_wait(const char *scene, uint64_t stamp) {
    while (!interrupted() && scene_stamp(scene) == stamp) {
        usleep(POLL_EVERY);
    }
    return !interrupted();
}
