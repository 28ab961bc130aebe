// solve/drivers/friction_rows.h
// The functions that the rows of the friction table name. One line a solver.
#ifndef CAIRN_SOLVE_DRIVERS_FRICTION_ROWS_H
#define CAIRN_SOLVE_DRIVERS_FRICTION_ROWS_H

#include <cairn/solve.h>

cn_friction_fn cn_friction_auto;

cn_friction_fn cn_friction_lemke, cn_friction_qp, cn_friction_mcp;
cn_friction_fn cn_friction_newton_ac;
cn_friction_fn cn_friction_newton_jm;
cn_friction_fn cn_friction_newton_fb;

cn_friction_fn cn_friction_ipm;

typedef struct cn_ipm_params {
    double margin, implicit;
    int32_t patience;
} cn_ipm_params;
#define CN_IPM_PARAM_COUNT 3
extern const cn_param cn_ipm_param_table[CN_IPM_PARAM_COUNT];

cn_friction_fn cn_friction_tresca;
cn_friction_fn cn_friction_cadoux;

cn_friction_fn cn_friction_fixed_point;
cn_friction_fn cn_friction_extra_gradient;

cn_friction_fn cn_friction_cpg, cn_friction_uzawa, cn_friction_apgd, cn_friction_bb,
    cn_friction_admm;
#define CN_CPG_PARAM_COUNT 3
extern const cn_param cn_cpg_param_table[CN_CPG_PARAM_COUNT];
#define CN_UZAWA_PARAM_COUNT 5
extern const cn_param cn_uzawa_param_table[CN_UZAWA_PARAM_COUNT];
#define CN_APGD_PARAM_COUNT 2
extern const cn_param cn_apgd_param_table[CN_APGD_PARAM_COUNT];
#define CN_BB_PARAM_COUNT 2
extern const cn_param cn_bb_param_table[CN_BB_PARAM_COUNT];
#define CN_ADMM_PARAM_COUNT 4
extern const cn_param cn_admm_param_table[CN_ADMM_PARAM_COUNT];

#endif
