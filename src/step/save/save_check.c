// step/save/save_check.c
// Whether bytes are a state that a sim can take. They come from files, which may be damaged or made
// by somebody else: the checksum finds what happened by accident, and whatever it says every count,
// index and number is looked at before anything is taken.
#include "step/save/save.h"

#include "step/bonds/bonds.h"

#include "base/error.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define STEP_MAX (INT64_C(1) << 53) // steps that a time in doubles can tell apart
#define UNIT_SLACK 1e-6             // of a quaternion's length
#define PAST_MAX                                                                                   \
    (MODEL_PAST_SLID | MODEL_PAST_PRESSED | MODEL_PAST_PRESSED_TWICE | MODEL_PAST_SUSTAINED)

static cn_status save_refuse(cn_error *error, const char *what) {
    return base_fail(error, CN_ERR_INPUT, "the checkpoint is damaged: %s", what);
}

// Where the check has come to; numbers are not aligned.
typedef struct byte_reader {
    const unsigned char *at;
} byte_reader;

static double read_number(byte_reader *from) {
    double x;
    memcpy(&x, from->at, sizeof x);
    from->at += sizeof x;
    return x;
}

// A double is infinite or NaN where all bits of its exponent are set; one more then carries into
// the sign. In integers, so that the compiler takes several numbers at a time.
static bool read_finite(byte_reader *from, int64_t count) {
    const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
    uint64_t carried = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, from->at + sizeof bits * (size_t)i, sizeof bits);
        carried |= (bits & exponent) + one;
    }
    from->at += sizeof(double) * (size_t)count;
    return carried >> 63 == 0;
}

static bool read_poses(byte_reader *from, int32_t dim, int32_t bodies) {
    bool sound = true;
    for (int32_t i = 0; i < bodies; i++) {
        sound = read_finite(from, 3) && sound;
        double square = 0.0;
        for (int32_t k = 3; k < model_pose_size(dim); k++) {
            double x = read_number(from);
            square += x * x;
        }
        sound = sound && (dim == 2 || fabs(square - 1.0) < UNIT_SLACK);
    }
    return sound;
}

static bool key_is_sound(const cn_sim *sim, const model_contact_key *key) {
    int32_t bodies = sim->model->body_count;
    return key->candidate >= 0 && key->candidate < bodies && key->antagonist >= 0 &&
           key->antagonist < bodies && key->candidate != key->antagonist;
}

// The impulses of the last step, by their keys.
static const char *check_impulses(const cn_sim *sim, const step_save_head *head,
                                  byte_reader *from) {
    model_contact_key key, last = {0, 0, 0};
    if (!read_finite(from, 3 * (int64_t)head->impulses)) {
        return "an impulse is not finite";
    }
    for (int32_t i = 0; i < head->impulses; i++, from->at += sizeof key) {
        memcpy(&key, from->at, sizeof key);
        // A system's contacts have the same body on both sides, but their states are none of these.
        if (!key_is_sound(sim, &key)) {
            return "a contact names a body that is not there";
        }
        if (i > 0 && !model_key_before(&last, &key)) {
            return "its contacts are not in order";
        }
        last = key;
    }
    for (int32_t i = 0; i < head->impulses; i++) {
        if (*from->at++ > PAST_MAX) {
            return "the past of a contact is unknown";
        }
    }
    if (head->motion && !read_finite(from, 7 * (int64_t)head->impulses)) {
        return "the motion of a contact is not finite";
    }
    return NULL;
}

_Static_assert(sizeof(model_contact_motion) == 7 * sizeof(double), "all of it is numbers");

static const char *check_steering(const cn_sim *sim, byte_reader *from) {
    step_save_steering steered;
    memcpy(&steered, from->at, sizeof steered);
    from->at += sizeof steered;
    bool sound =
        isfinite(steered.work) && sim_check_steering(sim->model, &steered.steering, NULL) == CN_OK;
    return sound ? NULL : "its steering is out of range";
}

// Contacts in sorted lists, one after the other; wrong: what is said of one that is not sound.
static const char *check_stored(const cn_sim *sim, int64_t count, int32_t lists_max,
                                const char *wrong, byte_reader *from) {
    model_contact_key key, last = {0, 0, 0};
    int32_t lists = 1;
    for (int64_t i = 0; i < count; i++, from->at += sizeof(step_stored_contact)) {
        byte_reader numbers = {from->at + offsetof(step_stored_contact, contact.point)};
        byte_reader friction = {from->at + offsetof(step_stored_contact, friction)};
        memcpy(&key, from->at + offsetof(step_stored_contact, contact.key), sizeof key);
        lists += i > 0 && !model_key_before(&last, &key);
        last = key;
        if (!key_is_sound(sim, &key) || lists > lists_max || !read_finite(&numbers, 7 + 4) ||
            from->at[offsetof(step_stored_contact, status)] > 2 ||
            !(read_number(&friction) >= 0.0)) {
            return wrong;
        }
    }
    return NULL;
}

_Static_assert(offsetof(step_stored_contact, friction) + sizeof(double) ==
                   offsetof(step_stored_contact, contact.point) + (7 + 4) * sizeof(double),
               "point, normal, gap, impulse and friction lie together");

static const char *check_sleep(const cn_sim *sim, size_t size, byte_reader *from) {
    size_t fixed = step_save_sleep_size(sim);
    int32_t bodies = sim->model->body_count, island;
    int64_t count = 0;
    if (fixed == 0 || size < fixed) {
        return size == fixed ? NULL : "its size does not fit";
    }
    for (int32_t i = 0; i < bodies; i++) {
        double slow = read_number(from);
        if (!(slow >= 0.0 && slow < HUGE_VAL)) {
            return "how long a body has been slow is out of range";
        }
    }
    if (!read_finite(from, 6 * (int64_t)bodies)) {
        return "the load of a body at rest is not finite";
    }
    for (int32_t i = 0; i < bodies; i++, from->at += sizeof island) {
        memcpy(&island, from->at, sizeof island);
        if (island < -1 || island >= bodies) {
            return "an island of bodies that sleep is out of range";
        }
    }
    memcpy(&count, from->at, sizeof count);
    from->at += sizeof count;
    if (count < 0 || (size - fixed) % sizeof(step_stored_contact) != 0 ||
        (uint64_t)count != (size - fixed) / sizeof(step_stored_contact)) {
        return "its size does not fit";
    }
    return check_stored(sim, count, 2, "a contact of bodies that sleep is out of range", from);
}

// What the head says against the model and the size; NULL: all of it fits.
static const char *check_head(const cn_sim *sim, const step_save_head *head, size_t size) {
    const cn_model *model = sim->model;
    if (head->impulses < 0 || head->contacts < 0) {
        return "it has a negative number of impulses or contacts";
    }
    if (head->step < 0 || head->step > STEP_MAX) {
        return "its step is out of range";
    }
    if (!(head->last_h >= 0.0 && head->last_h < HUGE_VAL) || !(head->drift_limit > 0.0)) {
        return "the length of its last step is out of range";
    }
    if ((head->steered != 0 && head->steered != 1) || (head->outside & ~STEP_SAVE_OUTSIDE) != 0 ||
        head->unused != 0) {
        return "its head is out of range";
    }
    return size < step_save_size(head, step_save_other_numbers(model, step_bonds_count(sim->bonds)))
               ? "it is cut short"
               : NULL;
}

static const char *check_arrays(const cn_sim *sim, const step_save_head *head,
                                const unsigned char *bytes, size_t size) {
    const cn_model *model = sim->model;
    byte_reader from = {bytes + sizeof *head + head->journal};
    if (!read_poses(&from, head->dim, head->bodies)) {
        return "a pose is not one";
    }
    int64_t nodes = (int64_t)model->dim * model->node_count;
    if (!read_finite(&from, nodes)) {
        return "a displacement of a node is not finite";
    }
    if (!read_finite(&from, (int64_t)model_velocity_size(head->dim) * head->bodies + nodes)) {
        return "a velocity is not finite";
    }
    if (!read_finite(&from, model->joint_row_count + 2 * (int64_t)model->joint_count)) {
        return "an impulse or angle of a joint is not finite";
    }
    from.at += sizeof(double) * (size_t)step_control_count(model); // controllers may store anything
    if (!read_finite(&from, model->inputs.count)) {
        return "an input is not finite";
    }
    for (int32_t b = 0; b < step_bonds_count(sim->bonds); b++) {
        double damage = read_number(&from);
        if (!((damage >= 0.0 && damage <= 1.0) || damage == MODEL_BOND_RELEASED)) {
            return "the damage of a bond is out of range";
        }
    }
    const char *wrong = check_impulses(sim, head, &from);
    int32_t loads = !!(head->outside & STEP_SAVE_HELD) + !!(head->outside & STEP_SAVE_ONCE);
    if (!wrong && !read_finite(&from, 6 * (int64_t)head->bodies * loads)) {
        wrong = "a load is not finite";
    }
    wrong = wrong ? wrong
                  : check_stored(sim, head->contacts, 1,
                                 "a contact of the last step is out of range", &from);
    wrong = !wrong && head->steered ? check_steering(sim, &from) : wrong;
    size_t awake =
        step_save_size(head, step_save_other_numbers(model, step_bonds_count(sim->bonds)));
    return wrong ? wrong : check_sleep(sim, size - awake, &from);
}

cn_status step_save_check_bytes(const void *bytes, size_t size, cn_error *error) {
    step_save_head head;
    if (size < sizeof head) {
        return save_refuse(error, "it is cut short");
    }
    memcpy(&head, bytes, sizeof head);
    if (head.magic != STEP_SAVE_MAGIC) {
        base_fail(error, CN_ERR_INPUT, "the checkpoint is none, or of another version of cairn");
        base_fail_hint(error,
                       "resume with the version that wrote the file, or run its scene again");
        return CN_ERR_INPUT;
    }
    uint64_t checksum = head.checksum;
    head.checksum = 0;
    const base_hash_part parts[] = {
        {&head, sizeof head}, {(const unsigned char *)bytes + sizeof head, size - sizeof head}};
    if (base_hash_parts(parts, 2) != checksum) {
        return save_refuse(error, "its checksum does not fit");
    }
    if (head.journal < 0 || (uint64_t)head.journal > size - sizeof head) {
        return save_refuse(error, "it is cut short");
    }
    return CN_OK;
}

cn_status step_save_check(const cn_sim *sim, const void *bytes, size_t size, cn_error *error) {
    const cn_model *model = sim->model;
    step_save_head head;
    memcpy(&head, bytes, sizeof head);
    if (head.dim != model->dim || head.bodies != model->body_count ||
        head.motion != model->stores_motion) {
        return base_fail(error, CN_ERR_INPUT,
                         "the checkpoint is of another model: %d bodies in %dD, not %d in %dD",
                         (int)head.bodies, (int)head.dim, (int)model->body_count, (int)model->dim);
    }
    const char *wrong = check_head(sim, &head, size);
    wrong = wrong ? wrong : check_arrays(sim, &head, bytes, size);
    return wrong ? save_refuse(error, wrong) : CN_OK;
}
