// What a room may include shows it one that stands above it.
#include "math/bad.h" // refuse: rooms, since it includes sparse/bsr.h

#include <cairn/shape.h> // refuse: rooms, since it includes settings.h
#include <cairn/source.h>
