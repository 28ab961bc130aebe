#include "bench/bench.h"
#include "support/support.h"

#include "lab/lab.h"    // refuse: rooms
#include "base/arena.h" // refuse: rooms
