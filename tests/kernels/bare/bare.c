// What a program without a system needs: an entry, and the functions that compilers call.
#include <stddef.h>
#include <stdint.h>

int main(void);
void bare_entry(void);
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

extern unsigned char bare_zeros[], bare_end[]; // of the linker's script

// The first thing in memory, called in 64 bits with a stack.
__attribute__((section(".entry"))) void bare_entry(void) {
    memset(bare_zeros, 0, (size_t)(bare_end - bare_zeros));
    __builtin_cpu_init();
    main();
}

void *memcpy(void *to, const void *from, size_t bytes) {
    void *end = to;
    __asm__ volatile("rep movsb" : "+D"(end), "+S"(from), "+c"(bytes) : : "memory");
    return to;
}

void *memset(void *to, int value, size_t bytes) {
    void *end = to;
    __asm__ volatile("rep stosb" : "+D"(end), "+c"(bytes) : "a"(value) : "memory");
    return to;
}
