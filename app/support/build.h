// app/support/build.h
// How this command was built, for the provenance of run files: GIT_HASH ("unknown" outside git),
// BUILD_FLAGS (compiler and flags).
#ifndef CAIRN_APP_SUPPORT_BUILD_H
#define CAIRN_APP_SUPPORT_BUILD_H

#include "git_hash.h" // made by cmake/git_hash.cmake

#ifndef BUILD_FLAGS
#define BUILD_FLAGS "unknown"
#endif

#endif
