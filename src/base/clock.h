// base/clock.h
// Time for reports and limits only; nothing that decides an answer may read it.
#ifndef CAIRN_BASE_CLOCK_H
#define CAIRN_BASE_CLOCK_H

double cn_clock_cpu(void); // [s] CPU time of this thread

#endif
