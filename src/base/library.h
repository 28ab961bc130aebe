// base/library.h
// Shared libraries loaded while running: plug-ins.
#ifndef CAIRN_BASE_LIBRARY_H
#define CAIRN_BASE_LIBRARY_H

#include <cairn/base.h>

// A function of any type; cast to its own before it is called.
typedef void base_library_fn(void);

#define BASE_LIBRARY_PATH 4096
// The whole path of a file, from the root; false: there is no such file.
bool base_library_path(const char *path, char whole[BASE_LIBRARY_PATH]);
// Loads the file and finds the symbol. The library stays loaded until it is closed. error says why
// not.
cn_status base_library_open(const char *path, const char *symbol, void **library,
                            base_library_fn **function, cn_error *error);
void base_library_close(void *library); // NULL is allowed

#endif
