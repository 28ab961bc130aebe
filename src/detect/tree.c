// detect/tree.c
// A bounding volume hierarchy, split at the median of the longest side until few items are left.
// While bodies move it keeps its shape and its boxes are recomputed from the leaves; it is split again
// when the boxes together have become twice as large as they were.
#include "detect/tree.h"

#include "base/memory.h"
#include "geom/shape.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define LEAF_ITEMS 4
#define DEPTH_MAX 64  // medians halve: 2^31 items are 31 levels
#define GROWN_MAX 2.0 // of the sum of all boxes' half surfaces

typedef struct tree_node {
    det_box box;
    int32_t first, count; // items; count 0: inner
    int32_t right;        // the left one follows the node
} tree_node;

struct det_tree {
    cn_env env;
    base_buffer items;     // det_tree_item, in the order of the leaves
    base_buffer boxes;     // det_box of each
    base_buffer unbounded; // det_tree_item
    base_buffer nodes;     // tree_node
    double size;           // when it was split
    int32_t bodies;
};

det_tree *det_tree_create(const cn_env *env) {
    det_tree *tree = base_env_resize(env, NULL, 0, sizeof *tree);
    if (tree) {
        *tree = (det_tree){.env = env ? *env : cn_env_default(), .bodies = -1};
        base_buffer_init(&tree->items, &tree->env);
        base_buffer_init(&tree->boxes, &tree->env);
        base_buffer_init(&tree->unbounded, &tree->env);
        base_buffer_init(&tree->nodes, &tree->env);
    }
    return tree;
}

void det_tree_destroy(det_tree *tree) {
    if (tree) {
        base_buffer_free(&tree->items);
        base_buffer_free(&tree->boxes);
        base_buffer_free(&tree->unbounded);
        base_buffer_free(&tree->nodes);
        cn_env env = tree->env;
        base_env_resize(&env, tree, sizeof *tree, 0);
    }
}

// ---- boxes ----

static void box_of(const cn_model *model, const det_tree_item *item, const double *q,
                   det_box *out) {
    const geom_shape *shape = &model->shape[model->body[item->body].shape_first + item->shape];
    const double *pose = q + (int64_t)model_pose_size(model->dim) * item->body;
    double R[9], point[3];
    if (model->dim == 3) {
        math_quat_matrix(pose + 3, R);
    } else {
        math_angle_matrix(pose[2], R);
    }
    for (int k = 0; k < 3; k++) {
        // The farthest points along the world's axes, which are the rows of R in the body's frame.
        const double axis[3] = {R[3 * k], R[3 * k + 1], R[3 * k + 2]};
        const double against[3] = {-axis[0], -axis[1], -axis[2]};
        double center = k < model->dim ? pose[k] : 0.0;
        geom_shape_support(shape, axis, point);
        out->high[k] = center + math_dot3(axis, point);
        geom_shape_support(shape, against, point);
        out->low[k] = center + math_dot3(axis, point);
        // What sums round to must not make a box too small.
        double margin = 1e-12 * (fabs(center) + fabs(out->high[k] - out->low[k]));
        out->high[k] += margin;
        out->low[k] -= margin;
    }
}

static void box_join(det_box *box, const det_box *other) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], other->low[k]);
        box->high[k] = fmax(box->high[k], other->high[k]);
    }
}

static double box_size(const det_box *box) {
    double x = box->high[0] - box->low[0], y = box->high[1] - box->low[1],
           z = box->high[2] - box->low[2];
    return x * y + y * z + z * x;
}

// ---- splitting ----

typedef struct splitting {
    det_tree_item *item;
    det_box *box;
    tree_node *node;
    int32_t used;
} splitting;

static void swap_items(splitting *s, int32_t i, int32_t j) {
    det_tree_item item = s->item[i];
    det_box box = s->box[i];
    s->item[i] = s->item[j];
    s->box[i] = s->box[j];
    s->item[j] = item;
    s->box[j] = box;
}

static double center_of(const splitting *s, int32_t i, int axis) {
    return s->box[i].low[axis] + s->box[i].high[axis];
}

// Hoare's selection: those before `middle` are no farther along the axis than those from it on.
static void select_median(splitting *s, int32_t first, int32_t end, int32_t middle, int axis) {
    int32_t low = first, high = end - 1;
    while (low < high) {
        double pivot = center_of(s, low + (high - low) / 2, axis);
        int32_t i = low, j = high;
        while (i <= j) {
            while (center_of(s, i, axis) < pivot) {
                i++;
            }
            while (center_of(s, j, axis) > pivot) {
                j--;
            }
            if (i <= j) {
                swap_items(s, i++, j--);
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest_side(const splitting *s, int32_t first, int32_t end) {
    int longest = 0;
    double max = -1.0;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t i = first; i < end; i++) {
            low = fmin(low, center_of(s, i, k));
            high = fmax(high, center_of(s, i, k));
        }
        if (high - low > max) {
            max = high - low;
            longest = k;
        }
    }
    return longest;
}

static int32_t split(splitting *s, int32_t first, int32_t end) {
    int32_t at = s->used++;
    if (end - first <= LEAF_ITEMS) {
        s->node[at] = (tree_node){.first = first, .count = end - first};
        return at;
    }
    int32_t middle = first + (end - first) / 2;
    select_median(s, first, end, middle, longest_side(s, first, end));
    split(s, first, middle);
    int32_t right = split(s, middle, end);
    s->node[at] = (tree_node){.right = right};
    return at;
}

// Boxes of the nodes from those of the items, children before their parents; the sum of their
// sizes.
static double fit(det_tree *tree) {
    tree_node *node = (void *)tree->nodes.data;
    const det_box *box = (const void *)tree->boxes.data;
    double size = 0.0;
    for (int32_t i = (int32_t)(tree->nodes.size / sizeof *node) - 1; i >= 0; i--) {
        if (node[i].count > 0) {
            node[i].box = box[node[i].first];
            for (int32_t k = 1; k < node[i].count; k++) {
                box_join(&node[i].box, &box[node[i].first + k]);
            }
        } else {
            node[i].box = node[i + 1].box;
            box_join(&node[i].box, &node[node[i].right].box);
        }
        size += box_size(&node[i].box);
    }
    return size;
}

// ---- placing ----

static bool has_no_end(const geom_shape *shape) {
    return shape->kind == CN_SHAPE_PLANE || shape->kind == CN_SHAPE_LINE ||
           shape->kind == CN_SHAPE_RING;
}

static cn_status gather(det_tree *tree, const cn_model *model) {
    tree->items.size = tree->boxes.size = tree->unbounded.size = tree->nodes.size = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        for (int32_t k = 0; k < model->body[i].shape_count; k++) {
            const det_tree_item item = {i, k};
            base_buffer *into = has_no_end(&model->shape[model->body[i].shape_first + k])
                                    ? &tree->unbounded
                                    : &tree->items;
            if (!base_buffer_append(into, &item, sizeof item)) {
                return CN_ERR_MEMORY;
            }
        }
    }
    size_t count = tree->items.size / sizeof(det_tree_item);
    bool room = base_buffer_reserve(&tree->boxes, count * sizeof(det_box)) &&
                base_buffer_reserve(&tree->nodes, (count + 1) * sizeof(tree_node));
    tree->boxes.size = room ? count * sizeof(det_box) : 0;
    return room ? CN_OK : CN_ERR_MEMORY;
}

static void place_items(det_tree *tree, const cn_model *model, const double *q) {
    const det_tree_item *item = (const void *)tree->items.data;
    det_box *box = (void *)tree->boxes.data;
    for (size_t i = 0; i < tree->items.size / sizeof *item; i++) {
        box_of(model, &item[i], q, &box[i]);
    }
}

cn_status det_tree_place(det_tree *tree, const cn_model *model, const double *q) {
    bool fresh = tree->bodies != model->body_count;
    if (fresh) {
        tree->bodies = -1;
        CN_TRY(gather(tree, model));
        tree->bodies = model->body_count;
    }
    place_items(tree, model, q);
    int32_t count = (int32_t)(tree->items.size / sizeof(det_tree_item));
    if (count == 0 || (!fresh && fit(tree) <= GROWN_MAX * tree->size)) {
        return CN_OK;
    }
    splitting s = {(void *)tree->items.data, (void *)tree->boxes.data, (void *)tree->nodes.data, 0};
    split(&s, 0, count);
    tree->nodes.size = (size_t)s.used * sizeof(tree_node);
    tree->size = fit(tree);
    return CN_OK;
}

void det_tree_walk(const det_tree *tree, const det_walk *walk, void *user) {
    const tree_node *node = (const void *)tree->nodes.data;
    const det_tree_item *item = (const void *)tree->items.data,
                        *open = (const void *)tree->unbounded.data;
    for (size_t i = 0; i < tree->unbounded.size / sizeof *open; i++) {
        walk->visit(user, &open[i]);
    }
    int32_t stack[DEPTH_MAX], depth = 0;
    if (tree->nodes.size > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        int32_t i = stack[--depth];
        if (!(walk->near(user, &node[i].box) <= walk->limit(user))) {
            continue;
        }
        for (int32_t k = 0; k < node[i].count; k++) {
            walk->visit(user, &item[node[i].first + k]);
        }
        if (node[i].count == 0) {
            bool left_first =
                walk->near(user, &node[i + 1].box) <= walk->near(user, &node[node[i].right].box);
            stack[depth++] = left_first ? node[i].right : i + 1;
            stack[depth++] = left_first ? i + 1 : node[i].right;
        }
    }
}
