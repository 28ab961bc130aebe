#include <cairn/base.h>
#include <stdint.h>

#include "base/arena.h" // refuse: rooms
