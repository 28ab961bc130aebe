#include "base/status.h"
#include "sparse/bsr.h" // refuse: rooms
#define CN_CALL(x)                                                                                 \
    do {                                                                                           \
        free(x); /* refuse: allocation */                                                          \
    } while (0)
