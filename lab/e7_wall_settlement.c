// lab/e7_wall_settlement.c
// E7: one half of the ground under a masonry wall goes down, and joints open in certain places.
//
// A joint is a face that two blocks share at the start. Its opening is the largest distance, along
// the face's normal, of the pairs of points that lay on each other at the face's corners: sliding
// does not count.
#include "lab/experiments.h"

#include "draw/paint.h"

#include <math.h>
#include <stdlib.h>

#define CN_E7_GROUNDS 2
#define CN_E7_COURSES 12
#define CN_E7_COURSE 0.2   // [m] height of a block
#define CN_E7_STEPS 10     // of the stair: courses that it cuts, up to the end of the wall
#define CN_E7_OPEN 0.01    // of the height: a joint that opened more is open
#define CN_E7_BAND 2.0     // courses: as near to the stair all openings are to lie
#define CN_E7_TOUCH 1e-6   // [m] faces nearer than this are shared
#define CN_E7_RATIO 1.0    // length over height of a block, in the scenes
#define CN_E7_FRICTION 0.6 // of the scenes
#define CN_E7_SLOW 20.0    // [s] that the ground takes in the scenes
#define CN_E7_FAST 4.0     // [s] that it takes in the fast cases
#define CN_E7_PAPER_CPU "1200 s"

static const cn_method cn_e7_methods[] = {{.label = "auto"}, {.label = NULL}};

static const cn_heading cn_e7_columns[] = {{"wall", "wall"},
                                           {"length/height", "block_ratio"},
                                           {"friction", "friction"},
                                           {"tolerance", "tolerance"},
                                           {"lowered in [s]", "lowered_in"},
                                           {"open near the stair", "near"},
                                           {"elsewhere", "elsewhere"},
                                           {"courses cut", "courses"},
                                           {"widest near [mm]", "widest_near_mm"},
                                           {"elsewhere [mm]", "widest_elsewhere_mm"},
                                           {"S_p", "sp"},
                                           {NULL, NULL}};

// What is asked of a wall: the criterion, its speed alone, or nothing (shown beside the others).
typedef enum cn_e7_role { CN_E7_JUDGED, CN_E7_TIMED, CN_E7_SHOWN } cn_e7_role;

typedef struct cn_e7_case {
    const char *name, *label;
    bool flat;         // 2D
    bool quick;        // in the short version too
    const char *ratio; // length over height of a block; NULL: the scene's, as are those below
    const char *friction;
    const char *tolerance;
    bool fast; // the ground goes down in 4 s instead of 20 s
    cn_e7_role role;
    double speed_min; // S_p
    bool drawn;
} cn_e7_case;

// The wall in 2D and 3D; then friction perturbed by 1e-4, other frictions, tolerances and speeds of
// the ground: the outcome may not depend on them. Then a looser tolerance, for its speed. Then
// what still looser ones, other frictions and blocks twice as long do.
static const cn_e7_case cn_e7_cases[] = {
    {.name = "wall-2d", .label = "2D", .flat = true, .speed_min = 1.0, .drawn = true},
    {.name = "wall", .label = "3D", .drawn = true},
    {.name = "fast-2d", .label = "2D", .flat = true, .fast = true},
    {.name = "fast-2d-p1", .label = "2D", .flat = true, .fast = true, .friction = "0.59994"},
    {.name = "fast-2d-p2", .label = "2D", .flat = true, .fast = true, .friction = "0.60006"},
    {.name = "2d-p1", .label = "2D", .flat = true, .friction = "0.59994"},
    {.name = "2d-p2", .label = "2D", .flat = true, .friction = "0.60006"},
    {.name = "2d-m5", .label = "2D", .flat = true, .friction = "0.5"},
    {.name = "2d-m7", .label = "2D", .flat = true, .friction = "0.7"},
    {.name = "2d-m8", .label = "2D", .flat = true, .friction = "0.8"},
    {.name = "2d-t4", .label = "2D", .flat = true, .tolerance = "1e-4", .role = CN_E7_SHOWN},
    {.name = "2d-t6", .label = "2D", .flat = true, .tolerance = "1e-6"},
    {.name = "fast-2d-t4",
     .label = "2D",
     .flat = true,
     .quick = true,
     .fast = true,
     .friction = "0.60006",
     .tolerance = "1e-4"},
    {.name = "fast", .label = "3D", .fast = true, .friction = "0.60006"},
    {.name = "fast-t4",
     .label = "3D",
     .quick = true,
     .fast = true,
     .tolerance = "1e-4",
     .speed_min = 1.0},
    {.name = "fast-t6", .label = "3D", .fast = true, .tolerance = "1e-6"},
    {.name = "2d-t3",
     .label = "2D",
     .flat = true,
     .tolerance = "1e-3",
     .role = CN_E7_TIMED,
     .speed_min = 2.0},
    {.name = "t3", .label = "3D", .tolerance = "1e-3", .role = CN_E7_TIMED, .speed_min = 2.0},
    {.name = "2d-t2", .label = "2D", .flat = true, .tolerance = "1e-2", .role = CN_E7_SHOWN},
    {.name = "t2", .label = "3D", .tolerance = "1e-2", .role = CN_E7_SHOWN},
    {.name = "2d-m3", .label = "2D", .flat = true, .friction = "0.3", .role = CN_E7_SHOWN},
    {.name = "2d-m10", .label = "2D", .flat = true, .friction = "1", .role = CN_E7_SHOWN},
    {.name = "2d-m15", .label = "2D", .flat = true, .friction = "1.5", .role = CN_E7_SHOWN},
    {.name = "2d-long-m6", .label = "2D", .flat = true, .ratio = "2", .role = CN_E7_SHOWN},
    {.name = "2d-long-m10",
     .label = "2D",
     .flat = true,
     .ratio = "2",
     .friction = "1",
     .role = CN_E7_SHOWN},
    {.name = "2d-long-m15",
     .label = "2D",
     .flat = true,
     .ratio = "2",
     .friction = "1.5",
     .role = CN_E7_SHOWN},
};
#define CN_E7_CASES ((int32_t)(sizeof cn_e7_cases / sizeof cn_e7_cases[0]))

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
    int32_t up;   // axis
    double slope; // of the stair
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

// In running bond a stair of joints goes half a block sideways per course.
static double cn_e7_slope(const cn_e7_case *c) {
    return 2.0 / (c->ratio ? strtod(c->ratio, NULL) : CN_E7_RATIO);
}

static bool cn_e7_is_near(const cn_e7_wall *wall, const cn_e7_joint *joint) {
    return fabs(joint->at[1] - wall->slope * joint->at[0]) <=
           CN_E7_BAND * CN_E7_COURSE + CN_E7_TOUCH;
}

static bool cn_e7_is_open(const cn_e7_joint *joint) {
    return joint->opening > CN_E7_OPEN * CN_E7_COURSE;
}

// Bed joints lie under the course that is counted from 1, head joints within it.
static int32_t cn_e7_course(const cn_e7_joint *joint) {
    return (int32_t)floor(joint->at[1] / CN_E7_COURSE + 1e-6) + 1;
}

typedef struct cn_e7_sums {
    int32_t near, far;              // open joints between blocks
    int32_t courses;                // that have one near the stair
    double widest_near, widest_far; // [m]
} cn_e7_sums;

static cn_e7_sums cn_e7_count(const cn_e7_wall *wall) {
    cn_e7_sums sums = {.near = 0};
    bool cut[CN_E7_COURSES + 1] = {false};
    for (int32_t i = 0; i < wall->joint_count; i++) {
        const cn_e7_joint *joint = &wall->joints[i];
        bool open = cn_e7_is_open(joint), near = cn_e7_is_near(wall, joint);
        int32_t course = cn_e7_course(joint);
        if (joint->foot) {
            continue;
        }
        sums.near += open && near;
        sums.far += open && !near;
        if (open && near && !cut[course]) {
            cut[course] = true;
            sums.courses++;
        }
        double *largest = near ? &sums.widest_near : &sums.widest_far;
        *largest = fmax(*largest, joint->opening);
    }
    return sums;
}

static void cn_e7_row(cn_lab *lab, const cn_e7_case *c, const cn_result *result,
                      const cn_e7_sums *sums) {
    cn_sheet *table = &lab->table;
    cn_sheet_text(table, c->label, CN_INK_PLAIN);
    cn_sheet_real(table, 3, c->ratio ? strtod(c->ratio, NULL) : CN_E7_RATIO);
    cn_sheet_real(table, 6, c->friction ? strtod(c->friction, NULL) : CN_E7_FRICTION);
    cn_sheet_real(table, 3, cn_model_settings(result->recorded.model)->tolerance);
    cn_sheet_real(table, 3, c->fast ? CN_E7_FAST : CN_E7_SLOW);
    cn_sheet_int(table, sums->near);
    cn_sheet_int(table, sums->far);
    cn_sheet_int(table, sums->courses);
    cn_sheet_real(table, 3, 1000.0 * sums->widest_near);
    cn_sheet_real(table, 2, 1000.0 * sums->widest_far);
    cn_sheet_real(table, 2, cn_result_speed(result, result->tally.t_end));
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
        double z = i * CN_E7_COURSE, x = z / wall->slope;
        cn_series_add(&stair, x, z);
        cn_series_add(&stair, x, z + CN_E7_COURSE);
        cn_series_add(&stair, x + CN_E7_COURSE / wall->slope, z + CN_E7_COURSE);
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
    char *name = cn_text("openings-%s", c->name);
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

// A wall in words, as "2D, friction 0.6, tolerance 1e-05, lowered in 4 s".
static char *cn_e7_words(const cn_e7_case *c, const cn_result *result) {
    return cn_text("%s, friction %s, tolerance %.3g, lowered in %g s", c->label,
                   c->friction ? c->friction : "0.6",
                   cn_model_settings(result->recorded.model)->tolerance,
                   c->fast ? CN_E7_FAST : CN_E7_SLOW);
}

static void cn_e7_judge(cn_lab *lab, const cn_e7_case *c, const cn_result *result,
                        const cn_e7_sums *sums) {
    double tolerance = cn_model_settings(result->recorded.model)->tolerance;
    char *words = cn_e7_words(c, result);
    char *what[5] = {cn_text("%s: worst residual of a step", words),
                     cn_text("%s: courses cut by the stair", words),
                     cn_text("%s: open joints elsewhere", words), cn_text("%s: S_p", words),
                     cn_text("%s: CPU time [s]", words)};
    if (c->role != CN_E7_SHOWN) {
        cn_lab_below(lab, what[0], "", result->tally.residual_worst, tolerance);
    }
    if (c->role == CN_E7_JUDGED) {
        cn_lab_above(lab, what[1], "in specific areas", sums->courses, CN_E7_STEPS);
        cn_lab_below(lab, what[2], "", sums->far, 0.0);
    }
    if (c->speed_min > 0.0) {
        cn_lab_above(lab, what[3], "", cn_result_speed(result, result->tally.t_end),
                     cn_lab_limit(lab, c->speed_min));
    }
    if (c->drawn) {
        cn_lab_show(lab, what[4], CN_E7_PAPER_CPU, result->tally.cpu_s);
    }
    for (int32_t i = 0; i < 5; i++) {
        free(what[i]);
    }
    free(words);
}

static void cn_e7_draw(cn_lab *lab, const cn_e7_case *c, cn_result *result,
                       const cn_e7_wall *wall) {
    double end = result->tally.t_end;
    char *name = cn_text("picture-%s", c->name), *title = cn_text("E7: %s", c->label);
    cn_e7_plot(lab, c, wall);
    cn_lab_picture(lab, name, "the wall at the end", result, &end, 1,
                   (cn_picture){.title = title,
                                .subtitle = "126 blocks; the ground went down under half of it"});
    free(title);
    free(name);
}

static void cn_e7_set(cn_trial *trial, const char *path, const char *value) {
    int32_t count = 0;
    while (trial->set[count].path) {
        count++;
    }
    if (value) {
        trial->set[count] = (cn_override){path, value};
    }
}

static bool cn_e7_run(cn_lab *lab, const cn_e7_case *c) {
    cn_trial trial = {.name = c->name,
                      .scene = c->flat ? "chateau-gombert-2d" : "chateau-gombert",
                      .method = &lab->experiment->methods[0],
                      .inexact = c->role == CN_E7_SHOWN,
                      .set = {{"time.frames_every", "0.25"}}};
    cn_result result;
    cn_e7_wall wall = {.slope = cn_e7_slope(c)};
    char *size = !c->ratio ? NULL
                           : cn_text(c->flat ? "[%.17g, %.17g]" : "[%.17g, %.17g, 0.2]",
                                     strtod(c->ratio, NULL) * CN_E7_COURSE, CN_E7_COURSE);
    cn_e7_set(&trial, "generate.0.wall.size", size);
    cn_e7_set(&trial, "contacts.0.friction", c->friction);
    cn_e7_set(&trial, "solver.tolerance", c->tolerance);
    if (c->fast) {
        cn_e7_set(&trial, "time.until", "6");
        cn_e7_set(&trial, "motions.0.velocity",
                  c->flat ? "[0, \"-0.025*(t>=1)*(t<5)\"]" : "[0, 0, \"-0.025*(t>=1)*(t<5)\"]");
    }
    bool good = cn_lab_run(lab, &trial, &result);
    free(size);
    if (!good) {
        return false;
    }
    good = cn_e7_measure(lab, &result, &wall);
    if (good) {
        cn_e7_sums sums = cn_e7_count(&wall);
        cn_e7_row(lab, c, &result, &sums);
        cn_e7_judge(lab, c, &result, &sums);
        if (c->drawn || (lab->quick && c->flat)) {
            cn_e7_draw(lab, c, &result, &wall);
        }
    }
    free(wall.blocks);
    free(wall.joints);
    cn_result_free(&result);
    return good;
}

static void cn_e7(cn_lab *lab) {
    for (int32_t i = 0; i < CN_E7_CASES; i++) {
        if ((!lab->quick || cn_e7_cases[i].quick) && !cn_e7_run(lab, &cn_e7_cases[i])) {
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
        "1200 s of CPU time, on a machine of its day. The wall, its friction, the displacement of "
        "the ground (half a block) and its speed are ours. The part of the wall over the lowered "
        "ground hangs on the friction of the bed joints, and the triangle below the stair must "
        "slide down its head joints. Blocks l long and h high need a friction above about 0.4 l/h "
        "for the first and below about h/l for the second: with l = h everything from 0.4 to 1 "
        "does. With l = 2h nothing does, and several openings are possible.",
    .run = cn_e7};
