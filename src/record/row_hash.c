// record/row_hash.c
#include "record/row_hash.h"

#include <cairn/record.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEDGER_NAME(name, kind) "," #name
#define LEDGER_ONE(name, kind) +1

const rec_hashed_table rec_hashed_tables[REC_HASHED_TABLES] = {
    [REC_HASHED_BODY] = {"body", "id", "id,name,kind,material,mass,com,inertia,shape", 8, 0, NULL},
    [REC_HASHED_FRAME] = {"frame", "step",
                          "step,t,hash,start,h,limited,asleep,steering,load,q,v,v_before,v_after,"
                          "q_middle,projection",
                          15, 0, NULL},
    [REC_HASHED_CONTACT] = {"contact", "step",
                            "step,n,sleeping,bodies,point,normal,gap,impulse,velocity,"
                            "velocity_before,shift,friction,status,frame_change,early",
                            15, 0, NULL},
    [REC_HASHED_JOINT] = {"joint", "step",
                          "step,value,rate,impulse,effort,rows,start,angle,settled", 9, 0, NULL},
    [REC_HASHED_LEDGER] = {"ledger", "step", "step,t" CN_LEDGER_VALUES(LEDGER_NAME),
                           2 CN_LEDGER_VALUES(LEDGER_ONE), 0 CN_LEDGER_ADDED(LEDGER_ONE),
                           "bonds_broken"},
    [REC_HASHED_EVENT] = {"event", "step", "step,t,text", 3, 0, NULL},
    [REC_HASHED_META] = {"meta", "key", "key,value", 2, 0, NULL},
    [REC_HASHED_MESH] = {"mesh", "body", "body,nodes,kind,elements,surface", 5, 0, NULL},
    [REC_HASHED_NODES] = {"nodes", "step", "step,x,v,v_before", 4, 0, NULL},
    [REC_HASHED_BOND] = {"bond", "id", "id,bodies,numbers,part,weight", 5, 0, NULL},
    [REC_HASHED_DAMAGE] = {"damage", "step", "step,before,during,after,contact,broken", 6, 0, NULL},
    [REC_HASHED_RECORD] = {"record", "step", "step,t,value", 3, 0, NULL},
    [REC_HASHED_SIDE] = {"side", "step", "step,start,body,node,weight", 5, 0, NULL},
};

void rec_hashed_columns(const rec_hashed_table *table, bool has_added, char *text, size_t size) {
    const char *end = table->columns + strlen(table->columns);
    for (int32_t i = 0; !has_added && i < table->added; i++) {
        do {
            end--;
        } while (end > table->columns && *end != ',');
    }
    size_t used = (size_t)snprintf(text, size, "%.*s", (int)(end - table->columns), table->columns);
    for (int32_t i = 0; !has_added && i < table->added && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, ",NULL");
    }
}

static void row_hash_piece(base_hash *hash, char kind, const void *bytes, size_t size) {
    base_hash_add(hash, &kind, 1);
    base_hash_add(hash, bytes, size);
}

void rec_row_hash_int(base_hash *hash, int64_t value) {
    row_hash_piece(hash, 'i', &value, sizeof value);
}

void rec_row_hash_null(base_hash *hash) {
    row_hash_piece(hash, 'n', NULL, 0);
}

void rec_row_hash_real(base_hash *hash, double value) {
    double plain = value + 0.0;
    if (isnan(value)) {
        rec_row_hash_null(hash);
    } else {
        row_hash_piece(hash, 'r', &plain, sizeof plain);
    }
}

static void row_hash_bytes(base_hash *hash, char kind, const void *bytes, size_t size) {
    uint64_t length = size;
    row_hash_piece(hash, kind, &length, sizeof length);
    base_hash_add(hash, bytes, size);
}

void rec_row_hash_text(base_hash *hash, const char *text) {
    row_hash_bytes(hash, 't', text, strlen(text));
}

void rec_row_hash_blob(base_hash *hash, const void *bytes, size_t size) {
    row_hash_bytes(hash, 'b', bytes, size);
}

void rec_row_hash_blob_size(base_hash *hash, size_t size) {
    uint64_t length = size;
    row_hash_piece(hash, 'b', &length, sizeof length);
}

void rec_row_hash_start(base_hash *hash, const char *table) {
    base_hash_start(hash);
    rec_row_hash_text(hash, table);
}

uint64_t rec_row_hash_of(io_statement *select, const rec_hashed_table *table) {
    base_hash hash;
    rec_row_hash_start(&hash, table->name);
    for (int32_t i = 0; i < table->count; i++) {
        if (i >= table->count - table->added && io_column_kind_of(select, i) == IO_COLUMN_NULL) {
            continue;
        }
        size_t size;
        const void *bytes;
        switch (io_column_kind_of(select, i)) {
        case IO_COLUMN_INT:
            rec_row_hash_int(&hash, io_column_int(select, i));
            break;
        case IO_COLUMN_REAL:
            rec_row_hash_real(&hash, io_column_real(select, i));
            break;
        case IO_COLUMN_TEXT:
            rec_row_hash_text(&hash, io_column_text(select, i));
            break;
        case IO_COLUMN_BLOB:
            bytes = io_column_blob(select, i, &size);
            rec_row_hash_blob(&hash, bytes, size);
            break;
        case IO_COLUMN_NULL:
            rec_row_hash_null(&hash);
            break;
        }
    }
    return base_hash_end(&hash);
}
