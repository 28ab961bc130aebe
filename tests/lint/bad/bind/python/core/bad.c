#include "core.h"
#include <cairn/cairn.h>

#include "../../../src/base/arena.h" // refuse: rooms
#include "base/arena.h"              // refuse: rooms
