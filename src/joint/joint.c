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
#define APART_MIN 1e-12
// Squared part of a rotation about z below which its angle has no meaning.
#define TWIST_MIN 1e-12

static void quat_conjugate(const double q[4], double out[4]) {
    out[0] = q[0];
    for (int i = 1; i < 4; i++) {
        out[i] = -q[i];
    }
}

// b seen from a, of the two quaternions the one with w >= 0.
static void quat_relative(const double a[4], const double b[4], double out[4]) {
    double back[4];
    quat_conjugate(a, back);
    math_quat_multiply(back, b, out);
    for (int i = 0; i < 4 && out[0] < 0.0; i++) {
        out[3 - i] = -out[3 - i];
    }
}

// Rows: the columns of R.
static void axes_of(const double R[9], double axes[9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            axes[3 * i + j] = R[3 * j + i];
        }
    }
}

void joint_look(int32_t dim, const joint_geometry *geometry, const double *pose_a,
                const double *pose_b, const double near[2], joint_view *view) {
    const double *pose[2] = {pose_a, pose_b};
    double point[2][3];
    view->dim = dim;
    view->geometry = geometry;
    for (int k = 0; k < 2; k++) {
        view->near[k] = near[k];
        view->angle[k] = 0.0;
        const joint_anchor *anchor = &geometry->anchor[k];
        double R[9], frame[9], center[3] = {pose[k][0], pose[k][1], dim == 3 ? pose[k][2] : 0.0};
        if (dim == 3) {
            math_quat_matrix(pose[k] + 3, R);
            math_quat_multiply(pose[k] + 3, anchor->turn, view->turn[k]);
            math_quat_matrix(view->turn[k], frame);
        } else {
            math_angle_matrix(pose[k][2], R);
            memset(view->turn[k], 0, sizeof view->turn[k]);
            view->angle[k] = pose[k][2] + anchor->angle;
            math_angle_matrix(view->angle[k], frame);
        }
        axes_of(frame, view->axis[k]);
        math_mat3_apply(R, anchor->point, view->arm[k]);
        math_add_scaled3(center, 1.0, view->arm[k], point[k]);
    }
    math_sub3(point[1], point[0], view->apart);
    memset(view->relative, 0, sizeof view->relative);
    if (dim == 3) {
        quat_relative(view->turn[0], view->turn[1], view->relative);
    }
}

// The gradient of a gauge that sees only the turning of b against a, along the world vector c.
static void turning_gradient(const double c[3], double J[12]) {
    memset(J, 0, 12 * sizeof *J);
    for (int i = 0; i < 3; i++) {
        J[3 + i] = -c[i];
        J[9 + i] = c[i];
    }
}

// World vector of coordinates in a's axes.
static void in_world(const double axis[9], const double x[3], double out[3]) {
    for (int j = 0; j < 3; j++) {
        out[j] = x[0] * axis[j] + x[1] * axis[3 + j] + x[2] * axis[6 + j];
    }
}

static double gauge_along(const joint_view *view, int k, double J[12]) {
    const double *n = view->axis[0] + 3 * k;
    double reach[3], moment[3];
    math_add_scaled3(view->arm[0], 1.0, view->apart, reach);
    math_cross3(reach, n, moment);
    for (int i = 0; i < 3; i++) {
        J[i] = -n[i];
        J[3 + i] = -moment[i];
        J[6 + i] = n[i];
    }
    math_cross3(view->arm[1], n, J + 9);
    return math_dot3(n, view->apart);
}

static double gauge_distance(const joint_view *view, double J[12]) {
    double length = math_norm3(view->apart), n[3], moment[3];
    for (int i = 0; i < 3; i++) {
        n[i] = length > APART_MIN ? view->apart[i] / length : view->axis[0][i];
    }
    math_cross3(view->arm[0], n, moment);
    for (int i = 0; i < 3; i++) {
        J[i] = -n[i];
        J[3 + i] = -moment[i];
        J[6 + i] = n[i];
    }
    math_cross3(view->arm[1], n, J + 9);
    return length;
}

static double gauge_turn(const joint_view *view, int k, double J[12]) {
    const double *q = view->relative;
    double unit[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    double row[3], c[3];
    math_cross3(q + 1, unit, row);
    math_add_scaled3(row, q[0], unit, row);
    in_world(view->axis[0], row, c);
    turning_gradient(c, J);
    return 2.0 * q[1 + k];
}

// n of a against m of b.
static double gauge_dot(const double n[3], const double m[3], double J[12]) {
    double c[3];
    math_cross3(m, n, c);
    turning_gradient(c, J);
    return math_dot3(n, m);
}

static double unwrap(double angle, double near) {
    return angle + JOINT_TURN_FULL * floor((near - angle) / JOINT_TURN_FULL + 0.5);
}

// The angle of a rotation about z, on the turn nearest to near, and its gradient in the axes that
// the rotation starts from.
static double twist(const double q[4], double near, double row[3]) {
    static const double z[3] = {0.0, 0.0, 1.0};
    double size = q[0] * q[0] + q[3] * q[3], across[3];
    if (!(size > TWIST_MIN)) {
        memcpy(row, z, sizeof z);
        return near;
    }
    math_cross3(q + 1, z, across);
    for (int i = 0; i < 3; i++) {
        row[i] = (q[0] * q[0] * z[i] + q[0] * across[i] + q[3] * q[1 + i]) / size;
    }
    return unwrap(2.0 * base_atan2(q[3], q[0]), near);
}

static double gauge_angle(const joint_view *view, double J[12]) {
    static const double z[3] = {0.0, 0.0, 1.0};
    if (view->dim == 2) {
        turning_gradient(z, J);
        return view->angle[1] - view->angle[0];
    }
    double row[3], c[3];
    double angle = twist(view->relative, view->near[0], row);
    in_world(view->axis[0], row, c);
    turning_gradient(c, J);
    return angle;
}

static double gauge_screw(const joint_view *view, double J[12]) {
    double turning[12];
    double x = gauge_along(view, 2, J);
    x -= view->geometry->lead * gauge_angle(view, turning);
    for (int i = 0; i < 12; i++) {
        J[i] -= view->geometry->lead * turning[i];
    }
    return x;
}

// The angle of one body of a gear from its start, about its own axis, and the world vector that
// omega is multiplied with.
static double gear_angle(const joint_view *view, int k, double c[3]) {
    if (view->dim == 2) {
        c[0] = c[1] = 0.0;
        c[2] = 1.0;
        return view->angle[k];
    }
    double relative[4], row[3], R[9];
    quat_relative(view->geometry->start[k], view->turn[k], relative);
    double angle = twist(relative, view->near[k], row);
    math_quat_matrix(view->geometry->start[k], R);
    math_mat3_apply(R, row, c);
    return angle;
}

static double gauge_gear(const joint_view *view, double J[12]) {
    double a[3], b[3];
    double angle_a = gear_angle(view, 0, a), angle_b = gear_angle(view, 1, b);
    memset(J, 0, 12 * sizeof *J);
    for (int i = 0; i < 3; i++) {
        J[3 + i] = -view->geometry->ratio * a[i];
        J[9 + i] = b[i];
    }
    return angle_b - view->geometry->ratio * angle_a;
}

double joint_gauge(const joint_view *view, joint_gauge_of gauge, double J[12]) {
    const double *a = view->axis[0], *b = view->axis[1];
    switch (gauge) {
    case JOINT_GAUGE_ALONG_X:
    case JOINT_GAUGE_ALONG_Y:
    case JOINT_GAUGE_ALONG_Z:
        return gauge_along(view, (int)gauge - (int)JOINT_GAUGE_ALONG_X, J);
    case JOINT_GAUGE_TURN_X:
    case JOINT_GAUGE_TURN_Y:
    case JOINT_GAUGE_TURN_Z:
        return gauge_turn(view, (int)gauge - (int)JOINT_GAUGE_TURN_X, J);
    case JOINT_GAUGE_TILT_X:
        return gauge_dot(a, b + 6, J);
    case JOINT_GAUGE_TILT_Y:
        return gauge_dot(a + 3, b + 6, J);
    case JOINT_GAUGE_CROSS:
        return gauge_dot(a, b + 3, J);
    case JOINT_GAUGE_ANGLE:
        return gauge_angle(view, J);
    case JOINT_GAUGE_DISTANCE:
        return gauge_distance(view, J);
    case JOINT_GAUGE_SCREW:
        return gauge_screw(view, J);
    case JOINT_GAUGE_GEAR:
        return gauge_gear(view, J);
    case JOINT_GAUGE_NONE:
        break;
    }
    memset(J, 0, 12 * sizeof *J);
    return 0.0;
}

void joint_angles(const joint_view *view, double angle[2]) {
    double unused[12];
    angle[0] = angle[1] = 0.0;
    if (view->geometry->kind == CN_JOINT_GEAR) {
        angle[0] = gear_angle(view, 0, unused);
        angle[1] = gear_angle(view, 1, unused);
    } else {
        angle[0] = gauge_angle(view, unused);
    }
}
