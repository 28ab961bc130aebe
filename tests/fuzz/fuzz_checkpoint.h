// tests/fuzz/fuzz_checkpoint.h
// The scenes whose checkpoints and run files are fuzzed: bodies with stored motion, bodies that
// sleep, bodies under an integrator of systems, a mechanism in the plane, deformable bodies with
// columns, a mechanism with inputs that is acted on, a controlled one.
#ifndef CAIRN_TESTS_FUZZ_CHECKPOINT_H
#define CAIRN_TESTS_FUZZ_CHECKPOINT_H

#include "fuzz_problem.h"

#include "base/hash.h"

#include <cairn/scene.h>
#include <cairn/sim.h>

#define CN_FUZZ_SCENES 7
#define CN_FUZZ_ACTED 5 // of these
#define CN_FUZZ_GROUND                                                                             \
    "materials: {stone: {density: 1000}}\n"                                                        \
    "contacts: [{between: [stone, stone], friction: 0.5}]\n"

static const char *const cn_fuzz_scenes[CN_FUZZ_SCENES] = {
    "cairn: 1\ndimension: 3\ntime: {step: 0.01, until: 1}\n" CN_FUZZ_GROUND "bodies:\n"
    "  - {fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n"
    "  - {material: stone, position: [0.1, 0, 1.3], shape: {sphere: {radius: 0.3}}}\n",
    "cairn: 1\ndimension: 3\ntime: {step: 0.01, until: 1}\n"
    "sleeping: {speed: 0.05, after: 0.02}\n" CN_FUZZ_GROUND "bodies:\n"
    "  - {fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {material: stone, position: [0, 0, 0.3], shape: {sphere: {radius: 0.3}}}\n"
    "  - {material: stone, position: [0, 0, 0.9], shape: {sphere: {radius: 0.3}}}\n",
    "cairn: 1\ndimension: 2\ntime: {step: 0.01, until: 1}\n"
    "integrator: {scheme: generalized-alpha}\n" CN_FUZZ_GROUND "bodies:\n"
    "  - {fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {material: stone, position: [0, 0.5], shape: {box: {size: [1, 1]}}}\n",
    "cairn: 1\ndimension: 2\ntime: {step: 0.01, until: 1}\n" CN_FUZZ_GROUND "bodies:\n"
    "  - {name: base, fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {name: arm, material: stone, position: [1, 2], shape: {box: {size: [2, 0.2]}}}\n"
    "joints: [{kind: hinge, bodies: [base, arm], point: [0, 2]}]\n",
    "cairn: 1\ndimension: 2\ntime: {step: 0.01, until: 1}\nintegrator: {theta: 1}\n"
    "materials:\n  stone: {density: 1000}\n"
    "  rubber: {density: 1000, young: 1.0e+5, poisson: 0.3, damping: {stiffness: 1.0e-3}}\n"
    "contacts: [{between: ['*', '*'], friction: 0.5}]\nbodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {name: a, material: rubber, position: [0, 0.5], deformable: {mesh: {box: {size: [1, 1], "
    "cells: [2, 1]}}}}\n"
    "  - {name: b, material: stone, position: [0.1, 1.3], shape: {disk: {radius: 0.3}}}\n"
    "record: [{name: base, force_on: [ground]}, {name: top, position: b}]\n",
    "cairn: 1\ndimension: 3\ntime: {step: 0.01, until: 1}\n" CN_FUZZ_GROUND
    "inputs: {push: 1, turn: 0}\nbodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n"
    "  - {name: b, material: stone, position: [1.5, 0, 0.5], shape: {box: {size: [1, 1, 1]}}}\n"
    "joints: [{name: pin, kind: hinge, bodies: [a, b], point: [0.75, 0, 0.5], axis: [0, 1, 0], "
    "motor: {velocity: 'input(turn)', max_torque: 500}}]\n"
    "forces: [{body: a, force: ['input(push)', 0, 0]}]\n"
    "record: [{name: pin, joint: pin}, {name: v, velocity: a}]\n",
    "cairn: 1\ndimension: 2\ntime: {step: 0.01, until: 1}\n" CN_FUZZ_GROUND "bodies:\n"
    "  - {name: base, fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {name: arm, material: stone, position: [1, 2], shape: {box: {size: [2, 0.2]}}}\n"
    "joints: [{name: pin, kind: hinge, bodies: [base, arm], point: [0, 2], motor: {torque: 'u'}}]\n"
    "control:\n  - period: 0.02\n    sensors: {angle: 'pin_q'}\n"
    "    memory: {sum: 0}\n    outputs: {u: '-1000*angle - 100*sum'}\n"
    "    next: {sum: 'sum + 0.02*angle'}\n"};

#endif
