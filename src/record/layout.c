// record/layout.c
#include "record/layout.h"

#include <inttypes.h>
#include <stdio.h>

// The columns of the ledger as SQL.
#define LEDGER_SQL_I "INTEGER"
#define LEDGER_SQL_R "REAL"
#define LEDGER_SQL_S "TEXT"
#define LEDGER_SQL_O "TEXT"
#define LEDGER_SQL(name, kind) ", " #name " " LEDGER_SQL_##kind
#define LEDGER_ADD(name, kind) "ALTER TABLE ledger ADD COLUMN " #name " " LEDGER_SQL_##kind ";"

// clang-format off
const char rec_run_tables[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE meta_hash(key TEXT PRIMARY KEY, row_hash BLOB);"
    "CREATE TABLE body(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, material TEXT, mass REAL, com TEXT, inertia TEXT,"
    " shape TEXT, row_hash BLOB);"
    "CREATE TABLE contact(step INTEGER PRIMARY KEY, n INTEGER, sleeping INTEGER, bodies BLOB, point BLOB, normal BLOB,"
    " gap BLOB, impulse BLOB, velocity BLOB, velocity_before BLOB, shift BLOB, friction BLOB, status BLOB,"
    " frame_change BLOB, early BLOB, row_hash BLOB);"
    "CREATE TABLE ledger(step INTEGER PRIMARY KEY, t REAL" CN_LEDGER_VALUES(LEDGER_SQL) ", row_hash BLOB);"
    "CREATE TABLE event(step INTEGER, t REAL, text TEXT, row_hash BLOB);"
    "CREATE TABLE joint(step INTEGER PRIMARY KEY, value BLOB, rate BLOB, impulse BLOB, effort BLOB, rows BLOB,"
    " start BLOB, angle BLOB, settled BLOB, row_hash BLOB);";
const char rec_run_tables_nodes[] =
    "CREATE TABLE mesh(body INTEGER PRIMARY KEY, nodes BLOB, kind TEXT, elements BLOB, surface BLOB, row_hash BLOB);"
    "CREATE TABLE nodes(step INTEGER PRIMARY KEY, x BLOB, v BLOB, v_before BLOB, row_hash BLOB);"
    "CREATE TABLE side(step INTEGER PRIMARY KEY, start BLOB, body BLOB, node BLOB, weight BLOB, row_hash BLOB);";
const char rec_run_tables_bonds[] =
    "CREATE TABLE bond(id INTEGER PRIMARY KEY, bodies BLOB, numbers BLOB, part BLOB, weight BLOB, row_hash BLOB);"
    "CREATE TABLE damage(step INTEGER PRIMARY KEY, before BLOB, during BLOB, after BLOB, contact BLOB, broken BLOB,"
    " row_hash BLOB);";
const char rec_run_tables_bodies[] =
    "CREATE TABLE frame(step INTEGER PRIMARY KEY, t REAL, q BLOB, v BLOB, hash TEXT, v_before BLOB, start REAL,"
    " h REAL, limited INTEGER, asleep BLOB, steering BLOB, load BLOB, v_after BLOB, q_middle BLOB,"
    " projection BLOB, row_hash BLOB);"
    "CREATE TABLE checkpoint(step INTEGER PRIMARY KEY, state BLOB, hash TEXT);";
const char rec_run_tables_many_bodies[] =
    "CREATE TABLE frame(step INTEGER PRIMARY KEY, t REAL, hash TEXT, start REAL, h REAL, limited INTEGER, steering BLOB,"
    " q BLOB, v BLOB, v_before BLOB, asleep BLOB, load BLOB, v_after BLOB, q_middle BLOB, projection BLOB,"
    " row_hash BLOB);"
    "CREATE TABLE checkpoint(step INTEGER PRIMARY KEY, hash TEXT, state BLOB);";
const char rec_run_tables_upgrade[] =
    "CREATE TABLE meta_hash(key TEXT PRIMARY KEY, row_hash BLOB);"
    "CREATE TABLE joint(step INTEGER PRIMARY KEY, value BLOB, rate BLOB, impulse BLOB, effort BLOB, rows BLOB,"
    " start BLOB, angle BLOB, settled BLOB, row_hash BLOB);"
    "ALTER TABLE body ADD COLUMN row_hash BLOB;"
    "ALTER TABLE ledger ADD COLUMN row_hash BLOB;"
    "ALTER TABLE event ADD COLUMN row_hash BLOB;"
    "ALTER TABLE contact ADD COLUMN sleeping INTEGER;"
    "ALTER TABLE contact ADD COLUMN early BLOB;"
    "ALTER TABLE contact ADD COLUMN row_hash BLOB;"
    "ALTER TABLE frame ADD COLUMN v_before BLOB;"
    "ALTER TABLE frame ADD COLUMN start REAL;"
    "ALTER TABLE frame ADD COLUMN h REAL;"
    "ALTER TABLE frame ADD COLUMN projection BLOB;"
    "ALTER TABLE frame ADD COLUMN limited INTEGER;"
    "ALTER TABLE frame ADD COLUMN asleep BLOB;"
    "ALTER TABLE frame ADD COLUMN steering BLOB;"
    "ALTER TABLE frame ADD COLUMN load BLOB;"
    "ALTER TABLE frame ADD COLUMN v_after BLOB;"
    "ALTER TABLE frame ADD COLUMN q_middle BLOB;"
    "ALTER TABLE frame ADD COLUMN row_hash BLOB;";
const char rec_run_tables_added[] = CN_LEDGER_ADDED(LEDGER_ADD);
// clang-format on

void rec_hash_text(uint64_t hash, char text[REC_HASH_TEXT]) {
    snprintf(text, REC_HASH_TEXT, "%016" PRIx64, hash);
}
