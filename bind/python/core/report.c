// report.c
// The report of a step, and contacts as columns.
#include "core.h"

#include <stdio.h>
#include <string.h>

typedef struct report_object {
    PyObject_HEAD cn_step_report report;
    char solver[40]; // the name may be that of a solver written in Python
} report_object;

PyTypeObject *core_report_type;

PyObject *core_report_new(const cn_step_report *report) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(core_report_type, Py_tp_alloc);
    report_object *object = (report_object *)allocate(core_report_type, 0);
    if (object) {
        object->report = *report;
        const char *name = report->solver ? report->solver : "";
        size_t length = strnlen(name, sizeof object->solver - 1); // the rest is zero
        memcpy(object->solver, name, length);
        object->report.solver = object->solver;
    }
    return (PyObject *)object;
}

const cn_step_report *core_report_of(PyObject *report) {
    return &((report_object *)report)->report;
}

static void report_dealloc(report_object *object) {
    PyTypeObject *type = Py_TYPE((PyObject *)object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

#define AT(field) (Py_ssize_t) offsetof(report_object, report.field)
#define INTEGER(name, about)                                                                       \
    { #name, T_INT, AT(name), READONLY, about }
#define REAL(name, about)                                                                          \
    { #name, T_DOUBLE, AT(name), READONLY, about }
static PyMemberDef report_members[] = {
    {"step", T_LONGLONG, AT(step), READONLY, "how many steps have been made"},
    REAL(t, "time at the end of the step [s]"),
    {"time", T_DOUBLE, AT(t), READONLY, "the same as t [s]"},
    INTEGER(contacts, "contacts of the step, open ones included"),
    INTEGER(sticking, "contacts that press and stick"),
    INTEGER(sliding, "contacts that press and slide"),
    {"solver", T_STRING_INPLACE, (Py_ssize_t)offsetof(report_object, solver), READONLY,
     "the solver that gave the answer"},
    INTEGER(iterations, "iterations, in the solver's own unit"),
    REAL(residual, "residual of the step's problem, by the independent checker"),
    INTEGER(retries, "solves by the fallback solver"),
    INTEGER(halvings, "how often the step was halved because a solve stalled"),
    INTEGER(substeps, "parts that the step was cut into, by its error or at events"),
    REAL(penetration_max, "the largest overlap [m]"),
    REAL(joint_error_max, "the largest error of a joint [m], [rad]"),
    INTEGER(missed, "pairs found overlapping that had not been candidates"),
    INTEGER(early, "contacts that bounced before they touched"),
    REAL(early_gap, "the largest gap of those [m]"),
    INTEGER(limited, "contacts that were stopped without the bounce of their law"),
    INTEGER(passed, "pairs that may have passed through one another"),
    INTEGER(paradoxes, "contacts whose problem may have no or several solutions (Painleve)"),
    REAL(paradox_ratio, "mu |W_NT| / W_NN of the worst of them"),
    REAL(kinetic, "kinetic energy [J]"),
    REAL(potential, "potential energy [J]"),
    REAL(work_external, "work of forces from outside over the step [J]"),
    REAL(work_joints, "work of joints and motors over the step [J]"),
    REAL(dissipated_friction, "energy lost to friction over the step [J]"),
    REAL(dissipated_impact, "energy lost in impacts over the step [J]"),
    REAL(dissipated_numerical, "energy that the scheme loses over the step [J]"),
    REAL(work_correction, "work of lifting bodies out of penetration over the step [J]"),
    REAL(elastic, "elastic energy of deformable bodies at the end [J]"),
    REAL(dissipated_plastic, "energy that plastic strain took over the step [J]"),
    REAL(dissipated_viscous, "energy that the damping of materials took over the step [J]"),
    REAL(dissipated_fracture, "energy that breaking bonds took over the step [J]"),
    INTEGER(bonds_broken, "bonds that are broken at the end"),
    REAL(balance_error, "what the energy balance leaves [J]"),
    REAL(cpu_detect, "CPU time of detection in the step [s]"),
    REAL(cpu_assemble, "CPU time of assembly in the step [s]"),
    REAL(cpu_solve, "CPU time of the solver in the step [s]"),
    REAL(cpu_advance, "CPU time of the rest of the step [s]"),
    {NULL, 0, 0, 0, NULL}};

static PyObject *report_outcome(report_object *object, void *closure) {
    (void)closure;
    return PyUnicode_FromString(cn_outcome_text(object->report.outcome));
}

static PyObject *report_solved(report_object *object, void *closure) {
    (void)closure;
    return PyBool_FromLong(object->report.outcome == CN_SOLVED);
}

// The two bodies that a count of the report names one example of, counted from 0; None: no such.
static PyObject *report_pair(report_object *object, void *closure) {
    const cn_step_report *r = &object->report;
    const char *which = closure;
    cn_body_id a = r->limited_candidate, b = r->limited_antagonist;
    if (which[0] == 'p') {
        a = which[2] == 's' ? r->passed_candidate : r->paradox_candidate;
        b = which[2] == 's' ? r->passed_antagonist : r->paradox_antagonist;
    }
    if (a == 0) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(ii)", (int)a - 1, (int)b - 1);
}

static PyGetSetDef report_getset[] = {
    {"outcome", (getter)report_outcome, NULL,
     "\"solved\", or what kept the step's problem from it: \"stalled\", \"limit\", ...", NULL},
    {"solved", (getter)report_solved, NULL, "whether the step reached its tolerance", NULL},
    {"limited_bodies", (getter)report_pair, NULL, "two of the bodies that `limited` counts",
     "limited"},
    {"passed_bodies", (getter)report_pair, NULL, "two of the bodies that `passed` counts",
     "passed"},
    {"paradox_bodies", (getter)report_pair, NULL, "the two bodies of the worst paradox", "paradox"},
    {NULL, NULL, NULL, NULL, NULL}};

static PyObject *report_repr(report_object *object) {
    const cn_step_report *r = &object->report;
    char text[200];
    snprintf(text, sizeof text,
             "<cairn.Report step %lld, t = %.6g s, %d contacts, %s, residual %.2g>",
             (long long)r->step, r->t, (int)r->contacts, cn_outcome_text(r->outcome), r->residual);
    return PyUnicode_FromString(text);
}

bool core_add_report(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, report_dealloc},
        {Py_tp_members, report_members},
        {Py_tp_getset, report_getset},
        {Py_tp_repr, report_repr},
        {Py_tp_doc, "What a step did: its contacts, its solve and its energies."},
        {0, NULL}};
    static PyType_Spec spec = {"cairn._core.Report", sizeof(report_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    core_report_type = (PyTypeObject *)core_make_type(module, &spec);
    return core_report_type != NULL;
}

// ---- contacts ----

typedef struct contact_column {
    const char *name;
    size_t offset;
    int kind; // 3: a vector, 1: a number
} contact_column;

static const contact_column columns[] = {
    {"point", offsetof(cn_contact_record, point), 3},
    {"normal", offsetof(cn_contact_record, normal), 3},
    {"impulse", offsetof(cn_contact_record, impulse), 3},
    {"velocity", offsetof(cn_contact_record, velocity), 3},
    {"velocity_before", offsetof(cn_contact_record, velocity_before), 3},
    {"shift", offsetof(cn_contact_record, shift), 3},
    {"gap", offsetof(cn_contact_record, gap), 1},
    {"friction", offsetof(cn_contact_record, friction), 1},
};

static bool add_column(PyObject *dict, const contact_column *column,
                       const cn_contact_record *contacts, int32_t count, int dim) {
    void *data = NULL;
    int width = column->kind == 3 ? dim : 1;
    PyObject *block = core_block('d', column->kind == 3 ? 2 : 1, count, width, 0, &data);
    for (int32_t i = 0; block && i < count; i++) {
        memcpy((double *)data + (size_t)width * (size_t)i,
               (const char *)&contacts[i] + column->offset, sizeof(double) * (size_t)width);
    }
    return core_dict_set(dict, column->name, block);
}

PyObject *core_contacts_dict(const cn_contact_record *contacts, int32_t count, int dim) {
    PyObject *dict = PyDict_New();
    bool good = dict != NULL;
    for (size_t k = 0; good && k < sizeof columns / sizeof columns[0]; k++) {
        good = add_column(dict, &columns[k], contacts, count, dim);
    }
    void *data = NULL;
    PyObject *bodies = good ? core_block('i', 2, count, 2, 0, &data) : NULL;
    for (int32_t i = 0; bodies && i < count; i++) {
        ((int32_t *)data)[2 * i] = contacts[i].candidate - 1; // Python counts from 0
        ((int32_t *)data)[2 * i + 1] = contacts[i].antagonist - 1;
    }
    good = good && core_dict_set(dict, "bodies", bodies);
    PyObject *status = good ? core_block('B', 1, count, 0, 0, &data) : NULL;
    for (int32_t i = 0; status && i < count; i++) {
        ((uint8_t *)data)[i] = contacts[i].status;
    }
    good = good && core_dict_set(dict, "status", status);
    if (!good) {
        Py_XDECREF(dict);
        return NULL;
    }
    return dict;
}
