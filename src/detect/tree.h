// detect/tree.h
// A tree of boxes along the axes round the shapes of a model, to find those near something.
#ifndef CAIRN_DETECT_TREE_H
#define CAIRN_DETECT_TREE_H

#include "model/model.h"

typedef struct det_box {
    double low[3], high[3];
} det_box;

typedef struct det_tree det_tree;

// A shape of a body: both are indices from 0.
typedef struct det_tree_item {
    int32_t body, shape;
} det_tree_item;

det_tree *det_tree_create(const cn_env *env); // NULL: no memory
void det_tree_destroy(det_tree *tree);        // NULL is allowed
// The shapes where q puts their bodies, by centres of mass.
cn_status det_tree_place(det_tree *tree, const cn_model *model, const double *q);

// A walk visits shapes without an end first, then those in boxes for which near() gives no more
// than user's limit() at that time, nearest boxes first.
typedef struct det_walk {
    double (*near)(const void *user, const det_box *box); // a lower bound; infinite: never
    double (*limit)(const void *user);
    void (*visit)(void *user, const det_tree_item *item);
} det_walk;
void det_tree_walk(const det_tree *tree, const det_walk *walk, void *user);

#endif
