// detect/narrow/spheres.h
// Pairs of balls, several at a time: which of them are near, and the contacts of those that are.
// The same bits as cn_balls_touch and cn_ball_contact have, for any processor.
#ifndef CAIRN_DETECT_NARROW_SPHERES_H
#define CAIRN_DETECT_NARROW_SPHERES_H

#include "detect/detect.h"

// A body as pairs look at it, besides its bounding ball; made once a call.
typedef struct cn_body_here {
    double reach;  // how far it comes in a step
    double radius; // of a ball
    double bound;  // of its shapes, about its centre of mass
    double spin;   // angle turned in a step
} cn_body_here;

// What pairs of balls are looked at with. b is the candidate of a pair.
typedef struct cn_ball_look {
    const cn_bounding *ball; // of each body
    const cn_body_here *body;
    double alert;
    double spare[3]; // normal of concentric balls
    double deepest;  // a pair without mark that overlaps by more was missed; infinite: none was
} cn_ball_look;

// Missed pairs, and one of them.
typedef struct cn_ball_missed {
    int32_t count, a, b;
} cn_ball_missed;

// A plane or line in the world, free where normal . (x - position) >= offset.
typedef struct cn_wall {
    double normal[3], position[3], offset;
    double reach; // of its body
} cn_wall;
#define CN_WALLS 29 // at most: a bit each, with others

typedef struct cn_pair_kernel {
    // The numbers, from 0, of the pairs whose bounding balls touch; the others lose their marks.
    // Returns how many there are.
    int32_t (*touch)(const cn_bounding *ball, const cn_body_pair *pair, int32_t count,
                     uint8_t *mark, int32_t *touching);
    // Contacts of the pairs of balls pair[which[k]], in their order; room for one each. Marks those
    // that have one. Returns how many there are.
    int32_t (*contacts)(const cn_ball_look *look, const cn_body_pair *pair, const int32_t *which,
                        int32_t count, uint8_t *mark, cn_contact *out, cn_ball_missed *missed);
    // Of each of count balls, the bits of the walls that its bound comes within the alert distance
    // of, and what both come in a step; perhaps of one that it misses by a rounding.
    void (*beside)(const cn_wall *wall, int32_t walls, double alert, int32_t count,
                   const cn_bounding *ball, const cn_body_here *body, uint32_t *beside);
} cn_pair_kernel;

// For any processor, and for wider ones; NULL: not on this processor. The bits are the same.
extern const cn_pair_kernel cn_pair_kernel_plain;
const cn_pair_kernel *cn_pair_kernel_avx2(void), *cn_pair_kernel_avx512(void);

#endif
