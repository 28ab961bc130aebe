// app/web/request.c
// Requests of the page; see request.h. One table says which fields an op has, where they go and
// what they may be.
#include "web/request.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define STEP_MAX 4294967295.0 // steps are 32 bits in messages
#define NUMBERS_MAX 1e9       // [m], [N/m], [m/s2]: what a person may ask for

typedef enum field_kind {
    FIELD_INT,  // int64_t
    FIELD_ID,   // uint32_t
    FIELD_REAL, // double
    FIELD_VECTOR,
    FIELD_BODY // int64_t below the number of bodies
} field_kind;

typedef struct request_field {
    const char *name;
    field_kind kind;
    size_t offset;
    double min, max;
    double fallback; // NaN: the field must be there
} request_field;

#define AT(member) offsetof(page_request, member)
#define NEEDED ((double)NAN)
#define FIELDS_MAX 5

typedef struct op_row {
    const char *name;
    request_field fields[FIELDS_MAX]; // ends with a NULL name
} op_row;

#define ID_FIELD                                                                                   \
    { "id", FIELD_ID, AT(id), 0, STEP_MAX, 0 }
#define N_FIELD                                                                                    \
    { "n", FIELD_INT, AT(n), 0, STEP_MAX, 0 }

static const op_row request_ops[REQUEST_OPS] = {
    [ASK_HELLO] = {"hello", {{"v", FIELD_INT, AT(n), 1, 1, NEEDED}}},
    [ASK_FRAME] = {"frame", {ID_FIELD, {"step", FIELD_INT, AT(step), 0, STEP_MAX, NEEDED}}},
    [ASK_LEDGER] = {"ledger",
                    {ID_FIELD,
                     {"from", FIELD_INT, AT(from), 0, STEP_MAX, 0},
                     {"to", FIELD_INT, AT(to), 0, STEP_MAX, STEP_MAX},
                     {"bins", FIELD_INT, AT(bins), 1, 65536, 2048}}},
    [ASK_SERIES] = {"series",
                    {ID_FIELD,
                     {"body", FIELD_BODY, AT(body), 0, STEP_MAX, NEEDED},
                     {"points", FIELD_INT, AT(points), 2, 65536, 2048}}},
    [ASK_ACK] = {"ack", {{"step", FIELD_INT, AT(step), 0, STEP_MAX, 0}}},
    [ASK_CANCEL] = {"cancel", {ID_FIELD}},
    [DO_PAUSE] = {"pause", {N_FIELD}},
    [DO_RESUME] = {"resume", {N_FIELD}},
    [DO_STEP] = {"step", {N_FIELD, {"count", FIELD_INT, AT(count), 1, 1000, 1}}},
    [DO_RESET] = {"reset", {N_FIELD}},
    [DO_SPEED] = {"speed", {N_FIELD, {"value", FIELD_REAL, AT(value), 0, 16, NEEDED}}},
    [DO_GRAVITY] = {"gravity",
                    {N_FIELD,
                     {"value", FIELD_VECTOR, AT(vector), -NUMBERS_MAX, NUMBERS_MAX, NEEDED}}},
    [DO_FRICTION] = {"friction", {N_FIELD, {"value", FIELD_REAL, AT(value), 0, 1000, NEEDED}}},
    [DO_DRAG] = {"drag",
                 {N_FIELD,
                  {"body", FIELD_BODY, AT(body), 0, STEP_MAX, NEEDED},
                  {"point", FIELD_VECTOR, AT(point), -NUMBERS_MAX, NUMBERS_MAX, NEEDED},
                  {"target", FIELD_VECTOR, AT(target), -NUMBERS_MAX, NUMBERS_MAX, NEEDED},
                  {"k", FIELD_REAL, AT(k), 0, NUMBERS_MAX, NEEDED}}},
    [DO_RELEASE] = {"release", {N_FIELD}},
};

bool request_is_command(request_op op) {
    return op >= DO_PAUSE;
}

// A number within the field's range; whole where it must be.
static bool number_fits(const cJSON *item, const request_field *field, bool whole) {
    double x = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    return x >= field->min && x <= field->max && (!whole || x == floor(x));
}

static bool field_vector(const cJSON *item, const request_field *field, int32_t dim, double *out) {
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != dim) {
        return false;
    }
    int32_t i = 0;
    const cJSON *part;
    cJSON_ArrayForEach(part, item) {
        if (!number_fits(part, field, false)) {
            return false;
        }
        out[i++] = part->valuedouble;
    }
    return true;
}

static bool field_read(const cJSON *item, const request_field *field, int32_t dim, int32_t bodies,
                       page_request *out) {
    unsigned char *to = (unsigned char *)out + field->offset;
    double value = item ? item->valuedouble : field->fallback;
    int64_t whole;
    uint32_t id;
    if (field->kind == FIELD_VECTOR) {
        return item && field_vector(item, field, dim, (double *)(void *)to);
    }
    if (item ? !number_fits(item, field, field->kind != FIELD_REAL) : isnan(value)) {
        return false;
    }
    switch (field->kind) {
    case FIELD_REAL:
        memcpy(to, &value, sizeof value);
        return true;
    case FIELD_ID:
        id = (uint32_t)value;
        memcpy(to, &id, sizeof id);
        return true;
    case FIELD_INT:
    case FIELD_BODY:
        whole = (int64_t)value;
        memcpy(to, &whole, sizeof whole);
        return field->kind == FIELD_INT || whole < bodies;
    case FIELD_VECTOR:
        break;
    }
    return false;
}

static bool request_fill(const cJSON *json, int32_t dim, int32_t bodies, page_request *out,
                         const char **why) {
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "op"));
    int32_t op = 0;
    while (name && op < REQUEST_OPS && strcmp(request_ops[op].name, name) != 0) {
        op++;
    }
    if (!name || op == REQUEST_OPS) {
        *why = "the message has no op that is known";
        return false;
    }
    out->op = (request_op)op;
    const request_field *field = request_ops[op].fields;
    for (int32_t i = 0; i < FIELDS_MAX && field[i].name; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, field[i].name);
        if (!field_read(item, &field[i], dim, bodies, out)) {
            *why = "a field is missing, of the wrong kind or out of its range";
            return false;
        }
    }
    return true;
}

bool request_read(const char *text, size_t size, int32_t dim, int32_t bodies, page_request *out,
                  const char **why) {
    *out = (page_request){.op = ASK_HELLO};
    *why = "the message is not a JSON object";
    if (size > REQUEST_SIZE) {
        *why = "the message is too long";
        return false;
    }
    cJSON *json = cJSON_ParseWithLength(text, size);
    bool good = cJSON_IsObject(json) && request_fill(json, dim, bodies, out, why);
    cJSON_Delete(json);
    return good;
}
