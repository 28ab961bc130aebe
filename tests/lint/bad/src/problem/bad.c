#include "io/text.h"
#include "solve/local/local.h" // refuse: rooms
