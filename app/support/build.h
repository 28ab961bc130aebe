// app/support/build.h
// How this command was built, for the provenance of run files: CN_GIT_HASH ("unknown" outside git),
// CN_BUILD_FLAGS (compiler and flags).
#ifndef CAIRN_APP_SUPPORT_BUILD_H
#define CAIRN_APP_SUPPORT_BUILD_H

#include "git_hash.h" // made by cmake/git_hash.cmake

#ifndef CN_BUILD_FLAGS
#define CN_BUILD_FLAGS "unknown"
#endif

#endif
