#include "io/text.h"
#include "solve/local.h" // refuse: rooms
