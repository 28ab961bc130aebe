// joint/joint_table.c
// The kinds of joints, a row each.
//
// Held lengths and held angles are kept apart, so that a block of rows has one unit.
#include "joint/joint.h"

#define CN_POINT_3D                                                                                \
    { CN_GAUGE_ALONG_X, CN_GAUGE_ALONG_Y, CN_GAUGE_ALONG_Z }
#define CN_LINE_3D                                                                                 \
    { CN_GAUGE_ALONG_X, CN_GAUGE_ALONG_Y }
#define CN_POINT_2D                                                                                \
    { CN_GAUGE_ALONG_X, CN_GAUGE_ALONG_Y }
#define CN_TURN_3D                                                                                 \
    { CN_GAUGE_TURN_X, CN_GAUGE_TURN_Y, CN_GAUGE_TURN_Z }
#define CN_PARALLEL                                                                                \
    { CN_GAUGE_TILT_X, CN_GAUGE_TILT_Y }

static const cn_joint_type cn_joint_table[CN_JOINT_KINDS] = {
    [CN_JOINT_FIXED] = {.name = "fixed",
                        .about = "holds everything",
                        .needs = CN_JOINT_POINT,
                        .form = {{true, CN_POINT_2D, {CN_GAUGE_ANGLE}, CN_GAUGE_NONE, false},
                                 {true, CN_POINT_3D, CN_TURN_3D, CN_GAUGE_NONE, false}}},
    [CN_JOINT_BALL] = {.name = "ball",
                       .about = "holds a point, turns every way",
                       .needs = CN_JOINT_POINT,
                       .form = {{0}, {true, CN_POINT_3D, {0}, CN_GAUGE_NONE, false}}},
    [CN_JOINT_HINGE] = {.name = "hinge",
                        .about = "holds a point, turns about one axis",
                        .needs = CN_JOINT_POINT | CN_JOINT_AXIS,
                        .form = {{true, CN_POINT_2D, {0}, CN_GAUGE_ANGLE, true},
                                 {true, CN_POINT_3D, CN_PARALLEL, CN_GAUGE_ANGLE, true}}},
    [CN_JOINT_SLIDER] =
        {.name = "slider",
         .about = "slides along an axis, does not turn",
         .needs = CN_JOINT_POINT | CN_JOINT_AXIS | CN_JOINT_AXIS_2D,
         .form = {{true, {CN_GAUGE_ALONG_Y}, {CN_GAUGE_ANGLE}, CN_GAUGE_ALONG_X, false},
                  {true, CN_LINE_3D, CN_TURN_3D, CN_GAUGE_ALONG_Z, false}}},
    [CN_JOINT_CYLINDRICAL] = {.name = "cylindrical",
                              .about = "slides along an axis and turns about it",
                              .needs = CN_JOINT_POINT | CN_JOINT_AXIS,
                              .form = {{0},
                                       {true, CN_LINE_3D, CN_PARALLEL, CN_GAUGE_ALONG_Z, false}}},
    [CN_JOINT_UNIVERSAL] = {.name = "universal",
                            .about = "holds a point and two crossed pins, one in each body",
                            .needs = CN_JOINT_POINT | CN_JOINT_AXIS | CN_JOINT_SECOND_AXIS,
                            .form = {{0},
                                     {true, CN_POINT_3D, {CN_GAUGE_CROSS}, CN_GAUGE_NONE, false}}},
    [CN_JOINT_PLANAR] = {.name = "planar",
                         .about = "slides in a plane and turns about its normal",
                         .needs = CN_JOINT_POINT | CN_JOINT_AXIS,
                         .form = {{0},
                                  {true, {CN_GAUGE_ALONG_Z}, CN_PARALLEL, CN_GAUGE_NONE, false}}},
    [CN_JOINT_DISTANCE] = {.name = "distance",
                           .about = "keeps the distance of two points, or bounds it: rod, rope",
                           .needs = CN_JOINT_POINT | CN_JOINT_SECOND_POINT,
                           .form = {{true, {CN_GAUGE_DISTANCE}, {0}, CN_GAUGE_DISTANCE, false},
                                    {true, {CN_GAUGE_DISTANCE}, {0}, CN_GAUGE_DISTANCE, false}}},
    [CN_JOINT_SCREW] = {.name = "screw",
                        .about = "advances along an axis as it turns about it",
                        .needs = CN_JOINT_POINT | CN_JOINT_AXIS,
                        .form = {{0},
                                 {true,
                                  {CN_GAUGE_ALONG_X, CN_GAUGE_ALONG_Y, CN_GAUGE_SCREW},
                                  CN_PARALLEL,
                                  CN_GAUGE_ANGLE,
                                  true}}},
    [CN_JOINT_GEAR] = {.name = "gear",
                       .about = "couples the turning of two bodies about axes fixed in the world",
                       .needs = CN_JOINT_AXIS | CN_JOINT_SECOND_AXIS,
                       .form = {{true, {0}, {CN_GAUGE_GEAR}, CN_GAUGE_NONE, false},
                                {true, {0}, {CN_GAUGE_GEAR}, CN_GAUGE_NONE, false}}},
    [CN_JOINT_SPRING] = {.name = "spring",
                         .about = "holds nothing: a spring and damper between two points",
                         .needs = CN_JOINT_POINT | CN_JOINT_SECOND_POINT,
                         .form = {{true, {0}, {0}, CN_GAUGE_DISTANCE, false},
                                  {true, {0}, {0}, CN_GAUGE_DISTANCE, false}}},
    [CN_JOINT_TORSION] = {.name = "torsion",
                          .about = "holds nothing: a spring and damper about an axis",
                          .needs = CN_JOINT_AXIS,
                          .form = {{true, {0}, {0}, CN_GAUGE_ANGLE, true},
                                   {true, {0}, {0}, CN_GAUGE_ANGLE, true}}},
};

const cn_joint_type *cn_joint_type_of(cn_joint_kind kind) {
    return &cn_joint_table[kind];
}

const char *cn_joint_kind_text(cn_joint_kind kind) {
    return (unsigned)kind < CN_JOINT_KINDS ? cn_joint_table[kind].name : "unknown joint";
}
