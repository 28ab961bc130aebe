// base/library.c
// Shared libraries by the system's loader. All symbols are bound at once, so that a plug-in that
// lacks one fails here and not in the middle of a run.
#include "base/library.h"

#include "base/error.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool base_library_path(const char *path, char whole[BASE_LIBRARY_PATH]) {
    char folder[BASE_LIBRARY_PATH] = "";
    struct stat about;
    bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode); // a pipe would block
    if (!regular || (path[0] != '/' && !getcwd(folder, sizeof folder))) {
        return false;
    }
    int length = snprintf(whole, BASE_LIBRARY_PATH, "%s%s%s", folder, folder[0] ? "/" : "", path);
    return length > 0 && length < BASE_LIBRARY_PATH;
}

cn_status base_library_open(const char *path, const char *symbol, void **library,
                            base_library_fn **function, cn_error *error) {
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*library) {
        const char *why = dlerror();
        return base_fail(error, CN_ERR_INPUT, "the plug-in cannot be loaded: %.300s",
                         why ? why : "no reason given");
    }
    void *found = dlsym(*library, symbol);
    if (!found) {
        base_library_close(*library);
        *library = NULL;
        return base_fail(error, CN_ERR_INPUT, "the plug-in %.200s has no symbol %s", path, symbol);
    }
    _Static_assert(sizeof found == sizeof *function, "functions and data have addresses alike");
    memcpy(function, &found, sizeof found);
    return CN_OK;
}

void base_library_close(void *library) {
    if (library) {
        dlclose(library);
    }
}
