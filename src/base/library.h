// base/library.h
// Shared libraries loaded while running: plug-ins.
#ifndef CAIRN_BASE_LIBRARY_H
#define CAIRN_BASE_LIBRARY_H

#include <cairn/base.h>

// A function of any type; cast to its own before it is called.
typedef void cn_library_fn(void);

#define CN_LIBRARY_PATH 4096
// The whole path of a file, from the root; false: there is no such file.
bool cn_library_path(const char *path, char whole[CN_LIBRARY_PATH]);
// Loads the file and finds the symbol. The library stays loaded until it is closed. error says why
// not.
cn_status cn_library_open(const char *path, const char *symbol, void **library,
                          cn_library_fn **function, cn_error *error);
void cn_library_close(void *library); // NULL is allowed

#endif
