// step/clock.h
// What the time of a step is spent on, and its limit.
#ifndef CAIRN_STEP_CLOCK_H
#define CAIRN_STEP_CLOCK_H

typedef enum step_phase {
    STEP_DETECT,
    STEP_ASSEMBLE,
    STEP_SOLVE,
    STEP_ADVANCE,
    STEP_PHASES // none of them
} step_phase;

// Divides the CPU time of a step, with all that is tried on the way, among its phases; of several
// short ones together, by a clock that is cheap to read. [s]
typedef struct step_phase_clock {
    void (*tell)(void *user, step_phase phase); // of each phase that is entered; NULL: nobody
    void *user;
    step_phase phase;          // that the time since `entered` belongs to
    double entered;            // by the cheap clock
    double taken[STEP_PHASES]; // by the phases since `began`, by the same
    double began, began_cpu;   // when CPU time was divided last, by both clocks
    double cpu[STEP_PHASES];   // what each has of it
} step_phase_clock;

// From now on time is that of another phase; STEP_PHASES: of none.
void step_enter(step_phase_clock *clock, step_phase phase);

// The clocks of a step whose time is limited, CPU and wall-clock [s]; not part of a saved state, since a limit makes
// a run irreproducible anyway.
typedef struct step_time_limit {
    double start, wall_start; // of the step
    double solving;           // start of its last solve
    double wall_solved;       // end of it
    double rest, wall_rest; // that the last step took beside its solver, from that solve to its end
} step_time_limit;

#endif
