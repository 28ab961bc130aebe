// detect/narrow/spheres.h
// Pairs of round bodies, several at a time: which of them are near, and the contacts of those that
// are. Bitwise identical to det_spheres_touch and det_sphere_contact, on any processor.
#ifndef CAIRN_DETECT_NARROW_SPHERES_H
#define CAIRN_DETECT_NARROW_SPHERES_H

#include "detect/detect.h"

// What pairs need of a body, besides its bounding sphere; made once per call.
typedef struct det_body {
    double reach;  // how far it comes in a step
    double radius; // of a round body
    double bound;  // of its shapes, about its centre of mass
    double spin;   // angle turned in a step
} det_body;

// What all pairs of round bodies have in common. b is the candidate of a pair.
typedef struct det_round_scan {
    const det_bounding *bounding; // of each body
    const det_body *body;
    double alert;
    double spare[3]; // normal of concentric bodies
    double deepest;  // a pair without mark that overlaps by more was missed; infinite: none was
} det_round_scan;

// Missed pairs, and one of them.
typedef struct det_missed {
    int32_t count, a, b;
} det_missed;

// A plane or line in the world, free where normal . (x - position) >= offset.
typedef struct det_wall {
    double normal[3], position[3], offset;
    double reach; // of its body
} det_wall;
#define DET_WALLS 29 // at most: a bit each, with others

typedef struct det_pair_kernel {
    // The numbers, from 0, of the pairs whose bounding spheres touch; the others lose their marks.
    // Returns how many there are.
    int32_t (*touch)(const det_bounding *bounding, const det_body_pair *pair, int32_t count,
                     uint8_t *mark, int32_t *touching);
    // Contacts of the pairs of round bodies pair[which[k]], in their order; room for one each.
    // Marks those that have one. Returns how many there are.
    int32_t (*contacts)(const det_round_scan *scan, const det_body_pair *pair, const int32_t *which,
                        int32_t count, uint8_t *mark, det_contact *out, det_missed *missed);
    // Of each of count bodies, the bits of the walls that its bound comes within the alert distance
    // of, and what both come in a step; perhaps of one that it misses by a rounding.
    void (*beside)(const det_wall *wall, int32_t walls, double alert, int32_t count,
                   const det_bounding *bounding, const det_body *body, uint32_t *beside);
} det_pair_kernel;

// Scalar, and with SIMD; NULL: not on this processor. They are bitwise identical.
extern const det_pair_kernel det_pair_kernel_portable;
const det_pair_kernel *det_pair_kernel_avx2(void), *det_pair_kernel_avx512(void);

#endif
