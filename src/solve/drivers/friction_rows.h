// solve/drivers/friction_rows.h
// The functions that the rows of the friction table name. One line a solver.
#ifndef CAIRN_SOLVE_DRIVERS_FRICTION_ROWS_H
#define CAIRN_SOLVE_DRIVERS_FRICTION_ROWS_H

#include <cairn/solve.h>

cn_friction_fn solve_friction_auto;

cn_friction_fn solve_friction_lemke, solve_friction_qp, solve_friction_mcp;
cn_friction_fn solve_friction_newton_ac;
cn_friction_fn solve_friction_newton_jm;
cn_friction_fn solve_friction_newton_fb;

cn_friction_fn solve_friction_ipm;

typedef struct solve_ipm_params {
    double margin, implicit;
    int32_t patience;
} solve_ipm_params;
#define SOLVE_IPM_PARAM_COUNT 3
extern const cn_param solve_ipm_param_table[SOLVE_IPM_PARAM_COUNT];

cn_friction_fn solve_friction_tresca;
cn_friction_fn solve_friction_cadoux;

cn_friction_fn solve_friction_fixed_point;
cn_friction_fn solve_friction_extra_gradient;

cn_friction_fn solve_friction_cpg, solve_friction_uzawa, solve_friction_apgd, solve_friction_bb,
    solve_friction_admm;
#define SOLVE_CPG_PARAM_COUNT 3
extern const cn_param solve_cpg_param_table[SOLVE_CPG_PARAM_COUNT];
#define SOLVE_UZAWA_PARAM_COUNT 5
extern const cn_param solve_uzawa_param_table[SOLVE_UZAWA_PARAM_COUNT];
#define SOLVE_APGD_PARAM_COUNT 2
extern const cn_param solve_apgd_param_table[SOLVE_APGD_PARAM_COUNT];
#define SOLVE_BB_PARAM_COUNT 2
extern const cn_param solve_bb_param_table[SOLVE_BB_PARAM_COUNT];
#define SOLVE_ADMM_PARAM_COUNT 4
extern const cn_param solve_admm_param_table[SOLVE_ADMM_PARAM_COUNT];

#endif
