// cairn/source.h
// Where something was written, for errors found later.
#ifndef CAIRN_SOURCE_H
#define CAIRN_SOURCE_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// A place in a scene file; file NULL: none. line and column count from 1.
typedef struct cn_source {
    const char *file;
    int32_t line, column;
} cn_source;

#ifdef __cplusplus
}
#endif
#endif
