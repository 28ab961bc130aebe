// app/draw/paint.h
// What a picture is made of: shapes of a moment turned into flat paints with a depth.
#ifndef CAIRN_APP_DRAW_PAINT_H
#define CAIRN_APP_DRAW_PAINT_H

#include "draw/picture.h"

// From the world to the plane of the picture: x to the right, y up, depth towards the viewer [m].
typedef struct cn_camera {
    double right[3], up[3], toward[3];
} cn_camera;

// Looks along -z in 2D; from the front, a little from the right and from above in 3D, where up is
// what gravity points away from.
cn_camera cn_camera_of(const cn_model *model);
void cn_camera_see(const cn_camera *camera, const double world[3], double seen[3]);

// A box in the world and one in the picture that hold the bodies that can move, in all stills;
// the few that went far astray do not count.
typedef struct cn_extent_box {
    double low[3], high[3];           // world
    double seen_low[2], seen_high[2]; // picture
} cn_extent_box;
cn_extent_box cn_picture_extent(const cn_picture *picture, const cn_camera *camera);

typedef enum cn_paint_kind {
    CN_PAINT_POLYGON, // points
    CN_PAINT_BALL,    // centre, radius: shaded
    CN_PAINT_DISK,    // centre, radius, and a spoke at an angle
    CN_PAINT_OVAL,    // centre, two semi-axes, the angle of the first
    CN_PAINT_STICK,   // a line of two points with round ends of the radius
    CN_PAINT_RING     // centre, radius: an outline
} cn_paint_kind;

typedef struct cn_paint {
    cn_paint_kind kind;
    double depth;         // larger is nearer
    int32_t tone;         // of cn_tone_rgb
    double light;         // factor on the tone
    int32_t first, count; // points: polygon, stick
    double center[2], radius, second, angle;
    bool outline; // with a thin edge
    bool shadow;  // on the ground: dark and see-through, whatever the tone
} cn_paint;

typedef struct cn_paints {
    cn_paint *paint;
    double *point; // 2 each
    int32_t count, points;
    int32_t capacity, point_capacity;
} cn_paints;

// The paints of a still, far ones first. tones: one a body.
void cn_paints_make(const cn_picture *picture, const cn_still *still, const cn_camera *camera,
                    const cn_extent_box *extent, const int32_t *tones, cn_paints *out);
void cn_paints_free(cn_paints *paints);

// ---- tones ----

enum {
    CN_HEIGHT_TONES = 16,
    CN_STONE_TONES = 8,
    CN_TONE_STONE = CN_HEIGHT_TONES,
    CN_TONE_FIXED = CN_TONE_STONE + CN_STONE_TONES,
    CN_TONE_DRIVEN,
    CN_TONE_GROUND,
    CN_TONE_WALL,
    CN_TONES
};
// A tone for each body: what lies high or low at first for round ones, shades of stone for others.
// To be freed.
int32_t *cn_tones_choose(const cn_picture *picture);
void cn_tone_rgb(int32_t tone, double light, int32_t rgb[3]);

// The pose of a body's own frame: where a point of it is in the world.
typedef struct cn_pose {
    double x[3], R[9];
} cn_pose;
cn_pose cn_pose_of(int32_t dim, const double *q, cn_body_id body);
void cn_pose_apply(const cn_pose *pose, const double local[3], double world[3]);

#endif
