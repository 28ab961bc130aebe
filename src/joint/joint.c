// joint/joint.c
// The gauges between two frames and their gradients (Haug 1989, chapter 9; Shabana 2013). With a
// vector n fixed in a, d from a's point to b's, c the centres of mass, p_b the point of b:
//     d(n . d)/dt = n . (v_b + omega_b x (p_b - c_b)) - n . (v_a + omega_a x (p_b - c_a)),
// since n turns with a. With m fixed in b: d(n . m)/dt = (m x n) . (omega_b - omega_a). With the
// relative quaternion (w, e) and omega = omega_b - omega_a in a's axes, de/dt = (w omega + omega x
// e)/2, dw/dt = -omega . e / 2, which gives the gradients of the parts 2 e_k and of the angle
// 2 atan2(e_z, w).
//
// Angles are singular where b is upside down against a; joints that hold their z axes parallel
// never get there. TILT is also zero with the axes opposed, which no small motion reaches.
#include "joint/joint.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <string.h>

// Below this distance of two points their direction is not known; the frame's own axis stands in.
#define CN_APART_LEAST 1e-12
// Squared part of a rotation about z below which its angle has no meaning.
#define CN_TWIST_LEAST 1e-12

static void cn_quat_conjugate(const double q[4], double out[4]) {
    out[0] = q[0];
    for (int i = 1; i < 4; i++) {
        out[i] = -q[i];
    }
}

// b seen from a, of the two quaternions the one with w >= 0.
static void cn_quat_relative(const double a[4], const double b[4], double out[4]) {
    double back[4];
    cn_quat_conjugate(a, back);
    cn_quat_multiply(back, b, out);
    for (int i = 0; i < 4 && out[0] < 0.0; i++) {
        out[3 - i] = -out[3 - i];
    }
}

// Rows: the columns of R.
static void cn_axes_of(const double R[9], double axes[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            axes[3 * i + j] = R[3 * j + i];
        }
    }
}

void cn_joint_look(int32_t dim, const cn_joint_geometry *geometry, const double *pose_a,
                   const double *pose_b, const double near[2], cn_joint_view *view) {
    const double *pose[2] = {pose_a, pose_b};
    double point[2][3];
    view->dim = dim;
    view->geometry = geometry;
    for (int k = 0; k < 2; k++) {
        view->near[k] = near[k];
        view->angle[k] = 0.0;
        const cn_anchor *anchor = &geometry->anchor[k];
        double R[9], frame[9], center[3] = {pose[k][0], pose[k][1], dim == 3 ? pose[k][2] : 0.0};
        if (dim == 3) {
            cn_quat_matrix(pose[k] + 3, R);
            cn_quat_multiply(pose[k] + 3, anchor->turn, view->turn[k]);
            cn_quat_matrix(view->turn[k], frame);
        } else {
            cn_angle_matrix(pose[k][2], R);
            memset(view->turn[k], 0, sizeof view->turn[k]);
            view->angle[k] = pose[k][2] + anchor->angle;
            cn_angle_matrix(view->angle[k], frame);
        }
        cn_axes_of(frame, view->axis[k]);
        cn_mat3_apply(R, anchor->point, view->arm[k]);
        cn_add_scaled3(center, 1.0, view->arm[k], point[k]);
    }
    cn_sub3(point[1], point[0], view->apart);
    memset(view->relative, 0, sizeof view->relative);
    if (dim == 3) {
        cn_quat_relative(view->turn[0], view->turn[1], view->relative);
    }
}

// The gradient of a gauge that sees only the turning of b against a, along the world vector c.
static void cn_turning_gradient(const double c[3], double J[12]) {
    memset(J, 0, 12 * sizeof *J);
    for (int i = 0; i < 3; i++) {
        J[3 + i] = -c[i];
        J[9 + i] = c[i];
    }
}

// World vector of coordinates in a's axes.
static void cn_in_world(const double axis[9], const double x[3], double out[3]) {
    for (int j = 0; j < 3; j++) {
        out[j] = x[0] * axis[j] + x[1] * axis[3 + j] + x[2] * axis[6 + j];
    }
}

static double cn_gauge_along(const cn_joint_view *view, int k, double J[12]) {
    const double *n = view->axis[0] + 3 * k;
    double reach[3], moment[3];
    cn_add_scaled3(view->arm[0], 1.0, view->apart, reach);
    cn_cross3(reach, n, moment);
    for (int i = 0; i < 3; i++) {
        J[i] = -n[i];
        J[3 + i] = -moment[i];
        J[6 + i] = n[i];
    }
    cn_cross3(view->arm[1], n, J + 9);
    return cn_dot3(n, view->apart);
}

static double cn_gauge_distance(const cn_joint_view *view, double J[12]) {
    double length = cn_norm3(view->apart), n[3], moment[3];
    for (int i = 0; i < 3; i++) {
        n[i] = length > CN_APART_LEAST ? view->apart[i] / length : view->axis[0][i];
    }
    cn_cross3(view->arm[0], n, moment);
    for (int i = 0; i < 3; i++) {
        J[i] = -n[i];
        J[3 + i] = -moment[i];
        J[6 + i] = n[i];
    }
    cn_cross3(view->arm[1], n, J + 9);
    return length;
}

static double cn_gauge_turn(const cn_joint_view *view, int k, double J[12]) {
    const double *q = view->relative;
    double unit[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    double row[3], c[3];
    cn_cross3(q + 1, unit, row);
    cn_add_scaled3(row, q[0], unit, row);
    cn_in_world(view->axis[0], row, c);
    cn_turning_gradient(c, J);
    return 2.0 * q[1 + k];
}

// n of a against m of b.
static double cn_gauge_dot(const double n[3], const double m[3], double J[12]) {
    double c[3];
    cn_cross3(m, n, c);
    cn_turning_gradient(c, J);
    return cn_dot3(n, m);
}

static double cn_unwrap(double angle, double near) {
    return angle + CN_TURN_FULL * floor((near - angle) / CN_TURN_FULL + 0.5);
}

// The angle of a rotation about z, on the turn nearest to near, and its gradient in the axes that
// the rotation starts from.
static double cn_twist(const double q[4], double near, double row[3]) {
    static const double z[3] = {0.0, 0.0, 1.0};
    double size = q[0] * q[0] + q[3] * q[3], across[3];
    if (!(size > CN_TWIST_LEAST)) {
        memcpy(row, z, sizeof z);
        return near;
    }
    cn_cross3(q + 1, z, across);
    for (int i = 0; i < 3; i++) {
        row[i] = (q[0] * q[0] * z[i] + q[0] * across[i] + q[3] * q[1 + i]) / size;
    }
    return cn_unwrap(2.0 * cn_atan2(q[3], q[0]), near);
}

static double cn_gauge_angle(const cn_joint_view *view, double J[12]) {
    static const double z[3] = {0.0, 0.0, 1.0};
    if (view->dim == 2) {
        cn_turning_gradient(z, J);
        return view->angle[1] - view->angle[0];
    }
    double row[3], c[3];
    double angle = cn_twist(view->relative, view->near[0], row);
    cn_in_world(view->axis[0], row, c);
    cn_turning_gradient(c, J);
    return angle;
}

static double cn_gauge_screw(const cn_joint_view *view, double J[12]) {
    double turning[12];
    double x = cn_gauge_along(view, 2, J);
    x -= view->geometry->lead * cn_gauge_angle(view, turning);
    for (int i = 0; i < 12; i++) {
        J[i] -= view->geometry->lead * turning[i];
    }
    return x;
}

// The angle of one body of a gear from its start, about its own axis, and the world vector that
// omega is multiplied with.
static double cn_gear_angle(const cn_joint_view *view, int k, double c[3]) {
    if (view->dim == 2) {
        c[0] = c[1] = 0.0;
        c[2] = 1.0;
        return view->angle[k];
    }
    double relative[4], row[3], R[9];
    cn_quat_relative(view->geometry->start[k], view->turn[k], relative);
    double angle = cn_twist(relative, view->near[k], row);
    cn_quat_matrix(view->geometry->start[k], R);
    cn_mat3_apply(R, row, c);
    return angle;
}

static double cn_gauge_gear(const cn_joint_view *view, double J[12]) {
    double a[3], b[3];
    double angle_a = cn_gear_angle(view, 0, a), angle_b = cn_gear_angle(view, 1, b);
    memset(J, 0, 12 * sizeof *J);
    for (int i = 0; i < 3; i++) {
        J[3 + i] = -view->geometry->ratio * a[i];
        J[9 + i] = b[i];
    }
    return angle_b - view->geometry->ratio * angle_a;
}

double cn_joint_gauge(const cn_joint_view *view, cn_gauge gauge, double J[12]) {
    const double *a = view->axis[0], *b = view->axis[1];
    switch (gauge) {
    case CN_GAUGE_ALONG_X:
    case CN_GAUGE_ALONG_Y:
    case CN_GAUGE_ALONG_Z:
        return cn_gauge_along(view, (int)gauge - (int)CN_GAUGE_ALONG_X, J);
    case CN_GAUGE_TURN_X:
    case CN_GAUGE_TURN_Y:
    case CN_GAUGE_TURN_Z:
        return cn_gauge_turn(view, (int)gauge - (int)CN_GAUGE_TURN_X, J);
    case CN_GAUGE_TILT_X:
        return cn_gauge_dot(a, b + 6, J);
    case CN_GAUGE_TILT_Y:
        return cn_gauge_dot(a + 3, b + 6, J);
    case CN_GAUGE_CROSS:
        return cn_gauge_dot(a, b + 3, J);
    case CN_GAUGE_ANGLE:
        return cn_gauge_angle(view, J);
    case CN_GAUGE_DISTANCE:
        return cn_gauge_distance(view, J);
    case CN_GAUGE_SCREW:
        return cn_gauge_screw(view, J);
    case CN_GAUGE_GEAR:
        return cn_gauge_gear(view, J);
    case CN_GAUGE_NONE:
        break;
    }
    memset(J, 0, 12 * sizeof *J);
    return 0.0;
}

void cn_joint_angles(const cn_joint_view *view, double angle[2]) {
    double unused[12];
    angle[0] = angle[1] = 0.0;
    if (view->geometry->kind == CN_JOINT_GEAR) {
        angle[0] = cn_gear_angle(view, 0, unused);
        angle[1] = cn_gear_angle(view, 1, unused);
    } else {
        angle[0] = cn_gauge_angle(view, unused);
    }
}
