// app/draw/paint.h
// What a picture is made of: shapes of a moment turned into flat paints with a depth.
#ifndef CAIRN_APP_DRAW_PAINT_H
#define CAIRN_APP_DRAW_PAINT_H

#include "draw/picture.h"

// From the world to the plane of the picture: x to the right, y up, depth towards the viewer [m].
typedef struct view_camera {
    double right[3], up[3], toward[3];
} view_camera;

// Looks along -z in 2D; from the front, a little from the right and from above in 3D, where up is
// what gravity points away from.
view_camera view_camera_of(const cn_model *model);
void view_camera_project(const view_camera *camera, const double world[3], double seen[3]);

// A box in the world and one in the picture that hold the bodies that can move, in all stills;
// the few that went far astray do not count.
typedef struct extent_box {
    double low[3], high[3];           // world
    double seen_low[2], seen_high[2]; // picture
} extent_box;
// Whether a body is neither fixed nor driven.
bool body_moves(const cn_body_info *body);
extent_box picture_extent(const picture_spec *picture, const view_camera *camera);

typedef enum paint_kind {
    PAINT_POLYGON, // points
    PAINT_SPHERE,  // centre, radius: shaded
    PAINT_DISK,    // centre, radius, and a spoke at an angle
    PAINT_OVAL,    // centre, two semi-axes, the angle of the first
    PAINT_STICK,   // a line of two points with round ends of the radius
    PAINT_RING     // centre, radius: an outline
} paint_kind;

typedef struct paint_item {
    paint_kind kind;
    double depth;         // larger is nearer
    int32_t tone;         // of tone_rgb
    double inv_mass;      // factor on the tone
    double edge;          // another one on it, of the outline
    int32_t first, count; // points: polygon, stick
    double center[2], radius, second, angle;
    bool outline; // with a thin edge
    bool shadow;  // on the ground: dark and see-through, whatever the tone
} paint_item;

typedef struct paint_list {
    paint_item *paint;
    double *point; // 2 each
    int32_t count, points;
    int32_t capacity, point_capacity;
} paint_list;

// The paints of a still, far ones first. tones: one per body.
void paints_make(const picture_spec *picture, const picture_still *still, const view_camera *camera,
                 const extent_box *extent, const int32_t *tones, paint_list *out);
void paints_free(paint_list *paints);

// ---- tones ----

enum {
    HEIGHT_TONES = 16,
    STONE_TONES = 8,
    TONE_STONE = HEIGHT_TONES,
    TONE_FIXED = TONE_STONE + STONE_TONES,
    TONE_DRIVEN,
    TONE_GROUND,
    TONE_WALL,
    TONES
};
// A tone for each body: what lies high or low at first for round ones, shades of stone for others.
// To be freed.
int32_t *tones_choose(const picture_spec *picture);
void tone_rgb(int32_t tone, double inv_mass, int32_t rgb[3]);

// The pose of a body's own frame: where a point of it is in the world.
typedef struct body_pose {
    double x[3], R[9];
} body_pose;
body_pose pose_of(int32_t dim, const double *q, cn_body_id body);
// Node of a mesh in the world; z = 0 in 2D.
void node_world(int32_t dim, const picture_still *still, const cn_mesh_info *mesh, int32_t node,
                double world[3]);
void pose_apply(const body_pose *pose, const double local[3], double world[3]);

#endif
