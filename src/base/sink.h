// base/sink.h
// A stream that swallows what is written to it, for libraries that insist on printing.
#ifndef CAIRN_BASE_SINK_H
#define CAIRN_BASE_SINK_H

#include <stdio.h>

FILE *base_sink_open(void); // NULL: no memory
void base_sink_close(FILE *sink);

#endif
