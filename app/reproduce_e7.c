// app/reproduce_e7.c
// E7: one half of the ground under a masonry wall goes down, and joints open in certain places.
//
// A joint is a face that two blocks share at the start. Its opening is the largest distance, along
// the face's normal, of the pairs of points that lay on each other at the face's corners: sliding
// does not count.
#include "reproduce_rows.h"

#include "paint.h"

#include <math.h>
#include <stdlib.h>

#define CN_E7_GROUNDS 2
#define CN_E7_COURSES 12
#define CN_E7_COURSE 0.2 // [m] height of a block
#define CN_E7_STEPS 10   // of the stair, as far as the wall is wide
#define CN_E7_OPEN 0.01  // of the height: a joint that opened more is open
#define CN_E7_BAND 2.0   // courses: as near to the stair all openings are to lie
#define CN_E7_TOUCH 1e-6 // [m] faces nearer than this are shared
#define CN_E7_RESIDUAL 1e-4
#define CN_E7_PAPER_CPU "1200 s"

static const cn_method cn_e7_methods[] = {{.label = "auto"}, {.label = NULL}};

static const cn_heading cn_e7_columns[] = {
    {"wall", "wall"},          {"course", "course"},           {"joints", "joints"},
    {"open", "open"},          {"near the stair", "near"},     {"widest [mm]", "widest_mm"},
    {"at x [m]", "widest_at"}, {"stair at x [m]", "stair_at"}, {NULL, NULL}};

typedef struct cn_e7_case {
    cn_trial trial;
    const char *label;
    double near_least, far_most; // open joints asked for near the stair and elsewhere
} cn_e7_case;

static const cn_e7_case cn_e7_cases[] = {
    {.trial = {.name = "rough-2d",
               .scene = "chateau-gombert-2d",
               .set = {{"time.frames_every", "0.25"}}},
     .label = "2D",
     .near_least = 1.0,
     .far_most = 0.0},
    {.trial = {.name = "rough", .scene = "chateau-gombert", .set = {{"time.frames_every", "0.25"}}},
     .label = "3D",
     .near_least = 1.0,
     .far_most = 0.0},
};

// The same walls with looser tolerances, for their speed.
typedef struct cn_e7_pace {
    cn_trial trial;
    const char *label;
    double residual, speed_least;
} cn_e7_pace;

static const cn_e7_pace cn_e7_paces[] = {
    {.trial = {.name = "rough-2d-3",
               .scene = "chateau-gombert-2d",
               .set = {{"time.frames_every", "0.25"}, {"solver.tolerance", "1e-3"}}},
     .label = "2D, tolerance 1e-3",
     .residual = 1e-3,
     .speed_least = 2.0},
    {.trial = {.name = "rough-2d-2",
               .scene = "chateau-gombert-2d",
               .set = {{"time.frames_every", "0.25"}, {"solver.tolerance", "1e-2"}}},
     .label = "2D, tolerance 1e-2",
     .residual = 1e-2,
     .speed_least = 10.0},
    {.trial = {.name = "rough-3",
               .scene = "chateau-gombert",
               .set = {{"time.frames_every", "0.25"}, {"solver.tolerance", "1e-3"}}},
     .label = "3D, tolerance 1e-3",
     .residual = 1e-3,
     .speed_least = 2.0},
    {.trial = {.name = "rough-2",
               .scene = "chateau-gombert",
               .set = {{"time.frames_every", "0.25"}, {"solver.tolerance", "1e-2"}}},
     .label = "3D, tolerance 1e-2",
     .residual = 1e-2,
     .speed_least = 10.0},
};

typedef struct cn_e7_joint {
    double at[2];     // [m] x and z of its middle, at the start
    double now[2][2]; // its ends in the plane of the wall, at the end
    double opening;   // [m]
    bool foot;        // between the wall and the ground
} cn_e7_joint;

typedef struct cn_e7_block {
    cn_pose start, end;
    double low[3], high[3]; // at the start, along the axes
} cn_e7_block;

typedef struct cn_e7_wall {
    cn_e7_block *blocks;
    int32_t count;
    int32_t up; // axis
    cn_e7_joint *joints;
    int32_t joint_count;
} cn_e7_wall;

// ---- geometry ----

static cn_e7_block cn_e7_block_of(const cn_model *model, const double *start, const double *end,
                                  cn_body_id id) {
    int32_t dim = cn_model_dim(model);
    cn_e7_block block = {.start = cn_pose_of(dim, start, id), .end = cn_pose_of(dim, end, id)};
    cn_shape_info shape;
    cn_model_shape(model, id, 0, &shape);
    for (int32_t k = 0; k < 3; k++) {
        block.low[k] = HUGE_VAL;
        block.high[k] = -HUGE_VAL;
    }
    for (int32_t i = 0; i < shape.vertex_count; i++) {
        double x[3];
        cn_pose_apply(&block.start, shape.vertices + 3 * (int64_t)i, x);
        for (int32_t k = 0; k < 3; k++) {
            block.low[k] = fmin(block.low[k], x[k]);
            block.high[k] = fmax(block.high[k], x[k]);
        }
    }
    return block;
}

// Where the point of the block that was at x is at the end. Blocks start without rotation.
static void cn_e7_carry(const cn_e7_block *block, const double x[3], double out[3]) {
    const double local[3] = {x[0] - block->start.x[0], x[1] - block->start.x[1],
                             x[2] - block->start.x[2]};
    cn_pose_apply(&block->end, local, out);
}

// The face that lower and upper share along an axis, if they do. In 2D there is no depth.
static bool cn_e7_face(int32_t dim, const cn_e7_block *lower, const cn_e7_block *upper,
                       int32_t axis, double low[3], double high[3]) {
    if (!(fabs(lower->high[axis] - upper->low[axis]) < CN_E7_TOUCH)) {
        return false;
    }
    bool shared = true;
    for (int32_t k = 0; k < 3; k++) {
        low[k] = fmax(lower->low[k], upper->low[k]);
        high[k] = fmin(lower->high[k], upper->high[k]);
        shared = shared && (k == axis || k >= dim || high[k] - low[k] > CN_E7_TOUCH);
    }
    low[axis] = high[axis] = lower->high[axis];
    return shared;
}

static cn_e7_joint cn_e7_open(int32_t up, const cn_e7_block *lower, const cn_e7_block *upper,
                              int32_t axis, const double low[3], const double high[3]) {
    cn_e7_joint joint = {.at = {0.5 * (low[0] + high[0]), 0.5 * (low[up] + high[up])},
                         .opening = -HUGE_VAL};
    for (int32_t corner = 0; corner < 8; corner++) {
        const double x[3] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                             corner & 4 ? high[2] : low[2]};
        double a[3], b[3], apart = 0.0;
        cn_e7_carry(lower, x, a);
        cn_e7_carry(upper, x, b);
        for (int32_t k = 0; k < 3; k++) {
            apart += (b[k] - a[k]) * lower->end.R[3 * k + axis];
        }
        joint.opening = fmax(joint.opening, apart);
        int32_t end = corner == 7;
        if (corner == 0 || corner == 7) {
            joint.now[end][0] = 0.5 * (a[0] + b[0]);
            joint.now[end][1] = 0.5 * (a[up] + b[up]);
        }
    }
    return joint;
}

static void cn_e7_find_joints(cn_e7_wall *wall) {
    int32_t up = wall->up;
    for (int32_t a = 0; a < wall->count; a++) {
        for (int32_t b = CN_E7_GROUNDS; b < wall->count; b++) {
            // Along x between neighbours of a course, upwards between courses and at the foot.
            for (int32_t axis = a < CN_E7_GROUNDS ? up : 0; axis <= up; axis += up) {
                double low[3], high[3];
                if (a != b &&
                    cn_e7_face(up + 1, &wall->blocks[a], &wall->blocks[b], axis, low, high)) {
                    wall->joints =
                        cn_reallocate(wall->joints, wall->joint_count + 1, sizeof *wall->joints);
                    cn_e7_joint *joint = &wall->joints[wall->joint_count++];
                    *joint = cn_e7_open(up, &wall->blocks[a], &wall->blocks[b], axis, low, high);
                    joint->foot = a < CN_E7_GROUNDS;
                }
            }
        }
    }
}

static bool cn_e7_measure(cn_lab *lab, cn_result *result, cn_e7_wall *wall) {
    const cn_model *model = result->recorded.model;
    double *start = cn_result_room(result), *end = cn_result_room(result);
    double *v = cn_result_room(result);
    bool good = cn_result_frame(lab, result, 0.0, start, v) &&
                cn_result_frame(lab, result, result->tally.t_end, end, v);
    wall->count = cn_model_body_count(model);
    wall->up = cn_model_dim(model) - 1;
    wall->blocks = CN_ALLOCATE(cn_e7_block, wall->count);
    for (int32_t i = 0; good && i < wall->count; i++) {
        wall->blocks[i] = cn_e7_block_of(model, start, end, i + 1);
    }
    if (good) {
        cn_e7_find_joints(wall);
    }
    free(start);
    free(end);
    free(v);
    return good;
}

// ---- the stair ----

// In running bond a stair of joints goes half a block, here a course's height, sideways a course.
static bool cn_e7_is_near(const cn_e7_joint *joint) {
    return fabs(joint->at[1] - joint->at[0]) <= CN_E7_BAND * CN_E7_COURSE + CN_E7_TOUCH;
}

static bool cn_e7_is_open(const cn_e7_joint *joint) {
    return joint->opening > CN_E7_OPEN * CN_E7_COURSE;
}

// Bed joints lie under the course that is counted from 1, head joints within it.
static int32_t cn_e7_course(const cn_e7_joint *joint) {
    return (int32_t)floor(joint->at[1] / CN_E7_COURSE + 1e-6) + 1;
}

typedef struct cn_e7_sums {
    int32_t open, near, foot;       // open joints between blocks, and at the foot of the wall
    double widest_near, widest_far; // [m]
} cn_e7_sums;

// One joint of the course that a row of the table is about.
typedef struct cn_e7_row {
    int32_t joints, open, near;
    const cn_e7_joint *widest;
} cn_e7_row;

static void cn_e7_count(const cn_e7_joint *joint, cn_e7_row *row, cn_e7_sums *sums) {
    bool open = cn_e7_is_open(joint), near = cn_e7_is_near(joint);
    if (joint->foot) {
        sums->foot += open;
        return;
    }
    row->joints++;
    row->open += open;
    row->near += open && near;
    sums->open += open;
    sums->near += open && near;
    row->widest = !row->widest || joint->opening > row->widest->opening ? joint : row->widest;
    double *largest = near ? &sums->widest_near : &sums->widest_far;
    *largest = fmax(*largest, joint->opening);
}

static cn_e7_sums cn_e7_tabulate(cn_lab *lab, const cn_e7_case *c, const cn_e7_wall *wall) {
    cn_e7_sums sums = {.open = 0};
    for (int32_t course = 1; course <= CN_E7_COURSES; course++) {
        cn_e7_row row = {.widest = NULL};
        for (int32_t i = 0; i < wall->joint_count; i++) {
            if (cn_e7_course(&wall->joints[i]) == course) {
                cn_e7_count(&wall->joints[i], &row, &sums);
            }
        }
        cn_sheet_text(&lab->table, c->label, CN_INK_PLAIN);
        cn_sheet_int(&lab->table, course);
        cn_sheet_int(&lab->table, row.joints);
        cn_sheet_int(&lab->table, row.open);
        cn_sheet_int(&lab->table, row.near);
        cn_sheet_real(&lab->table, 3, 1000.0 * (row.widest ? row.widest->opening : 0.0));
        cn_sheet_real(&lab->table, 3, row.open > 0 ? row.widest->at[0] : (double)NAN);
        cn_sheet_real(&lab->table, 3, row.open > 0 ? row.widest->at[1] : (double)NAN);
    }
    return sums;
}

// ---- figures ----

static void cn_e7_outline(const cn_e7_block *block, int32_t up, cn_series *out) {
    static const int32_t round[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    for (int32_t i = 0; i < 5; i++) {
        double x[3] = {round[i][0] ? block->high[0] : block->low[0], block->start.x[1], 0.0};
        double now[3];
        x[up] = round[i][1] ? block->high[up] : block->low[up];
        cn_e7_carry(block, x, now);
        cn_series_add(out, now[0], now[up]);
    }
    cn_series_add(out, (double)NAN, (double)NAN);
}

static void cn_e7_plot(cn_lab *lab, const cn_e7_case *c, const cn_e7_wall *wall) {
    cn_series open = {.count = 0}, stair = {.count = 0}, outline = {.count = 0};
    for (int32_t i = CN_E7_GROUNDS; i < wall->count; i++) {
        cn_e7_outline(&wall->blocks[i], wall->up, &outline);
    }
    for (int32_t i = 0; i < wall->joint_count; i++) {
        const cn_e7_joint *joint = &wall->joints[i];
        if (cn_e7_is_open(joint)) {
            cn_series_add(&open, joint->now[0][0], joint->now[0][1]);
            cn_series_add(&open, joint->now[1][0], joint->now[1][1]);
            cn_series_add(&open, (double)NAN, (double)NAN);
        }
    }
    for (int32_t i = 0; i < CN_E7_STEPS; i++) {
        double x = i * CN_E7_COURSE;
        cn_series_add(&stair, x, x);
        cn_series_add(&stair, x, x + CN_E7_COURSE);
        cn_series_add(&stair, x + CN_E7_COURSE, x + CN_E7_COURSE);
    }
    const cn_curve curves[] = {{.name = "open joints",
                                .note = "by more than 2 mm",
                                .x = open.x,
                                .y = open.y,
                                .count = open.count},
                               {.name = "the stair",
                                .note = "from the grounds' joint",
                                .x = stair.x,
                                .y = stair.y,
                                .count = stair.count},
                               {.name = "blocks",
                                .note = "at the end",
                                .x = outline.x,
                                .y = outline.y,
                                .count = outline.count,
                                .outline = true}};
    char *title = cn_text("E7: where the wall opens (%s)", c->label);
    char *name = cn_text("openings-%s", c->trial.name);
    cn_plot plot = {.title = title,
                    .subtitle = "the right half of the ground went down by half a block",
                    .x_label = "x [m]",
                    .y_label = "height [m]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .equal = true,
                    .curves = curves,
                    .count = 3};
    cn_lab_plot(lab, name, "the wall at the end and its open joints (figure 3)", &plot);
    free(name);
    free(title);
    cn_series_free(&open);
    cn_series_free(&stair);
    cn_series_free(&outline);
}

// ---- the experiment ----

static void cn_e7_conclude(cn_lab *lab, const cn_e7_case *c, cn_result *result,
                           const cn_e7_wall *wall) {
    double end = result->tally.t_end;
    cn_e7_sums sums = cn_e7_tabulate(lab, c, wall);
    char *what[7] = {cn_text("%s: worst residual of a step", c->label),
                     cn_text("%s: open joints near the stair", c->label),
                     cn_text("%s: open joints elsewhere", c->label),
                     cn_text("%s: widest near the stair [mm]", c->label),
                     cn_text("%s: widest elsewhere [mm]", c->label),
                     cn_text("%s: S_p", c->label),
                     cn_text("%s: CPU time [s]", c->label)};
    cn_lab_below(lab, what[0], "", result->tally.residual_worst, CN_E7_RESIDUAL);
    cn_lab_above(lab, what[1], "in specific areas", sums.near, cn_lab_limit(lab, c->near_least));
    cn_lab_below(lab, what[2], "", sums.open - sums.near, cn_lab_limit(lab, c->far_most));
    cn_lab_show(lab, what[3], "", 1000.0 * sums.widest_near);
    cn_lab_show(lab, what[4], "", 1000.0 * sums.widest_far);
    cn_lab_above(lab, what[5], "", cn_result_speed(result, end), cn_lab_limit(lab, 1.0));
    cn_lab_show(lab, what[6], CN_E7_PAPER_CPU, result->tally.cpu_s);
    for (int32_t i = 0; i < 7; i++) {
        free(what[i]);
    }
    char *name = cn_text("wall-%s", c->trial.name), *title = cn_text("E7: %s", c->label);
    cn_e7_plot(lab, c, wall);
    cn_lab_picture(lab, name, "the wall at the end", result, &end, 1,
                   (cn_picture){.title = title,
                                .subtitle = "126 blocks; the ground went down under half of it"});
    free(title);
    free(name);
}

// The last override of the short version.
static void cn_e7_shorten(const cn_lab *lab, cn_trial *trial) {
    int32_t count = 0;
    while (trial->set[count].path) {
        count++;
    }
    if (lab->quick) {
        trial->set[count] = (cn_override){"time.until", "0.03"};
    }
}

static bool cn_e7_run(cn_lab *lab, const cn_e7_case *c) {
    cn_trial trial = c->trial;
    cn_result result;
    cn_e7_wall wall = {.count = 0};
    trial.method = &lab->experiment->methods[0];
    cn_e7_shorten(lab, &trial);
    if (!cn_lab_run(lab, &trial, &result)) {
        return false;
    }
    bool good = cn_e7_measure(lab, &result, &wall);
    if (good) {
        cn_e7_conclude(lab, c, &result, &wall);
    }
    free(wall.blocks);
    free(wall.joints);
    cn_result_free(&result);
    return good;
}

static bool cn_e7_time(cn_lab *lab, const cn_e7_pace *c) {
    cn_trial trial = c->trial;
    cn_result result;
    trial.method = &lab->experiment->methods[0];
    cn_e7_shorten(lab, &trial);
    if (!cn_lab_run(lab, &trial, &result)) {
        return false;
    }
    char *what[2] = {cn_text("%s: worst residual of a step", c->label),
                     cn_text("%s: S_p", c->label)};
    cn_lab_below(lab, what[0], "", result.tally.residual_worst, c->residual);
    cn_lab_above(lab, what[1], "", cn_result_speed(&result, result.tally.t_end),
                 cn_lab_limit(lab, c->speed_least));
    free(what[0]);
    free(what[1]);
    cn_result_free(&result);
    return true;
}

static void cn_e7(cn_lab *lab) {
    for (size_t i = 0; i < sizeof cn_e7_cases / sizeof cn_e7_cases[0]; i++) {
        if (!cn_e7_run(lab, &cn_e7_cases[i])) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof cn_e7_paces / sizeof cn_e7_paces[0]; i++) {
        if (!cn_e7_time(lab, &cn_e7_paces[i])) {
            return;
        }
    }
}

const cn_experiment cn_experiment_e7 = {
    .id = "E7",
    .title = "the ground goes down under half a wall",
    .source = CN_SOURCE_RENOUF_2006 ", section 5, figure 3",
    .scenes = "chateau-gombert, chateau-gombert-2d",
    .methods = cn_e7_methods,
    .columns = cn_e7_columns,
    .differs =
        "the paper shows pictures of the experiment at Chateau Gombert and prints nothing but "
        "1200 s of CPU time, on a machine of its day. The wall, its friction, the ground's way of "
        "half a block and its speed are ours. The half of the wall that hangs over the lowered "
        "ground is held by friction alone. With a friction of 1.5 that is enough: a stair opens, "
        "and the triangle below it leans on its foot at the far end and on the wall at its tip, "
        "like an arch, whose lowest course opens by 3 mm as well. With 0.6 (and up to 1) the upper "
        "courses slide, and joints open in a fan above the joint of the grounds.",
    .run = cn_e7};
