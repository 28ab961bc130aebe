// tests/card_house.h
// A house of cards: cards 2.5 m long and 4 cm thick lean on one another in tents, level on level,
// with bridges between the levels. Bridges overlap by 1.6 mm at the start.
#ifndef CAIRN_TESTS_CARD_HOUSE_H
#define CAIRN_TESTS_CARD_HOUSE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CARD_LEVEL 2.41660616977186 // [m] height of a level
#define CARD_THICKNESS 0.04         // [m]

// Cards of a house of so many levels.
#define CARDS(levels) ((levels) * ((levels) + 1) + (levels) * ((levels)-1) / 2)

typedef struct card {
    double size[3], pose[7];
} card;

// Adds the card to a list of bodies of material "card".
static inline void card_row(const card *c, char *out, size_t room) {
    size_t used = strlen(out);
    snprintf(out + used, room - used,
             "  - {material: card, shape: {box: {size: [%g, %g, %g]}}, position: [%.17g, %.17g, "
             "%.17g], orientation: [%.17g, %.17g, %.17g, %.17g]}\n",
             c->size[0], c->size[1], c->size[2], c->pose[0], c->pose[1], c->pose[2], c->pose[3],
             c->pose[4], c->pose[5], c->pose[6]);
}

static inline card card_at(bool bridge, double x, double z, double degrees) {
    double half = degrees * acos(-1.0) / 360.0;
    return (card){.size = {bridge ? 2.5 : CARD_THICKNESS, 1.25, bridge ? CARD_THICKNESS : 2.5},
                  .pose = {x, 0.0, z, cos(half), 0.0, sin(half), 0.0}};
}

// Fills house, room for CARDS(levels); returns their number.
static inline int32_t card_house(int32_t levels, card *house) {
    int32_t count = 0;
    for (int32_t level = 0; level < levels; level++) {
        for (int32_t t = 0; t < levels - level; t++) {
            double x = (t - 0.5 * (levels - level) + 0.5) * 2.2, z = (level + 0.5) * CARD_LEVEL;
            house[count++] = card_at(false, x - 0.55, z, 25.0);
            house[count++] = card_at(false, x + 0.55, z, -25.0);
            if (level > 0) {
                house[count++] = card_at(true, x, level * CARD_LEVEL, -1.0);
            }
        }
    }
    return count;
}

#endif
