// app/commands/demo.h
// The demonstrations that are not a scene of the gallery.
#ifndef CAIRN_APP_COMMANDS_DEMO_H
#define CAIRN_APP_COMMANDS_DEMO_H

#include <stdint.h>

// Solves a generated problem in several ways; files go to the folder, which exists. Returns an
// exit code.
int demo_solvers(const char *folder, int32_t contacts);

#endif
