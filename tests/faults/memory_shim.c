// tests/faults/memory_shim.c
// Loaded into the command by LD_PRELOAD: the k-th allocation from the start of main on fails,
// whoever asks for it. See shim.h. The allocator itself stays that of glibc, under its other names.
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static cn_fault *fault_state; // NULL: main has not begun, or nothing is to fail
static int (*cn_real_main)(int, char **, char **);

// The state is put away meanwhile: the functions that find a stack allocate.
static void cn_print_stack(void) {
    void *frame[64];
    cn_fault *state = fault_state;
    fault_state = NULL;
    backtrace_symbols_fd(frame, backtrace(frame, 64), STDERR_FILENO);
    fault_state = state;
}

// Whether this allocation fails.
static bool cn_fails(void) {
    if (!fault_state) {
        return false;
    }
    int64_t call = atomic_fetch_add(&fault_state->calls, 1) + 1, at = fault_state->fail_at;
    if (at == 0 || call < at || (call > at && !fault_state->lasting)) {
        return false;
    }
    if (fault_state->trace && call == at) {
        cn_print_stack();
    }
    atomic_fetch_add(&fault_state->failed, 1);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return cn_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return cn_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size) {
    bool frees = pointer && size == 0;
    return !frees && cn_fails() ? NULL : __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
    return cn_fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return cn_fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *piece = cn_fails() ? NULL : __libc_memalign(alignment, size);
    if (!piece) {
        return ENOMEM;
    }
    *out = piece;
    return 0;
}

static int cn_main(int argc, char **argv, char **environment) {
    const char *path = getenv(CN_FAULT_VARIABLE);
    int file = path ? open(path, O_RDWR) : -1;
    void *state =
        file < 0 ? MAP_FAILED
                 : mmap(NULL, sizeof *fault_state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    fault_state = state == MAP_FAILED ? NULL : state;
    return cn_real_main(argc, argv, environment);
}

// glibc's own entry, which calls main: libraries have made themselves ready by then.
int __libc_start_main(int (*entry)(int, char **, char **), int argc, char **argv,
                      int (*init)(int, char **, char **), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*entry)(int, char **, char **), int argc, char **argv,
                      int (*init)(int, char **, char **), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
    int (*real)(int (*)(int, char **, char **), int, char **, int (*)(int, char **, char **),
                void (*)(void), void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    cn_real_main = entry;
    return real(cn_main, argc, argv, init, fini, rtld_fini, stack_end);
}
