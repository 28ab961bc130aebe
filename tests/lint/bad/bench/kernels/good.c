// A program of its own, which is linked to the library from within.
#include "base/arena.h"
#include "lattice.h"
