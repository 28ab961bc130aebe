// tests/fuzz/fuzz_checkpoint.h
// The scenes whose checkpoints are fuzzed: bodies with stored motion, bodies that sleep, bodies
// under an integrator of systems, a mechanism in the plane.
#ifndef CAIRN_TESTS_FUZZ_CHECKPOINT_H
#define CAIRN_TESTS_FUZZ_CHECKPOINT_H

#include "fuzz_problem.h"

#include "base/hash.h"

#include <cairn/scene.h>
#include <cairn/sim.h>

#define CN_FUZZ_SCENES 4
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
    "joints: [{kind: hinge, bodies: [base, arm], point: [0, 2]}]\n"};

#endif
