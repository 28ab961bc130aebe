// cairn/cairn.h
// All public headers of libcairn. Each of the others is the face of one part of the library, and
// includes only those of parts that it stands on.
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <cairn/act.h>
#include <cairn/base.h>
#include <cairn/body.h>
#include <cairn/check.h>
#include <cairn/eliminate.h>
#include <cairn/formulation.h>
#include <cairn/joint.h>
#include <cairn/mcp.h>
#include <cairn/model.h>
#include <cairn/ncp.h>
#include <cairn/outcome.h>
#include <cairn/plugin.h>
#include <cairn/problem.h>
#include <cairn/query.h>
#include <cairn/record.h>
#include <cairn/scene.h>
#include <cairn/settings.h>
#include <cairn/shape.h>
#include <cairn/signal.h>
#include <cairn/sim.h>
#include <cairn/solve.h>
#include <cairn/source.h>
#include <cairn/sparse.h>
#include <cairn/system.h>

#endif
