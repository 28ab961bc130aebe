#include "lab/lab.h"
#include "support/support.h"

#include "bench/bench.h" // refuse: rooms
#include "base/arena.h"  // refuse: rooms
