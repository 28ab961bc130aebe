// app/web/request.c
// Requests of the page; see request.h. One table says which fields an op has, where they go and
// what they may be.
#include "web/request.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define CN_STEP_MOST 4294967295.0 // steps are 32 bits in messages
#define CN_SIZE_MOST 1e9          // [m], [N/m], [m/s2]: what a person may ask for

typedef enum cn_field_kind {
    CN_FIELD_INT,  // int64_t
    CN_FIELD_ID,   // uint32_t
    CN_FIELD_REAL, // double
    CN_FIELD_VECTOR,
    CN_FIELD_BODY // int64_t below the number of bodies
} cn_field_kind;

typedef struct cn_field {
    const char *name;
    cn_field_kind kind;
    size_t offset;
    double min, max;
    double fallback; // NaN: the field must be there
} cn_field;

#define CN_AT(member) offsetof(cn_request, member)
#define CN_NEEDED ((double)NAN)
#define CN_FIELDS_MOST 5

typedef struct cn_op_row {
    const char *name;
    cn_field fields[CN_FIELDS_MOST]; // ends with a NULL name
} cn_op_row;

#define CN_ID                                                                                      \
    { "id", CN_FIELD_ID, CN_AT(id), 0, CN_STEP_MOST, 0 }
#define CN_N                                                                                       \
    { "n", CN_FIELD_INT, CN_AT(n), 0, CN_STEP_MOST, 0 }

static const cn_op_row cn_ops[CN_REQUEST_OPS] = {
    [CN_ASK_HELLO] = {"hello", {{"v", CN_FIELD_INT, CN_AT(n), 1, 1, CN_NEEDED}}},
    [CN_ASK_FRAME] = {"frame",
                      {CN_ID, {"step", CN_FIELD_INT, CN_AT(step), 0, CN_STEP_MOST, CN_NEEDED}}},
    [CN_ASK_LEDGER] = {"ledger",
                       {CN_ID,
                        {"from", CN_FIELD_INT, CN_AT(from), 0, CN_STEP_MOST, 0},
                        {"to", CN_FIELD_INT, CN_AT(to), 0, CN_STEP_MOST, CN_STEP_MOST},
                        {"bins", CN_FIELD_INT, CN_AT(bins), 1, 65536, 2048}}},
    [CN_ASK_SERIES] = {"series",
                       {CN_ID,
                        {"body", CN_FIELD_BODY, CN_AT(body), 0, CN_STEP_MOST, CN_NEEDED},
                        {"points", CN_FIELD_INT, CN_AT(points), 2, 65536, 2048}}},
    [CN_ASK_ACK] = {"ack", {{"step", CN_FIELD_INT, CN_AT(step), 0, CN_STEP_MOST, 0}}},
    [CN_ASK_CANCEL] = {"cancel", {CN_ID}},
    [CN_DO_PAUSE] = {"pause", {CN_N}},
    [CN_DO_RESUME] = {"resume", {CN_N}},
    [CN_DO_STEP] = {"step", {CN_N, {"count", CN_FIELD_INT, CN_AT(count), 1, 1000, 1}}},
    [CN_DO_RESET] = {"reset", {CN_N}},
    [CN_DO_SPEED] = {"speed", {CN_N, {"value", CN_FIELD_REAL, CN_AT(value), 0, 16, CN_NEEDED}}},
    [CN_DO_GRAVITY] = {"gravity",
                       {CN_N,
                        {"value", CN_FIELD_VECTOR, CN_AT(vector), -CN_SIZE_MOST, CN_SIZE_MOST,
                         CN_NEEDED}}},
    [CN_DO_FRICTION] = {"friction",
                        {CN_N, {"value", CN_FIELD_REAL, CN_AT(value), 0, 1000, CN_NEEDED}}},
    [CN_DO_DRAG] =
        {"drag",
         {CN_N,
          {"body", CN_FIELD_BODY, CN_AT(body), 0, CN_STEP_MOST, CN_NEEDED},
          {"point", CN_FIELD_VECTOR, CN_AT(point), -CN_SIZE_MOST, CN_SIZE_MOST, CN_NEEDED},
          {"target", CN_FIELD_VECTOR, CN_AT(target), -CN_SIZE_MOST, CN_SIZE_MOST, CN_NEEDED},
          {"k", CN_FIELD_REAL, CN_AT(k), 0, CN_SIZE_MOST, CN_NEEDED}}},
    [CN_DO_RELEASE] = {"release", {CN_N}},
};

bool cn_request_is_command(cn_request_op op) {
    return op >= CN_DO_PAUSE;
}

// A number within the field's range; whole where it must be.
static bool cn_number_fits(const cJSON *item, const cn_field *field, bool whole) {
    double x = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    return x >= field->min && x <= field->max && (!whole || x == floor(x));
}

static bool cn_field_vector(const cJSON *item, const cn_field *field, int32_t dim, double *out) {
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != dim) {
        return false;
    }
    int32_t i = 0;
    const cJSON *part;
    cJSON_ArrayForEach(part, item) {
        if (!cn_number_fits(part, field, false)) {
            return false;
        }
        out[i++] = part->valuedouble;
    }
    return true;
}

static bool cn_field_read(const cJSON *item, const cn_field *field, int32_t dim, int32_t bodies,
                          cn_request *out) {
    unsigned char *to = (unsigned char *)out + field->offset;
    double value = item ? item->valuedouble : field->fallback;
    int64_t whole;
    uint32_t id;
    if (field->kind == CN_FIELD_VECTOR) {
        return item && cn_field_vector(item, field, dim, (double *)(void *)to);
    }
    if (item ? !cn_number_fits(item, field, field->kind != CN_FIELD_REAL) : isnan(value)) {
        return false;
    }
    switch (field->kind) {
    case CN_FIELD_REAL:
        memcpy(to, &value, sizeof value);
        return true;
    case CN_FIELD_ID:
        id = (uint32_t)value;
        memcpy(to, &id, sizeof id);
        return true;
    case CN_FIELD_INT:
    case CN_FIELD_BODY:
        whole = (int64_t)value;
        memcpy(to, &whole, sizeof whole);
        return field->kind == CN_FIELD_INT || whole < bodies;
    case CN_FIELD_VECTOR:
        break;
    }
    return false;
}

static bool cn_request_fill(const cJSON *json, int32_t dim, int32_t bodies, cn_request *out,
                            const char **why) {
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "op"));
    int32_t op = 0;
    while (name && op < CN_REQUEST_OPS && strcmp(cn_ops[op].name, name) != 0) {
        op++;
    }
    if (!name || op == CN_REQUEST_OPS) {
        *why = "the message has no op that is known";
        return false;
    }
    out->op = (cn_request_op)op;
    const cn_field *field = cn_ops[op].fields;
    for (int32_t i = 0; i < CN_FIELDS_MOST && field[i].name; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, field[i].name);
        if (!cn_field_read(item, &field[i], dim, bodies, out)) {
            *why = "a field is missing, of the wrong kind or out of its range";
            return false;
        }
    }
    return true;
}

bool cn_request_read(const char *text, size_t size, int32_t dim, int32_t bodies, cn_request *out,
                     const char **why) {
    *out = (cn_request){.op = CN_ASK_HELLO};
    *why = "the message is not a JSON object";
    if (size > CN_REQUEST_SIZE) {
        *why = "the message is too long";
        return false;
    }
    cJSON *json = cJSON_ParseWithLength(text, size);
    bool good = cJSON_IsObject(json) && cn_request_fill(json, dim, bodies, out, why);
    cJSON_Delete(json);
    return good;
}
