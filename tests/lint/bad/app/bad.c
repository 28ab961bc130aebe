#include "git_hash.h"
#include "support/support.h"
#include <cairn/cairn.h>

#include "../src/base/arena.h" // refuse: rooms
#include "base/arena.h"        // refuse: rooms
#include "lab/lab.h"           // refuse: rooms
#include "support.h"           // refuse: rooms

int main(void) {
    printf("the command prints, allocates and exits\n");
    exit(1);
}
