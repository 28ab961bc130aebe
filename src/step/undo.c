// step/undo.c
// A step that fails or is cancelled leaves the state as it was. Most steps change it at their end
// only; those in parts, with bodies that sleep or with controllers change it on the way, and store
// it first.
#include "step/save/save.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static bool protect_bodies(cn_sim *sim) {
    step_save save;
    bool stored = true;
    sim_parts(sim, false, &save); // which needs no memory
    for (int32_t i = 0; stored && i < save.count; i++) {
        stored = base_buffer_append(&sim->backup, save.part[i].bytes, save.part[i].size);
    }
    return stored;
}

static bool protect_system(cn_sim *sim) {
    void *bytes = NULL;
    size_t size = 0;
    bool stored = sim_system_save(sim, &bytes, &size) == CN_OK &&
                  base_buffer_append(&sim->backup, bytes, size);
    cn_sim_free(sim, bytes, size);
    return stored;
}

cn_status sim_protect(cn_sim *sim, cn_error *error) {
    if (sim->protects) {
        return CN_OK;
    }
    sim->backup.size = 0;
    bool stored = sim->system ? protect_system(sim) : protect_bodies(sim);
    sim->protects = stored;
    return stored ? CN_OK : base_fail_memory(error);
}

void sim_undo(cn_sim *sim) {
    if (sim->protects) {
        cn_steering steering = sim->steering; // of a system, it is stored when the next step begins
        cn_sim_load(sim, sim->backup.data, sim->backup.size, NULL);
        sim->steering = steering;
    } else if (!sim->system) {
        sim->last = (step_data){0};
        sim->previous.count = 0;
        sim->restored = false;
        det_detector_rest(sim->detector, NULL);
        det_detector_reset(sim->detector);
    }
    if (sim->held.size > 0) {
        memcpy(sim->control->held, sim->held.data, sim->held.size);
    }
    sim->protects = false;
}
