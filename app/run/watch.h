// app/run/watch.h
// Whether a scene was edited, for `cairn run --watch`.
#ifndef CAIRN_APP_RUN_WATCH_H
#define CAIRN_APP_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>

// A number for the state of the scene and of the files beside it that it may include: it changes
// when one of them is written, added or removed.
uint64_t scene_stamp(const char *scene);
// Waits until the number is another one; false: interrupted before.
bool scene_wait(const char *scene, uint64_t stamp);

#endif
