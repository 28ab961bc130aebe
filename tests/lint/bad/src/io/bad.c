// io opens files and knows no physics.
#include "problem/problem.h" // refuse: rooms

void cn_good(void) {
    fclose(fopen("x", "r"));
}
