// tests/faults/shim.h
// What a test and the libraries that it loads into the command (LD_PRELOAD) share: a small file
// that both map, named by the environment variable CAIRN_FAULT. It survives a crash of the command.
#ifndef CAIRN_TESTS_FAULTS_SHIM_H
#define CAIRN_TESTS_FAULTS_SHIM_H

#include <stdatomic.h>
#include <stdint.h>

#define CN_FAULT_VARIABLE "CAIRN_FAULT"

typedef struct cn_fault {
    int64_t fail_at;       // the call that fails, counted from 1 at the start of main; 0: none
    int64_t lasting;       // not 0: all later calls fail as well
    int64_t error;         // errno of a file call that fails
    int64_t trace;         // not 0: the stack of the first failure goes to standard error
    _Atomic int64_t calls; // so far
    _Atomic int64_t failed;
    char log[256]; // file calls are written into this file, with their bytes; "": they are not
} cn_fault;

// What a file call did: this head, then the name of its file (and of the second of a rename), then
// `size` bytes of data.
typedef enum cn_file_call {
    CN_CALL_CREATE,   // opened with O_CREAT, the file not being there
    CN_CALL_WRITE,    // size bytes at offset
    CN_CALL_TRUNCATE, // to the length offset
    CN_CALL_SYNC,
    CN_CALL_SYNC_FOLDER,
    CN_CALL_REMOVE,
    CN_CALL_RENAME,
} cn_file_call;

typedef struct cn_call_head {
    int32_t call, name_size, other_size, unused; // sizes of the names with their final zero
    int64_t offset, size;
} cn_call_head;

#endif
