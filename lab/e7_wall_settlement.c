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

#define E7_GROUNDS 2
#define E7_COURSES 12
#define E7_COURSE 0.2   // [m] height of a block
#define E7_STEPS 10     // of the stair: courses that it cuts, up to the end of the wall
#define E7_OPEN 0.01    // of the height: a joint that opened more is open
#define E7_BAND 2.0     // courses: as near to the stair all openings are to lie
#define E7_TOUCH 1e-6   // [m] faces nearer than this are shared
#define E7_RATIO 1.0    // length over height of a block, in the scenes
#define E7_FRICTION 0.6 // of the scenes
#define E7_SLOW 20.0    // [s] that the ground takes in the scenes
#define E7_FAST 4.0     // [s] that it takes in the fast cases
#define E7_PAPER_CPU "1200 s"

static const lab_method e7_methods[] = {{.label = "auto"}, {.label = NULL}};

static const heading e7_columns[] = {{"wall", "wall"},
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
typedef enum e7_role { E7_JUDGED, E7_TIMED, E7_SHOWN } e7_role;

typedef struct e7_case {
    const char *name, *label;
    bool flat;         // 2D
    bool quick;        // in the short version too
    const char *ratio; // length over height of a block; NULL: the scene's, as are those below
    const char *friction;
    const char *tolerance;
    bool fast; // the ground goes down in 4 s instead of 20 s
    e7_role role;
    double speed_min; // S_p
    bool drawn;
} e7_case;

// The wall in 2D and 3D; then friction perturbed by 1e-4, other frictions, tolerances and speeds of
// the ground: the outcome may not depend on them. Then a looser tolerance, for its speed. Then
// what still looser ones, other frictions and blocks twice as long do.
static const e7_case e7_cases[] = {
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
    {.name = "2d-t4", .label = "2D", .flat = true, .tolerance = "1e-4", .role = E7_SHOWN},
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
     .role = E7_TIMED,
     .speed_min = 2.0},
    {.name = "t3", .label = "3D", .tolerance = "1e-3", .role = E7_TIMED, .speed_min = 2.0},
    {.name = "2d-t2", .label = "2D", .flat = true, .tolerance = "1e-2", .role = E7_SHOWN},
    {.name = "t2", .label = "3D", .tolerance = "1e-2", .role = E7_SHOWN},
    {.name = "2d-m3", .label = "2D", .flat = true, .friction = "0.3", .role = E7_SHOWN},
    {.name = "2d-m10", .label = "2D", .flat = true, .friction = "1", .role = E7_SHOWN},
    {.name = "2d-m15", .label = "2D", .flat = true, .friction = "1.5", .role = E7_SHOWN},
    {.name = "2d-long-m6", .label = "2D", .flat = true, .ratio = "2", .role = E7_SHOWN},
    {.name = "2d-long-m10",
     .label = "2D",
     .flat = true,
     .ratio = "2",
     .friction = "1",
     .role = E7_SHOWN},
    {.name = "2d-long-m15",
     .label = "2D",
     .flat = true,
     .ratio = "2",
     .friction = "1.5",
     .role = E7_SHOWN},
};
#define E7_CASES ((int32_t)(sizeof e7_cases / sizeof e7_cases[0]))

typedef struct e7_joint {
    double at[2];     // [m] x and z of its middle, at the start
    double now[2][2]; // its ends in the plane of the wall, at the end
    double opening;   // [m]
    bool foot;        // between the wall and the ground
} e7_joint;

typedef struct e7_block {
    body_pose start, end;
    double low[3], high[3]; // at the start, along the axes
} e7_block;

typedef struct e7_wall {
    e7_block *blocks;
    int32_t count;
    int32_t up;   // axis
    double slope; // of the stair
    e7_joint *joints;
    int32_t joint_count;
} e7_wall;

// ---- geometry ----

static e7_block e7_block_of(const cn_model *model, const double *start, const double *end,
                            cn_body_id id) {
    int32_t dim = cn_model_dim(model);
    e7_block block = {.start = pose_of(dim, start, id), .end = pose_of(dim, end, id)};
    cn_shape_info shape;
    cn_model_shape(model, id, 0, &shape);
    for (int32_t k = 0; k < 3; k++) {
        block.low[k] = HUGE_VAL;
        block.high[k] = -HUGE_VAL;
    }
    for (int32_t i = 0; i < shape.vertex_count; i++) {
        double x[3];
        pose_apply(&block.start, shape.vertices + 3 * (int64_t)i, x);
        for (int32_t k = 0; k < 3; k++) {
            block.low[k] = fmin(block.low[k], x[k]);
            block.high[k] = fmax(block.high[k], x[k]);
        }
    }
    return block;
}

// Where the point of the block that was at x is at the end. Blocks start without rotation.
static void e7_carry(const e7_block *block, const double x[3], double out[3]) {
    const double local[3] = {x[0] - block->start.x[0], x[1] - block->start.x[1],
                             x[2] - block->start.x[2]};
    pose_apply(&block->end, local, out);
}

// The face that lower and upper share along an axis, if they do. In 2D there is no depth.
static bool e7_face(int32_t dim, const e7_block *lower, const e7_block *upper, int32_t axis,
                    double low[3], double high[3]) {
    if (!(fabs(lower->high[axis] - upper->low[axis]) < E7_TOUCH)) {
        return false;
    }
    bool shared = true;
    for (int32_t k = 0; k < 3; k++) {
        low[k] = fmax(lower->low[k], upper->low[k]);
        high[k] = fmin(lower->high[k], upper->high[k]);
        shared = shared && (k == axis || k >= dim || high[k] - low[k] > E7_TOUCH);
    }
    low[axis] = high[axis] = lower->high[axis];
    return shared;
}

static e7_joint e7_open(int32_t up, const e7_block *lower, const e7_block *upper, int32_t axis,
                        const double low[3], const double high[3]) {
    e7_joint joint = {.at = {0.5 * (low[0] + high[0]), 0.5 * (low[up] + high[up])},
                      .opening = -HUGE_VAL};
    for (int32_t corner = 0; corner < 8; corner++) {
        const double x[3] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                             corner & 4 ? high[2] : low[2]};
        double a[3], b[3], apart = 0.0;
        e7_carry(lower, x, a);
        e7_carry(upper, x, b);
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

static void e7_find_joints(e7_wall *wall) {
    int32_t up = wall->up;
    for (int32_t a = 0; a < wall->count; a++) {
        for (int32_t b = E7_GROUNDS; b < wall->count; b++) {
            // Along x between neighbours of a course, upwards between courses and at the foot.
            for (int32_t axis = a < E7_GROUNDS ? up : 0; axis <= up; axis += up) {
                double low[3], high[3];
                if (a != b &&
                    e7_face(up + 1, &wall->blocks[a], &wall->blocks[b], axis, low, high)) {
                    wall->joints =
                        reallocate(wall->joints, wall->joint_count + 1, sizeof *wall->joints);
                    e7_joint *joint = &wall->joints[wall->joint_count++];
                    *joint = e7_open(up, &wall->blocks[a], &wall->blocks[b], axis, low, high);
                    joint->foot = a < E7_GROUNDS;
                }
            }
        }
    }
}

static bool e7_measure(reproduction *lab, trial_result *result, e7_wall *wall) {
    const cn_model *model = result->recorded.model;
    double *start = result_room(result), *end = result_room(result);
    double *v = result_room(result);
    bool good = result_frame(lab, result, 0.0, start, v) &&
                result_frame(lab, result, result->summary.t_end, end, v);
    wall->count = cn_model_body_count(model);
    wall->up = cn_model_dim(model) - 1;
    wall->blocks = ALLOCATE(e7_block, wall->count);
    for (int32_t i = 0; good && i < wall->count; i++) {
        wall->blocks[i] = e7_block_of(model, start, end, i + 1);
    }
    if (good) {
        e7_find_joints(wall);
    }
    free(start);
    free(end);
    free(v);
    return good;
}

// ---- the stair ----

static bool e7_is_near(const e7_wall *wall, const e7_joint *joint) {
    return fabs(joint->at[1] - wall->slope * joint->at[0]) <= E7_BAND * E7_COURSE + E7_TOUCH;
}

static bool e7_is_open(const e7_joint *joint) {
    return joint->opening > E7_OPEN * E7_COURSE;
}

// Bed joints lie under the course that is counted from 1, head joints within it.
static int32_t e7_course(const e7_joint *joint) {
    return (int32_t)floor(joint->at[1] / E7_COURSE + 1e-6) + 1;
}

typedef struct e7_sums {
    int32_t near, far;              // open joints between blocks
    int32_t courses;                // that have one near the stair
    double widest_near, widest_far; // [m]
} e7_sums;

static e7_sums e7_count(const e7_wall *wall) {
    e7_sums sums = {.near = 0};
    bool cut[E7_COURSES + 1] = {false};
    for (int32_t i = 0; i < wall->joint_count; i++) {
        const e7_joint *joint = &wall->joints[i];
        bool open = e7_is_open(joint), near = e7_is_near(wall, joint);
        int32_t course = e7_course(joint);
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

static void e7_row(reproduction *lab, const e7_case *c, const trial_result *result,
                   const e7_sums *sums) {
    data_table *table = &lab->table;
    data_table_text(table, c->label, INK_PLAIN);
    data_table_real(table, 3, c->ratio ? strtod(c->ratio, NULL) : E7_RATIO);
    data_table_real(table, 6, c->friction ? strtod(c->friction, NULL) : E7_FRICTION);
    data_table_real(table, 3, cn_model_settings(result->recorded.model)->tolerance);
    data_table_real(table, 3, c->fast ? E7_FAST : E7_SLOW);
    data_table_int(table, sums->near);
    data_table_int(table, sums->far);
    data_table_int(table, sums->courses);
    data_table_real(table, 3, 1000.0 * sums->widest_near);
    data_table_real(table, 2, 1000.0 * sums->widest_far);
    data_table_real(table, 2, result_speed(result, result->summary.t_end));
}

// ---- figures ----

static void e7_outline(const e7_block *block, int32_t up, point_series *out) {
    static const int32_t round[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    for (int32_t i = 0; i < 5; i++) {
        double x[3] = {round[i][0] ? block->high[0] : block->low[0], block->start.x[1], 0.0};
        double now[3];
        x[up] = round[i][1] ? block->high[up] : block->low[up];
        e7_carry(block, x, now);
        series_add(out, now[0], now[up]);
    }
    series_add(out, (double)NAN, (double)NAN);
}

static void e7_plot(reproduction *lab, const e7_case *c, const e7_wall *wall) {
    point_series open = {.count = 0}, stair = {.count = 0}, outline = {.count = 0};
    for (int32_t i = E7_GROUNDS; i < wall->count; i++) {
        e7_outline(&wall->blocks[i], wall->up, &outline);
    }
    for (int32_t i = 0; i < wall->joint_count; i++) {
        const e7_joint *joint = &wall->joints[i];
        if (e7_is_open(joint)) {
            series_add(&open, joint->now[0][0], joint->now[0][1]);
            series_add(&open, joint->now[1][0], joint->now[1][1]);
            series_add(&open, (double)NAN, (double)NAN);
        }
    }
    for (int32_t i = 0; i < E7_STEPS; i++) {
        double z = i * E7_COURSE, x = z / wall->slope;
        series_add(&stair, x, z);
        series_add(&stair, x, z + E7_COURSE);
        series_add(&stair, x + E7_COURSE / wall->slope, z + E7_COURSE);
    }
    const plot_curve curves[] = {{.name = "open joints",
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
    char *title = format_text("E7: where the wall opens (%s)", c->label);
    char *name = format_text("openings-%s", c->name);
    plot_spec plot = {.title = title,
                      .subtitle = "the right half of the ground went down by half a block",
                      .x_label = "x [m]",
                      .y_label = "height [m]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .equal = true,
                      .curves = curves,
                      .count = 3};
    lab_plot(lab, name, "the wall at the end and its open joints (figure 3)", &plot);
    free(name);
    free(title);
    series_free(&open);
    series_free(&stair);
    series_free(&outline);
}

// ---- the experiment ----

// A wall in words, as "2D, friction 0.6, tolerance 1e-05, lowered in 4 s".
static char *e7_words(const e7_case *c, const trial_result *result) {
    return format_text("%s, friction %s, tolerance %.3g, lowered in %g s", c->label,
                       c->friction ? c->friction : "0.6",
                       cn_model_settings(result->recorded.model)->tolerance,
                       c->fast ? E7_FAST : E7_SLOW);
}

static void e7_judge(reproduction *lab, const e7_case *c, const trial_result *result,
                     const e7_sums *sums) {
    double tolerance = cn_model_settings(result->recorded.model)->tolerance;
    char *words = e7_words(c, result);
    char *what[5] = {format_text("%s: worst residual of a step", words),
                     format_text("%s: courses cut by the stair", words),
                     format_text("%s: open joints elsewhere", words), format_text("%s: S_p", words),
                     format_text("%s: CPU time [s]", words)};
    if (c->role != E7_SHOWN) {
        lab_below(lab, what[0], "", result->summary.residual_worst, tolerance);
    }
    if (c->role == E7_JUDGED) {
        lab_above(lab, what[1], "in specific areas", sums->courses, E7_STEPS);
        lab_below(lab, what[2], "", sums->far, 0.0);
    }
    if (c->speed_min > 0.0) {
        lab_above(lab, what[3], "", result_speed(result, result->summary.t_end),
                  lab_limit(lab, c->speed_min));
    }
    if (c->drawn) {
        lab_check_shown(lab, what[4], E7_PAPER_CPU, result->summary.cpu_s);
    }
    for (int32_t i = 0; i < 5; i++) {
        free(what[i]);
    }
    free(words);
}

static void e7_draw(reproduction *lab, const e7_case *c, trial_result *result,
                    const e7_wall *wall) {
    double end = result->summary.t_end;
    char *name = format_text("picture-%s", c->name), *title = format_text("E7: %s", c->label);
    e7_plot(lab, c, wall);
    lab_picture(lab, name, "the wall at the end", result, &end, 1,
                (picture_spec){.title = title,
                               .subtitle = "126 blocks; the ground went down under half of it"});
    free(title);
    free(name);
}

static void e7_set(lab_trial *trial, const char *path, const char *value) {
    int32_t count = 0;
    while (trial->set[count].path) {
        count++;
    }
    if (value) {
        trial->set[count] = (cn_override){path, value};
    }
}

static bool e7_run(reproduction *lab, const e7_case *c) {
    lab_trial trial = {.name = c->name,
                       .scene = c->flat ? "chateau-gombert-2d" : "chateau-gombert",
                       .method = &lab->experiment->methods[0],
                       .inexact = c->role == E7_SHOWN,
                       .set = {{"time.frames_every", "0.25"}}};
    trial_result result;
    // In running bond a stair of joints goes half a block sideways per course.
    e7_wall wall = {.slope = 2.0 / (c->ratio ? strtod(c->ratio, NULL) : E7_RATIO)};
    char *size = !c->ratio ? NULL
                           : format_text(c->flat ? "[%.17g, %.17g]" : "[%.17g, %.17g, 0.2]",
                                         strtod(c->ratio, NULL) * E7_COURSE, E7_COURSE);
    e7_set(&trial, "generate.0.wall.size", size);
    e7_set(&trial, "contacts.0.friction", c->friction);
    e7_set(&trial, "solver.tolerance", c->tolerance);
    if (c->fast) {
        e7_set(&trial, "time.until", "6");
        e7_set(&trial, "motions.0.velocity",
               c->flat ? "[0, \"-0.025*(t>=1)*(t<5)\"]" : "[0, 0, \"-0.025*(t>=1)*(t<5)\"]");
    }
    bool good = lab_run_trial(lab, &trial, &result);
    free(size);
    if (!good) {
        return false;
    }
    good = e7_measure(lab, &result, &wall);
    if (good) {
        e7_sums sums = e7_count(&wall);
        e7_row(lab, c, &result, &sums);
        e7_judge(lab, c, &result, &sums);
        if (c->drawn || (lab->quick && c->flat)) {
            e7_draw(lab, c, &result, &wall);
        }
    }
    free(wall.blocks);
    free(wall.joints);
    result_free(&result);
    return good;
}

static void e7(reproduction *lab) {
    for (int32_t i = 0; i < E7_CASES; i++) {
        if ((!lab->quick || e7_cases[i].quick) && !e7_run(lab, &e7_cases[i])) {
            return;
        }
    }
}

const lab_experiment experiment_e7 = {
    .id = "E7",
    .title = "the ground goes down under half a wall",
    .source = SOURCE_RENOUF_2006 ", section 5, figure 3",
    .scenes = "chateau-gombert, chateau-gombert-2d",
    .methods = e7_methods,
    .columns = e7_columns,
    .differs =
        "the paper shows pictures of the experiment at Chateau Gombert and prints nothing but "
        "1200 s of CPU time, on a machine of its day. The wall, its friction, the displacement of "
        "the ground (half a block) and its speed are ours. The part of the wall over the lowered "
        "ground hangs on the friction of the bed joints, and the triangle below the stair must "
        "slide down its head joints. Blocks l long and h high need a friction above about 0.4 l/h "
        "for the first and below about h/l for the second: with l = h everything from 0.4 to 1 "
        "does. With l = 2h nothing does, and several openings are possible.",
    .run = e7};
