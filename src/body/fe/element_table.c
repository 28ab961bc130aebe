// body/fe/element_table.c
// The rows of the element table, and what is the same for every element.
#include "body/fe/element.h"

#include "base/error.h"

#include <string.h>

// The order is the order of listings.
static const fe_element *const table[] = {
    &fe_t3, &fe_t6, &fe_q4, &fe_q4_plain, &fe_q8, &fe_tet4, &fe_tet10, &fe_h8, &fe_h8_plain,
};
#define FE_ELEMENTS ((int32_t)(sizeof table / sizeof *table))

int32_t fe_element_count(void) {
    return FE_ELEMENTS;
}

const fe_element *fe_element_at(int32_t index) {
    return index >= 0 && index < FE_ELEMENTS ? table[index] : NULL;
}

const fe_element *fe_element_find(const char *name) {
    for (int32_t i = 0; i < FE_ELEMENTS; i++) {
        if (strcmp(table[i]->name, name) == 0) {
            return table[i];
        }
    }
    return NULL;
}

cn_status fe_element_lookup(const char *name, const fe_element **out, cn_error *error) {
    *out = fe_element_find(name);
    if (*out) {
        return CN_OK;
    }
    const char *names[FE_ELEMENTS];
    for (int32_t i = 0; i < FE_ELEMENTS; i++) {
        names[i] = table[i]->name;
    }
    base_fail(error, CN_ERR_INPUT, "unknown element '%s'", name);
    const char *near = cn_nearest_name(name, names, FE_ELEMENTS);
    if (near) {
        base_fail_hint(error, "did you mean '%s'?", near);
    } else {
        base_fail_hint(error, "2D: t3, t6, q4, q4-plain, q8; 3D: tet4, tet10, h8, h8-plain");
    }
    return CN_ERR_INPUT;
}

double fe_jacobian(const fe_element *e, const double *X, const double xi[3], double *J) {
    double N[FE_NODES_MAX], dN[FE_DOFS_MAX];
    int32_t dim = e->dim;
    e->shape(xi, N, dN);
    for (int32_t i = 0; i < dim; i++) {
        for (int32_t j = 0; j < dim; j++) {
            double sum = 0.0;
            for (int32_t a = 0; a < e->nodes; a++) {
                sum += X[dim * a + i] * dN[dim * a + j];
            }
            J[dim * i + j] = sum;
        }
    }
    if (dim == 2) {
        return J[0] * J[3] - J[1] * J[2];
    }
    return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
           J[2] * (J[3] * J[7] - J[4] * J[6]);
}

double fe_volume(const fe_element *e, const double *X) {
    double J[9], volume = 0.0;
    for (int32_t p = 0; p < e->mass_rule.points; p++) {
        const double *point = e->mass_rule.point[p];
        volume += point[3] * fe_jacobian(e, X, point, J);
    }
    return volume;
}

void fe_lump_row_sums(int32_t nodes, const double *M, double *lumped) {
    for (int32_t a = 0; a < nodes; a++) {
        lumped[a] = 0.0;
        for (int32_t b = 0; b < nodes; b++) {
            lumped[a] += M[nodes * a + b];
        }
    }
}

void fe_lump_hrz(int32_t nodes, const double *M, double *lumped) {
    double mass = 0.0, diagonal = 0.0;
    for (int32_t a = 0; a < nodes; a++) {
        diagonal += M[nodes * a + a];
        for (int32_t b = 0; b < nodes; b++) {
            mass += M[nodes * a + b];
        }
    }
    for (int32_t a = 0; a < nodes; a++) {
        lumped[a] = M[nodes * a + a] * (mass / diagonal);
    }
}
