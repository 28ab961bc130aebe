// lab/e3_curves.h
// Figure 6 of E3 for the whole panel of solvers.
#ifndef CAIRN_LAB_E3_CURVES_H
#define CAIRN_LAB_E3_CURVES_H

#include "lab/lab.h"

void e3_curves(reproduction *lab);

#endif
