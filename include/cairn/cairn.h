// cairn/cairn.h
// The whole public face of libcairn.
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <cairn/base.h>
#include <cairn/eliminate.h>
#include <cairn/formulation.h>
#include <cairn/mcp.h>
#include <cairn/model.h>
#include <cairn/plugin.h>
#include <cairn/problem.h>
#include <cairn/record.h>
#include <cairn/scene.h>
#include <cairn/sim.h>
#include <cairn/solve.h>
#include <cairn/system.h>

#endif
