#include "draw/plot.h"
#include "support/support.h"

#include "web/server.h" // refuse: rooms
