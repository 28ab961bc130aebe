// solve/memo.h
// What a solve leaves to the next.
#ifndef CAIRN_SOLVE_MEMO_H
#define CAIRN_SOLVE_MEMO_H

#include "solve/packets.h"

#include <cairn/solve.h>

struct cn_solve_memo {
    cn_arena *memory;        // of this struct
    cn_packets_kept packets; // of the last sweep that was prepared
};

#endif
