// app/commands/info.h
// What `cairn info` says of run files and scenes; problems are in info.c.
#ifndef CAIRN_APP_COMMANDS_INFO_H
#define CAIRN_APP_COMMANDS_INFO_H

#include <stdbool.h>
#include <stdint.h>

// Each prints and returns an exit code.
int info_run(const char *path, bool json);
int info_scene(const char *path, bool json);

int64_t file_bytes(const char *path); // 0 when it is not known

#endif
