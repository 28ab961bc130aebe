// solve/drivers/policy_rows.h
// The rows of solve/drivers/policy.h, included with ROW defined. No guard: it is included more than
// once.
//     ROW(type, name, value, unit, meaning, measured on)
// docs/design/default-solver.md has the same values; a test compares them.
// clang-format off

// ---- when an iterate is checked ----
ROW(int64_t, check_all, 6, "sweeps", "the first so many are all checked: easy problems end here",
    "FCLIB problems")
ROW(int64_t, check_wait_min, 12, "sweeps", "then at least so many go unchecked, unless success is predicted",
    "320 spheres to 2e-2: sweeps are a quarter of a step")
ROW(int64_t, check_wait_max, 25, "sweeps", "at most so many between two checks",
    "FCLIB problems")
ROW(int64_t, check_wait_divisor, 6, "1", "between these the wait is the number of sweeps so far over this",
    "FCLIB problems")
ROW(double, check_predicted, 1.5, "tolerance", "a check is due when the step size predicts an error below this",
    "FCLIB problems")

// ---- Anderson acceleration ----
ROW(int32_t, anderson_every_assembled, 1, "sweeps", "per step of Anderson acceleration, W assembled",
    "FCLIB problems")
ROW(int32_t, anderson_every_body, 3, "sweeps", "the same in body space, where a step costs a product with H",
    "FCLIB global problems; 1, 6: 0.65, 1.4 times the sweeps, 0.95, 1.1 times the time")
ROW(int32_t, anderson_every_batches, 6, "sweeps", "the same in batches, which sweep faster than a step takes",
    "random packings of spheres")
ROW(int64_t, anderson_trial, 60, "sweeps", "of Anderson acceleration, tried after a stage with momentum",
    "random packings of spheres")

// ---- momentum ----
ROW(int32_t, momentum_contacts_min, 128, "contacts", "fewer are left to Anderson acceleration",
    "32: walls 1.5, poured spheres 2 times the iterations; 512: 1.0, 1.1")
ROW(double, momentum_ramp, 3.0, "sweeps", "the momentum of sweep k is at most k / (k + this)",
    "packings that compact: a third of the sweeps of Anderson acceleration")
ROW(int64_t, momentum_check_first, 4, "sweeps", "with momentum before the first check",
    "1, 12: masonry 1.12, 1.14 times the iterations, spheres 0.89, 0.93")
ROW(int64_t, momentum_check_min, 3, "sweeps", "and at least before another",
    "1, 8: masonry 1.07, 0.99 times the iterations, spheres 0.98, 1.02")
ROW(double, momentum_check_share, 0.6, "1", "of the sweeps predicted until the tolerance, after which to check",
    "0.3, 1: masonry 1.17, 1.00 times the iterations, spheres 0.96, 1.01")
ROW(int64_t, momentum_refresh, 24, "sweeps", "after which velocities are recomputed at checks",
    "6, 100: poured spheres 1.2, 1.9 times the iterations, others the same")
ROW(int64_t, momentum_stage, 500, "sweeps", "before Anderson acceleration is tried as well",
    "packings that compact")
ROW(double, momentum_diverged, 1e3, "best error", "an error above this ends a stage with momentum",
    "10: poured spheres 1.8 times the iterations; 1e6: the same")

// ---- cold start of packings of spheres: more momentum ----
ROW(int64_t, cold_layers_min, 16, "layers", "of fewer the load reaches the ground before it would help",
    "spheres at rest with six neighbours each, under gravity")
ROW(int64_t, cold_sweeps_per_layer, 5, "sweeps", "that the boost lasts",
    "the same: half the sweeps of momentum 0.9")
ROW(double, cold_damping, 0.2, "1 - momentum", "what the damping 1 - momentum is multiplied by meanwhile",
    "the same: momentum 0.98")

// ---- symmetric sweeps of high structures ----
ROW(int64_t, symmetric_after, 30, "sweeps", "one way before forward and backward sweeps begin",
    "walls of several heights")
ROW(int32_t, symmetric_contacts_min, 2048, "contacts", "of fewer Newton's method is at hand",
    "walls of several heights")
ROW(int32_t, symmetric_depth_min, 24, "bodies", "above what is static; low walls gain nothing",
    "walls of several heights")
ROW(double, symmetric_damping, 0.5, "1 - momentum", "what the damping is multiplied by then, or",
    "walls: bear 0.95 and more; sweeps grow with the height, not its square")
ROW(double, symmetric_ramp, 10.0, "pairs of sweeps", "momentum k / (k + this) where that is more",
    "walls of several heights")
ROW(int64_t, symmetric_stage, 5000, "sweeps", "before Anderson acceleration is tried as well",
    "walls of several heights")

// ---- packings of spheres at the margin of rigidity ----
ROW(int32_t, jammed_contacts_max, 8192, "contacts", "larger packings need thousands of sweeps anyway",
    "poured packings of spheres")
ROW(int32_t, jammed_anderson_every, 3, "sweeps", "per step of Anderson acceleration there, in 3D",
    "poured packings of spheres")
ROW(int64_t, jammed_momentum_after, 100, "sweeps", "before the momentum is limited, in 3D,",
    "poured packings of spheres")
ROW(double, jammed_momentum, 0.85, "1", "to this: more of it circles about the solution",
    "poured packings of spheres")
ROW(int64_t, jammed_anderson_after, 1000, "sweeps", "after which Anderson acceleration is not left again",
    "poured packings of spheres")
ROW(int64_t, restart_after, 3000, "sweeps", "after which one restart from r = 0 is made, in double precision,",
    "poured packings of spheres")
ROW(double, restart_gain, 0.5, "1", "where their second half left this share of the error or more",
    "poured packings of spheres")

// ---- single precision ----
ROW(double, float_tolerance_min, 1e-5, "residual", "spheres and disks: below it floats are not worth it",
    "spheres: 5.7 ns per contact and sweep for 9.2 (AVX2)")
ROW(double, float_rigid_tolerance_min, 5e-3, "residual", "the same for other bodies",
    "the wall: 8.4 ns for 14.2 (AVX-512); at 1e-3 a run took twice the time")
ROW(double, float_friction_max, 5.0, "mu", "above it mu times the slip, in floats, is round-off",
    "bodies with large friction on the ground")
ROW(double, float_noise, 4.0, "round-off", "an error below this floats make no better",
    "1, 16: poured spheres 1.3, 1.7 times the iterations, others the same")

// ---- past the tolerance, so that what rests comes to rest ----
ROW(double, near_start, 10.0, "tolerance", "the error of a start near the answer",
    "E3: penetrations grew as often as they fell")
ROW(double, rest_error, 1e-12, "residual", "round-off of a pile: no sweeps beyond it",
    "1e-14, 1e-10: poured spheres 1.6, 0.9 times the iterations, others the same")
ROW(double, rest_share, 0.1, "start error", "Newton takes over where the solve leaves more than this",
    "tower of 20 cubes: 5e-6 m in a minute for 5e-4 m")
ROW(double, rest_step_cost, 100.0, "sweeps", "that a Newton step may cost there",
    "tower, columns and wall")
ROW(double, aim, 1e-8, "residual", "that Newton aims at for joints and at rest, however loose the tolerance",
    "mechanisms: energy; tower, columns and wall at rest")

// ---- whether the sweeps are left for another method ----
ROW(int64_t, pace_first, 12, "sweeps", "before the pace is judged",
    "FCLIB problems")
ROW(double, pace_growth, 1.3, "1", "of the windows in which it is judged, in sweeps so far",
    "FCLIB problems")
ROW(double, patience_total, 4.0, "patience", "all sweeps of a stage together",
    "FCLIB problems")
ROW(double, hopeless, 10.0, "patience", "predicted: Newton at once, in hyperstatic sets",
    "masonry walls: sweeps end just above the tolerance")
ROW(double, hyperstatic_rows, 3.0, "rows per velocity", "above which a set is hyperstatic",
    "masonry walls have more, packings of spheres less than 2")
ROW(double, close_factor, 1.5, "tolerance", "sweeps with momentum pass below this before others do",
    "walls at loose tolerances")
ROW(double, close_tolerance_min, 5e-3, "residual", "where the tolerance is at least this",
    "walls at loose tolerances")
ROW(int32_t, cache_contacts_max, 100000, "contacts", "the choice of batches of more is not cached: it changes every step",
    "packings that move")

// ---- the stages of the default solver ----
ROW(double, first_sweeps, 30.0, "sweeps", "before anything is analysed, and the fewest of a stage",
    "FCLIB problems")
ROW(double, first_sweeps_momentum, 300.0, "sweeps", "the same with momentum: cheap, and they go far",
    "30, 1000: masonry 0.97, 1.03 times the iterations, the time the same")
ROW(double, newton_steps, 12.0, "Newton steps", "that a Newton stage is expected to take",
    "FCLIB problems")
ROW(double, newton_steps_hard, 48.0, "Newton steps", "the same of an island: its open contacts are left out",
    "a packing of 9300 candidates, of which 2700 press: 0.7 s")
ROW(double, newton_steps_early, 3.0, "Newton steps", "the same of polyhedra at the margin of rigidity, at tight tolerances",
    "card house of ten levels at 1e-6: 489 to 158 iterations per step")
ROW(int32_t, newton_turn, 250, "Newton steps", "of the first turn, doubling",
    "masonry walls: some steps need 150 to 200")
ROW(int32_t, newton_probe, 48, "Newton steps", "of the first turn where interior points come next",
    "poured packings of spheres")
ROW(double, joint_share, 0.1, "1", "share of joint blocks above which Newton comes first",
    "0.02: all the same; 0.5: FCLIB problems 1.02 times the iterations")
ROW(int32_t, small_island, 64, "contacts", "an island with fewer fills no batches: Newton at once",
    "16, 256: FCLIB problems 1.08, 0.99 times the iterations")
ROW(int32_t, vast_contacts, 100000, "contacts", "above it sweeps only: no memory holds the factors",
    "packing of 1e5 spheres")
ROW(double, sweeps_only_tolerance, 1e-4, "residual", "from it on packings of spheres are left to sweeps",
    "poured packings of spheres")
ROW(int32_t, sweeps_only_max, 15000, "sweeps", "for so many: Newton takes 600 steps and more there",
    "poured packings of spheres")
ROW(int32_t, correct_contacts_max, 8192, "contacts", "up to which a Newton step is tried where a packing jams",
    "2000: 1000 poured spheres (2700 contacts) take 2533 iterations per step for 1724")
ROW(double, correct_every, 300.0, "sweeps", "between two tries, or",
    "jammed steps of 200 poured spheres")
ROW(double, correct_cost, 2.0, "Newton step", "so much of its cost, where that is more",
    "jammed steps of 200 poured spheres")
ROW(double, correct_near, 1.7, "tolerance", "error of the best iterate from which it is tried: it leaves 0.6 of it",
    "jammed steps of 200 poured spheres")
ROW(double, correct_gain, 0.97, "error", "of the best that was last tried in vain, below which it is tried again",
    "jammed steps of 200 poured spheres")
ROW(int64_t, correct_wandering_after, 1500, "sweeps", "after which it is tried from the last iterate too",
    "jammed steps of 200 poured spheres")
ROW(double, correct_wandering, 2.5, "tolerance", "or less, the error of that iterate",
    "jammed steps of 200 poured spheres")
ROW(double, analysis_sweeps, 1000.0, "sweeps", "that a time limit must leave, or Newton is not prepared",
    "1000 spheres with limits of 5 ms: preparing and a step take 700")

// ---- interior points and the proximal term ----
ROW(double, loose_tolerance, 1e-4, "residual", "from it on interior points come before Newton",
    "poured packings of spheres")
ROW(int32_t, marginal_contacts_max, 1000, "contacts", "of marginal packings: factors are cheap",
    "100: 12 of 16 jammed packings for 15; 10000: FCLIB problems 1.4 times the iterations")
ROW(double, interior_margin, 1.0, "start scale", "distance of its start from the cones, first at tight tolerances",
    "poured packings of spheres")
ROW(double, interior_margin_safe, 10.0, "start scale", "first elsewhere: a start far inside is the safer",
    "Tut-Arches, RockPile")
ROW(double, interior_margin_last, 0.3, "start scale", "and of the third start",
    "poured packings of spheres")
ROW(int32_t, interior_iterations, 100, "iterations", "of an interior point method",
    "40: 16 of 16 jammed packings for 15, 1.1 times the iterations; 300: the same")
ROW(int32_t, interior_stall, 30, "iterations", "without a new best end it,",
    "Tut-Arches: 2 s for 6 s; RockPile: 0.3 s for 0.8 s")
ROW(int32_t, interior_stall_marginal, 15, "iterations", "or so many where several starts are tried",
    "poured packings of spheres")
ROW(int32_t, interior_polish, 24, "Newton steps", "after each of several starts: two to five end it, or none",
    "card house of ten levels at 1e-6")
ROW(double, proximal_share, 0.1, "error", "first weight of the proximal term over the error of the sweeps",
    "0.01, 1: masonry 1.00, 0.95 times the iterations, FCLIB problems 1.02, 1.00")
ROW(double, proximal_min, 1e-3, "1", "smallest first weight",
    "1e-5, 0.1: masonry 0.5, 0.9 times the iterations, the time the same")
ROW(double, proximal_loose, 100.0, "tolerance", "a first weight that is small enough at once",
    "walls at loose tolerances: fewer statuses change")
ROW(double, proximal_loose_max, 0.1, "1", "largest of these weights",
    "walls at loose tolerances")
// clang-format on
