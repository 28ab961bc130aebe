#include "cli.h"
#include <cairn/cairn.h>

#include "base/arena.h"        // refuse: rooms
#include "../src/base/arena.h" // refuse: rooms

int main(void) {
    printf("the command prints, allocates and exits\n");
    exit(1);
}
