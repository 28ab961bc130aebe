// joint/joint_table.c
// The kinds of joints, a row each.
//
// Held lengths and held angles are kept apart, so that a block of rows has one unit.
#include "joint/joint.h"

#define POINT_3D                                                                                   \
    { JOINT_GAUGE_ALONG_X, JOINT_GAUGE_ALONG_Y, JOINT_GAUGE_ALONG_Z }
#define LINE_3D                                                                                    \
    { JOINT_GAUGE_ALONG_X, JOINT_GAUGE_ALONG_Y }
#define POINT_2D                                                                                   \
    { JOINT_GAUGE_ALONG_X, JOINT_GAUGE_ALONG_Y }
#define TURN_3D                                                                                    \
    { JOINT_GAUGE_TURN_X, JOINT_GAUGE_TURN_Y, JOINT_GAUGE_TURN_Z }
#define PARALLEL                                                                                   \
    { JOINT_GAUGE_TILT_X, JOINT_GAUGE_TILT_Y }

static const joint_type kind_table[CN_JOINT_KINDS] = {
    [CN_JOINT_FIXED] = {.name = "fixed",
                        .about = "holds everything",
                        .needs = JOINT_POINT,
                        .form = {{true, POINT_2D, {JOINT_GAUGE_ANGLE}, JOINT_GAUGE_NONE, false},
                                 {true, POINT_3D, TURN_3D, JOINT_GAUGE_NONE, false}}},
    [CN_JOINT_BALL] = {.name = "ball",
                       .about = "holds a point, turns every way",
                       .needs = JOINT_POINT,
                       .form = {{0}, {true, POINT_3D, {0}, JOINT_GAUGE_NONE, false}}},
    [CN_JOINT_HINGE] = {.name = "hinge",
                        .about = "holds a point, turns about one axis",
                        .needs = JOINT_POINT | JOINT_AXIS,
                        .form = {{true, POINT_2D, {0}, JOINT_GAUGE_ANGLE, true},
                                 {true, POINT_3D, PARALLEL, JOINT_GAUGE_ANGLE, true}}},
    [CN_JOINT_SLIDER] =
        {.name = "slider",
         .about = "slides along an axis, does not turn",
         .needs = JOINT_POINT | JOINT_AXIS | JOINT_AXIS_2D,
         .form = {{true, {JOINT_GAUGE_ALONG_Y}, {JOINT_GAUGE_ANGLE}, JOINT_GAUGE_ALONG_X, false},
                  {true, LINE_3D, TURN_3D, JOINT_GAUGE_ALONG_Z, false}}},
    [CN_JOINT_CYLINDRICAL] = {.name = "cylindrical",
                              .about = "slides along an axis and turns about it",
                              .needs = JOINT_POINT | JOINT_AXIS,
                              .form = {{0}, {true, LINE_3D, PARALLEL, JOINT_GAUGE_ALONG_Z, false}}},
    [CN_JOINT_UNIVERSAL] =
        {.name = "universal",
         .about = "holds a point and two crossed pins, one in each body",
         .needs = JOINT_POINT | JOINT_AXIS | JOINT_SECOND_AXIS,
         .form = {{0}, {true, POINT_3D, {JOINT_GAUGE_CROSS}, JOINT_GAUGE_NONE, false}}},
    [CN_JOINT_PLANAR] =
        {.name = "planar",
         .about = "slides in a plane and turns about its normal",
         .needs = JOINT_POINT | JOINT_AXIS,
         .form = {{0}, {true, {JOINT_GAUGE_ALONG_Z}, PARALLEL, JOINT_GAUGE_NONE, false}}},
    [CN_JOINT_DISTANCE] =
        {.name = "distance",
         .about = "keeps the distance of two points, or bounds it: rod, rope",
         .needs = JOINT_POINT | JOINT_SECOND_POINT,
         .form = {{true, {JOINT_GAUGE_DISTANCE}, {0}, JOINT_GAUGE_DISTANCE, false},
                  {true, {JOINT_GAUGE_DISTANCE}, {0}, JOINT_GAUGE_DISTANCE, false}}},
    [CN_JOINT_SCREW] = {.name = "screw",
                        .about = "advances along an axis as it turns about it",
                        .needs = JOINT_POINT | JOINT_AXIS,
                        .form = {{0},
                                 {true,
                                  {JOINT_GAUGE_ALONG_X, JOINT_GAUGE_ALONG_Y, JOINT_GAUGE_SCREW},
                                  PARALLEL,
                                  JOINT_GAUGE_ANGLE,
                                  true}}},
    [CN_JOINT_GEAR] = {.name = "gear",
                       .about = "couples the turning of two bodies about axes fixed in the world",
                       .needs = JOINT_AXIS | JOINT_SECOND_AXIS,
                       .form = {{true, {0}, {JOINT_GAUGE_GEAR}, JOINT_GAUGE_NONE, false},
                                {true, {0}, {JOINT_GAUGE_GEAR}, JOINT_GAUGE_NONE, false}}},
    [CN_JOINT_SPRING] = {.name = "spring",
                         .about = "holds nothing: a spring and damper between two points",
                         .needs = JOINT_POINT | JOINT_SECOND_POINT,
                         .form = {{true, {0}, {0}, JOINT_GAUGE_DISTANCE, false},
                                  {true, {0}, {0}, JOINT_GAUGE_DISTANCE, false}}},
    [CN_JOINT_TORSION] = {.name = "torsion",
                          .about = "holds nothing: a spring and damper about an axis",
                          .needs = JOINT_AXIS,
                          .form = {{true, {0}, {0}, JOINT_GAUGE_ANGLE, true},
                                   {true, {0}, {0}, JOINT_GAUGE_ANGLE, true}}},
};

const joint_type *joint_type_of(cn_joint_kind kind) {
    return &kind_table[kind];
}

const char *cn_joint_kind_text(cn_joint_kind kind) {
    return (unsigned)kind < CN_JOINT_KINDS ? kind_table[kind].name : "unknown joint";
}
