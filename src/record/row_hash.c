// record/row_hash.c
#include "record/row_hash.h"

#include <cairn/record.h>

#include <math.h>
#include <string.h>

#define CN_LEDGER_NAME(name, kind) "," #name
#define CN_LEDGER_ONE(name, kind) +1

const cn_hashed_table cn_hashed_tables[CN_HASHED_TABLES] = {
    [CN_HASHED_BODY] = {"body", "id", "id,name,kind,material,mass,com,inertia,shape", 8},
    [CN_HASHED_FRAME] = {"frame", "step",
                         "step,t,hash,start,h,limited,asleep,steering,load,q,v,v_before,v_after,"
                         "q_middle,projection",
                         15},
    [CN_HASHED_CONTACT] = {"contact", "step",
                           "step,n,sleeping,bodies,point,normal,gap,impulse,velocity,"
                           "velocity_before,shift,friction,status,frame_change,early",
                           15},
    [CN_HASHED_JOINT] = {"joint", "step", "step,value,rate,impulse,effort,rows,start,angle,settled",
                         9},
    [CN_HASHED_LEDGER] = {"ledger", "step", "step,t" CN_LEDGER_VALUES(CN_LEDGER_NAME),
                          2 CN_LEDGER_VALUES(CN_LEDGER_ONE)},
    [CN_HASHED_EVENT] = {"event", "step", "step,t,text", 3},
    [CN_HASHED_META] = {"meta", "key", "key,value", 2},
};

static void cn_row_hash_piece(cn_hash *hash, char kind, const void *bytes, size_t size) {
    cn_hash_add(hash, &kind, 1);
    cn_hash_add(hash, bytes, size);
}

void cn_row_hash_int(cn_hash *hash, int64_t value) {
    cn_row_hash_piece(hash, 'i', &value, sizeof value);
}

void cn_row_hash_null(cn_hash *hash) {
    cn_row_hash_piece(hash, 'n', NULL, 0);
}

void cn_row_hash_real(cn_hash *hash, double value) {
    double plain = value + 0.0;
    if (isnan(value)) {
        cn_row_hash_null(hash);
    } else {
        cn_row_hash_piece(hash, 'r', &plain, sizeof plain);
    }
}

static void cn_row_hash_bytes(cn_hash *hash, char kind, const void *bytes, size_t size) {
    uint64_t length = size;
    cn_row_hash_piece(hash, kind, &length, sizeof length);
    cn_hash_add(hash, bytes, size);
}

void cn_row_hash_text(cn_hash *hash, const char *text) {
    cn_row_hash_bytes(hash, 't', text, strlen(text));
}

void cn_row_hash_blob(cn_hash *hash, const void *bytes, size_t size) {
    cn_row_hash_bytes(hash, 'b', bytes, size);
}

void cn_row_hash_blob_size(cn_hash *hash, size_t size) {
    uint64_t length = size;
    cn_row_hash_piece(hash, 'b', &length, sizeof length);
}

void cn_row_hash_start(cn_hash *hash, const char *table) {
    cn_hash_start(hash);
    cn_row_hash_text(hash, table);
}

uint64_t cn_row_hash_of(cn_statement *select, const char *table, int32_t count) {
    cn_hash hash;
    cn_row_hash_start(&hash, table);
    for (int32_t i = 0; i < count; i++) {
        size_t size;
        const void *bytes;
        switch (cn_column_kind_of(select, i)) {
        case CN_COLUMN_INT:
            cn_row_hash_int(&hash, cn_column_int(select, i));
            break;
        case CN_COLUMN_REAL:
            cn_row_hash_real(&hash, cn_column_real(select, i));
            break;
        case CN_COLUMN_TEXT:
            cn_row_hash_text(&hash, cn_column_text(select, i));
            break;
        case CN_COLUMN_BLOB:
            bytes = cn_column_blob(select, i, &size);
            cn_row_hash_blob(&hash, bytes, size);
            break;
        case CN_COLUMN_NULL:
            cn_row_hash_null(&hash);
            break;
        }
    }
    return cn_hash_end(&hash);
}
