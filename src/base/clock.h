// base/clock.h
// Time for reports and limits only; nothing that decides an answer may read it.
#ifndef CAIRN_BASE_CLOCK_H
#define CAIRN_BASE_CLOCK_H

double base_clock_cpu(void); // [s] CPU time of this thread; a call of the system, a microsecond
double
base_clock_steady(void); // [s] since some time in the past, whoever runs; twenty times cheaper

#endif
