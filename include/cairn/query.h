// cairn/query.h
// The geometry of a simulation, to be asked: what a ray hits, what overlaps a shape, what is
// nearest to a point.
//
//     cn_query *query;
//     cn_query_create(sim, &query, &error);
//     cn_query_hit hit;
//     cn_query_ray(query, origin, direction, 100.0, NULL, &hit);   // hit.body 0: nothing
//     ... cn_sim_step(sim, ...);
//     cn_query_update(query, sim, &error);
//
// A query is the bodies as they stood when it was created or updated: later steps do not change it,
// so any number of threads may ask it at the same time. Spheres, boxes, capsules, cylinders,
// ellipsoids, polyhedra, planes, disks, ellipses, polygons, lines and rings are exact; answers do
// not depend on the order of bodies, but for equal distances, of which the lower body counts.
// Lengths [m], world axes; in 2D the third number of a vector is ignored.
#ifndef CAIRN_QUERY_H
#define CAIRN_QUERY_H

#include <cairn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cn_query cn_query;

// Which bodies are asked; NULL in a call: all.
typedef struct cn_query_filter {
    cn_body_id ignore;                           // not this one; 0: none
    bool (*accept)(void *user, cn_body_id body); // true: ask it; NULL: all
    void *user;
} cn_query_filter;

typedef struct cn_query_hit {
    cn_body_id body;  // 0: there is none
    int32_t shape;    // of the body, from 0
    double point[3];  // on its surface
    double normal[3]; // unit, out of the body
    double distance;  // along the ray; or the gap, negative where they overlap
} cn_query_hit;

CN_API cn_status cn_query_create(const cn_sim *sim, cn_query **out, cn_error *error);
// The bodies as they stand now, of the simulation it was created from. After bodies were added or
// removed, or a state with others was loaded, a query must be updated before it is asked.
CN_API cn_status cn_query_update(cn_query *query, const cn_sim *sim, cn_error *error);
CN_API void cn_query_destroy(cn_query *query);

// The calls below give CN_ERR_ARGUMENT for numbers that are not finite, a null direction and a
// negative reach.

// The first that a ray hits within reach. A ray that begins inside a body hits it there, at
// distance 0, with the normal against the ray. direction need not be a unit vector.
CN_API cn_status cn_query_ray(const cn_query *query, const double origin[3],
                              const double direction[3], double reach,
                              const cn_query_filter *filter, cn_query_hit *hit);
// All that it enters, once per shape, sorted by distance. *count may be more than the capacity;
// then the nearest are given.
CN_API cn_status cn_query_ray_all(const cn_query *query, const double origin[3],
                                  const double direction[3], double reach,
                                  const cn_query_filter *filter, cn_query_hit *hits,
                                  int32_t capacity, int32_t *count);
// The nearest to a point within reach; distance is negative inside a body.
CN_API cn_status cn_query_closest(const cn_query *query, const double point[3], double reach,
                                  const cn_query_filter *filter, cn_query_hit *hit);
// All within margin of a shape that its definition places in the world, once per shape, the nearest
// first: distance is the gap, the least way out where they overlap; point lies midway. *count as
// above. Planes, lines and rings cannot be asked about.
CN_API cn_status cn_query_overlap(const cn_query *query, const cn_shape_def *shape, double margin,
                                  const cn_query_filter *filter, cn_query_hit *hits,
                                  int32_t capacity, int32_t *count, cn_error *error);

#ifdef __cplusplus
}
#endif
#endif
