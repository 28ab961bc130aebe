// Runs that a program acted on: with inputs, loads, impulses and states set between steps they are
// true runs, complete and counted as steered; without the events that say so, or with other values
// in them, they are not.
#include "forge.h"
#include "world.h"

#include <cairn/act.h>

#define ACTED_STEPS 40
#define ACTED_AT 19 // steps after which something is done: before one that has a frame

typedef enum act_of { ACT_NONE, ACT_INPUT, ACT_LOADS, ACT_APPLY, ACT_IMPULSE, ACT_STATE } act_of;

static const char acted_scene[] =
    "cairn: 1\ndimension: 3\ntime: {step: 2.0e-3, until: 0.08, frames_every: %s}\n"
    "materials: {stone: {density: 1000}}\n"
    "contacts: [{between: [stone, stone], friction: 0.5}]\n"
    "inputs: {push: 1, turn: 0.5, lift: 0}\n"
    "bodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, material: stone, position: [0, 0, 0.1], shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
    "  - {name: b, material: stone, position: [1, 0, 0.5], shape: {sphere: {radius: 0.1}}}\n"
    "  - {name: c, material: stone, position: [2.5, 0, 2], shape: {box: {size: [1, 0.1, 0.1]}}}\n"
    "  - {name: d, material: stone, position: [4, 0, 2], shape: {box: {size: [0.3, 0.2, 0.1]}}}\n"
    "  - {name: fan, material: stone, position: [9, 0, 2], shape: {box: {size: [1, 2, 3]}}}\n"
    "forces: [{body: a, force: ['input(push)', 0, 0]}]\n"
    "motions: [{body: fan, velocity: [0, 0, 'input(lift)*cos(9*t)']}]\n"
    "joints:\n"
    "  - {name: pin, kind: hinge, bodies: [ground, c], point: [2, 0, 2], axis: [0, 1, 0], motor: "
    "{velocity: 'input(turn)', max_torque: 4000}}\n"
    "  - {name: rail, kind: slider, bodies: [ground, d], point: [4, 0, 2], axis: [1, 0, 0], motor: "
    "{force: '100*input(turn)'}}\n"
    "record: [{name: rail, joint: rail}]\n";

static void act(world *w, act_of what) {
    // Other inputs each time.
    const double inputs[3] = {200.0 + (double)(cn_sim_step_index(w->sim) % ACTED_AT), -3.0, 0.75};
    const double force[3] = {40.0, 0.0, 10.0}, point[3] = {0.05, 0.02, 0.0};
    double loads[6 * 6] = {0.0}, v[6 * 6], q[7 * 6];
    cn_error error = {0};
    cn_status status = CN_OK;
    switch (what) {
    case ACT_INPUT:
        status = cn_sim_set_inputs(w->sim, inputs, &error);
        break;
    case ACT_LOADS:
        loads[6 * 2 + 1] = 30.0;
        loads[6 * 4] = 30.0;
        status = cn_sim_set_loads(w->sim, loads, &error);
        break;
    case ACT_APPLY:
        status = cn_sim_apply(w->sim, 3, force, NULL, point, &error);
        break;
    case ACT_IMPULSE:
        status = cn_sim_apply_impulse(w->sim, 3, force, NULL, point, &error);
        break;
    case ACT_STATE:
        cn_sim_poses(w->sim, q);
        cn_sim_velocities(w->sim, v);
        q[7 * 2 + 1] += 3.0;
        v[6 * 2 + 2] = 1.0;
        status = cn_sim_set_state(w->sim, q, v, 0, &error);
        break;
    default:
        break;
    }
    if (status != CN_OK) {
        world_fail(&error);
    }
}

static void must(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        world_fail(error);
    }
}

// Records a run that is acted on once, or at the start and every fifth step.
static void record(act_of what, bool often, const char *every, cn_run_grade *grade) {
    cn_error error = {0};
    cn_recorder *recorder;
    world w = world_open(acted_scene, every);
    remove("base.run");
    if (often) {
        act(&w, what);
    }
    must(cn_recorder_create(NULL, "base.run", true, w.sim, &recorder, &error), &error);
    must(cn_recorder_frame(recorder, w.sim, &error), &error);
    for (int i = 0; i < ACTED_STEPS; i++) {
        if (i == ACTED_AT || (often && i > 0 && i % 5 == 0)) {
            act(&w, what);
        }
        world_step(&w);
        must(cn_recorder_ledger(recorder, &w.last, &error), &error);
        must(cn_recorder_columns(recorder, w.sim, &error), &error);
        if (every[0] == '0' || (i + 1) % 4 == 0) {
            must(cn_recorder_frame(recorder, w.sim, &error), &error);
        }
    }
    must(cn_recorder_checkpoint(recorder, w.sim, &error), &error);
    must(cn_recorder_meta(recorder, "status", "done", &error), &error);
    must(cn_recorder_close(recorder, &error), &error);
    world_close(&w);
    check_file("base.run", grade);
}

CN_TEST(acted_runs_pass_and_are_counted) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    int wrong = 0;
    for (act_of what = ACT_NONE; what <= ACT_STATE; what++) {
        for (int form = 0; form < 4; form++) {
            record(what, form & 1, form & 2 ? "0" : "8.0e-3", grade);
            bool good = grade->within && grade->complete;
            good = good && (what == ACT_NONE) == (grade->steered == 0);
            bool once = what >= ACT_APPLY && !(form & 1); // in one step alone
            good = good && (!once || grade->steered == 1);
            if (!good) {
                print_error("act %d, form %d: %d steered\n", (int)what, form, (int)grade->steered);
                print_findings(grade);
                wrong++;
            }
        }
    }
    free(grade);
    cn_cli_leave(&cli);
    assert_int_equal(wrong, 0);
}

static const struct {
    act_of what;
    forgery of;
} acts_forged[] = {
    {ACT_INPUT, {"DELETE FROM event", "frame", 20, ""}},
    {ACT_INPUT,
     {"UPDATE event SET text=replace(text,'push=200','push=201')", "frame", 20, "momentum"}},
    {ACT_INPUT,
     {"UPDATE event SET text=replace(text,'turn=-3','turn=-2')", "joint", 20, "do not follow"}},
    {ACT_INPUT, {"UPDATE event SET text=replace(text,'lift=0.75','lift=0.6')", "frame", 20, ""}},
    {ACT_INPUT, {"UPDATE event SET step=step+1", "frame", 20, "momentum"}},
    {ACT_INPUT,
     {"UPDATE event SET text=replace(text,'lift=','lit=')", "event", 20, "does not say"}},
    {ACT_INPUT, {"UPDATE event SET text=text||' more=1'", "event", 20, "does not say"}},
    {ACT_LOADS, {"DELETE FROM event", "", 20, "no event says how"}},
    {ACT_LOADS, {"UPDATE frame SET load=plus(load,13,1) WHERE step=25", "frame", 25, "momentum"}},
    {ACT_APPLY, {"DELETE FROM event", "", 20, "no event says how"}},
    {ACT_IMPULSE, {"DELETE FROM event", "frame", 20, "is not where it must be"}},
    {ACT_STATE, {"DELETE FROM event", "frame", 20, "is not where it must be"}},
    {ACT_STATE, {"UPDATE event SET step=step+1", "frame", 20, "is not where it must be"}},
    {ACT_STATE,
     {"UPDATE frame SET q=plus(q,14,1e-6) WHERE step=30", "frame", 30, "is not where it must be"}},
};

CN_TEST(acts_that_events_do_not_say_are_found) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    int missed = 0;
    for (size_t i = 0; i < sizeof acts_forged / sizeof *acts_forged; i++) {
        record(acts_forged[i].what, false, "0", grade);
        forge(&acts_forged[i].of, true);
        check_file("forged.run", grade);
        missed += !is_forgery_found(&acts_forged[i].of, grade);
    }
    free(grade);
    cn_cli_leave(&cli);
    assert_int_equal(missed, 0);
}
