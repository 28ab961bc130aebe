// record/layout.c
#include "record/layout.h"

#include <inttypes.h>
#include <stdio.h>

// clang-format off
const char cn_run_tables[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE body(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, material TEXT, mass REAL, com TEXT, inertia TEXT,"
    " shape TEXT);"
    "CREATE TABLE contact(step INTEGER PRIMARY KEY, n INTEGER, bodies BLOB, point BLOB, normal BLOB, gap BLOB,"
    " impulse BLOB, velocity BLOB, velocity_before BLOB, shift BLOB, friction BLOB, status BLOB,"
    " frame_change BLOB);"
    "CREATE TABLE ledger(step INTEGER PRIMARY KEY, t REAL, contacts INTEGER, sticking INTEGER, sliding INTEGER,"
    " solver TEXT, iterations INTEGER, residual REAL, outcome TEXT, penetration_max REAL, joint_error_max REAL,"
    " kinetic REAL, potential REAL, work_external REAL, work_joints REAL, dissipated_friction REAL,"
    " dissipated_impact REAL, dissipated_numerical REAL, cpu_detect REAL, cpu_assemble REAL, cpu_solve REAL,"
    " cpu_advance REAL, paradoxes INTEGER, work_correction REAL);"
    "CREATE TABLE event(step INTEGER, t REAL, text TEXT);";
const char cn_run_tables_bodies[] =
    "CREATE TABLE frame(step INTEGER PRIMARY KEY, t REAL, q BLOB, v BLOB, hash TEXT);"
    "CREATE TABLE checkpoint(step INTEGER PRIMARY KEY, state BLOB, hash TEXT);";
const char cn_run_tables_many_bodies[] =
    "CREATE TABLE frame(step INTEGER PRIMARY KEY, t REAL, hash TEXT, q BLOB, v BLOB);"
    "CREATE TABLE checkpoint(step INTEGER PRIMARY KEY, hash TEXT, state BLOB);";
// clang-format on

void cn_hash_text(uint64_t hash, char text[CN_HASH_TEXT]) {
    snprintf(text, CN_HASH_TEXT, "%016" PRIx64, hash);
}
