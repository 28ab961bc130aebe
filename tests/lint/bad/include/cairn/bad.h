// The face of no room. refuse: rooms
#include <cairn/base.h>
#include <stdint.h>

#include "base/arena.h" // refuse: rooms
