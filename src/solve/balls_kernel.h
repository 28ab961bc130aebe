// solve/balls_kernel.h
// The kernel of solve/balls.h, included by one source a kind of processor, which names it.
//
// A packet is two groups of CN_WIDE lanes. Rows of body records are loaded whole and turned, which
// beats gathering single numbers; the groups' statements alternate, so that one computes while the
// other waits.
#include "solve/balls.h"
#include "solve/natural_wide.h"

#define CN_GROUPS (CN_PACKET / CN_WIDE)
#define CN_PACKETS_AHEAD 8 // that memory is asked for: as long as it takes to come
#define CN_BODIES_AHEAD 4  // packets

// u of a group of lanes.
CN_INLINE cn_wide3 cn_ball_velocity(const cn_ball_packet *packet, int at, cn_wide3 n,
                                    const double *body) {
    cn_wide linear[CN_WIDE], spin[CN_WIDE];
    for (int lane = 0; lane < CN_WIDE; lane++) {
        const double *a = body + packet->a[at + lane], *b = body + packet->b[at + lane];
        linear[lane] = cn_wide_load(b) - cn_wide_load(a);
        spin[lane] = cn_wide_all(packet->arm_b[at + lane]) * cn_wide_load(b + CN_WIDE) +
                     cn_wide_all(packet->arm_a[at + lane]) * cn_wide_load(a + CN_WIDE);
    }
    cn_wide_transpose(linear);
    cn_wide_transpose(spin);
    cn_wide3 s = {spin[0], spin[1], spin[2]}, q = cn_wide3_load(&packet->q[0][at], CN_PACKET);
    cn_wide3 dv = {linear[0] + q.x, linear[1] + q.y, linear[2] + q.z};
    cn_wide3 turn = cn_wide3_cross(s, n);
    return (cn_wide3){dv.x - turn.x, dv.y - turn.y, dv.z - turn.z};
}

// The bodies of a group under a change d of its impulses.
CN_INLINE void cn_ball_push(const cn_ball_packet *packet, int at, cn_wide3 n, cn_wide3 d,
                            double *body) {
    cn_wide3 turn = cn_wide3_cross(n, d);
    cn_wide zero = cn_wide_all(0.0);
    cn_wide linear[CN_WIDE] = {d.x, d.y, d.z, zero}, spin[CN_WIDE] = {turn.x, turn.y, turn.z, zero};
    cn_wide_transpose(linear);
    cn_wide_transpose(spin);
    for (int lane = 0; lane < CN_WIDE; lane++) {
        double *a = body + packet->a[at + lane], *b = body + packet->b[at + lane];
        cn_wide v = cn_wide_load(a), s = cn_wide_load(a + CN_WIDE);
        cn_wide_store(a, v - cn_wide_last(v) * linear[lane]);
        cn_wide lever = cn_wide_all(packet->arm_a[at + lane]) * cn_wide_last(s);
        cn_wide_store(a + CN_WIDE, s - lever * spin[lane]);
        v = cn_wide_load(b);
        s = cn_wide_load(b + CN_WIDE);
        cn_wide_store(b, v + cn_wide_last(v) * linear[lane]);
        lever = cn_wide_all(packet->arm_b[at + lane]) * cn_wide_last(s);
        cn_wide_store(b + CN_WIDE, s - lever * spin[lane]);
    }
}

// The closed form: the normal impulse that stops the approach, the tangential one that stops the
// slip, cut to the cone.
CN_INLINE cn_wide3 cn_ball_solve(const cn_ball_packet *packet, int at, cn_wide3 n, cn_wide3 u,
                                 cn_wide3 r) {
    cn_wide inv_wn = cn_wide_load(&packet->inv_wn[at]), inv_wt = cn_wide_load(&packet->inv_wt[at]);
    cn_wide un = cn_wide3_dot(u, n), rn = cn_wide3_dot(r, n);
    cn_wide normal = cn_wide_positive(rn - un * inv_wn);
    cn_wide3 t = cn_wide3_add(cn_wide3_add(r, -inv_wt, u), un * inv_wt - rn, n);
    cn_wide limit = cn_wide_load(&packet->mu[at]) * normal;
    cn_wide length = cn_wide_sqrt(cn_wide3_dot(t, t));
    cn_wide share = cn_wide_select(length > limit, limit / length, cn_wide_all(1.0));
    cn_wide3 result = {share * t.x, share * t.y, share * t.z};
    return cn_wide3_add(result, normal, n);
}

// Normals and velocities of a packet.
typedef struct cn_ball_fetched {
    cn_wide3 n[CN_GROUPS], u[CN_GROUPS];
} cn_ball_fetched;

CN_INLINE cn_ball_fetched cn_ball_fetch(const cn_ball_packet *packet, const double *body) {
    cn_ball_fetched out;
    for (int g = 0; g < CN_GROUPS; g++) {
        out.n[g] = cn_wide3_load(&packet->n[0][CN_WIDE * g], CN_PACKET);
        out.u[g] = cn_ball_velocity(packet, CN_WIDE * g, out.n[g], body);
    }
    return out;
}

// Asks for a packet and its impulses some packets ahead, and for the bodies of a nearer one.
CN_INLINE void cn_ball_ahead(const cn_ball_packet *packet, const double *x, const double *body) {
    cn_ask_for(packet + CN_PACKETS_AHEAD, sizeof *packet);
    cn_ask_for(x + CN_PACKETS_AHEAD * CN_BALL_IMPULSES, CN_BALL_IMPULSES * sizeof *x);
    const cn_ball_packet *near = packet + CN_BODIES_AHEAD;
    for (int lane = 0; lane < CN_PACKET; lane++) {
        cn_ask_for(body + near->a[lane], CN_BALL_RECORD * sizeof *body);
        cn_ask_for(body + near->b[lane], CN_BALL_RECORD * sizeof *body);
    }
}

static void cn_ball_sweep(int32_t packets, const cn_ball_packet *packet, double *x, double *body) {
    if (packets == 0) {
        return;
    }
    // The next packet shares no body with this one: its velocities are fetched before this one's
    // impulses are known, so that neither waits for the other.
    cn_ball_fetched now = cn_ball_fetch(packet, body);
    for (int32_t i = 0; i < packets; i++, packet++, x += CN_BALL_IMPULSES) {
        if (i + CN_BODIES_AHEAD < packets) {
            cn_ball_ahead(packet, x, body);
        }
        cn_ball_fetched next = cn_ball_fetch(i + 1 < packets ? packet + 1 : packet, body);
        cn_wide3 d[CN_GROUPS];
        for (int g = 0; g < CN_GROUPS; g++) {
            cn_wide3 r = cn_wide3_load(x + CN_WIDE * g, CN_PACKET);
            cn_wide3 answer = cn_ball_solve(packet, CN_WIDE * g, now.n[g], now.u[g], r);
            d[g] = cn_wide3_add(answer, cn_wide_all(-1.0), r);
            cn_wide3_store(x + CN_WIDE * g, CN_PACKET, answer);
        }
        for (int g = 0; g < CN_GROUPS; g++) {
            cn_ball_push(packet, CN_WIDE * g, now.n[g], d[g], body);
        }
        now = next;
    }
}

static void cn_ball_push_all(int32_t packets, const cn_ball_packet *packet, const double *x,
                             double *body) {
    for (int32_t i = 0; i < packets; i++, packet++, x += CN_BALL_IMPULSES) {
        for (int at = 0; at < CN_PACKET; at += CN_WIDE) {
            cn_wide3 n = cn_wide3_load(&packet->n[0][at], CN_PACKET);
            cn_wide3 r = cn_wide3_load(x + at, CN_PACKET);
            cn_ball_push(packet, at, n, r, body);
        }
    }
}

CN_INLINE cn_wide cn_ball_error(const cn_ball_packet *packet, int at, int32_t dim, cn_wide3 n,
                                cn_wide3 u, cn_wide3 r) {
    cn_wide trace = cn_wide_all(1.0) / cn_wide_load(&packet->inv_wn[at]) +
                    cn_wide_all(dim - 1.0) / cn_wide_load(&packet->inv_wt[at]);
    cn_wide un = cn_wide3_dot(u, n), rn = cn_wide3_dot(r, n);
    return cn_wide_natural(cn_wide_load(&packet->mu[at]), cn_wide_all(dim) / trace, un,
                           cn_wide3_add(u, -un, n), rn, cn_wide3_add(r, -rn, n));
}

static double cn_ball_errors(int32_t packets, const cn_ball_packet *packet, int32_t dim,
                             const double *x, const double *body) {
    cn_wide sum = cn_wide_all(0.0);
    for (int32_t i = 0; i < packets; i++, packet++, x += CN_BALL_IMPULSES) {
        for (int at = 0; at < CN_PACKET; at += CN_WIDE) {
            cn_wide3 n = cn_wide3_load(&packet->n[0][at], CN_PACKET);
            cn_wide3 u = cn_ball_velocity(packet, at, n, body);
            cn_wide3 r = cn_wide3_load(x + at, CN_PACKET);
            sum += cn_ball_error(packet, at, dim, n, u, r);
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#define CN_BALL_KERNEL                                                                             \
    { .sweep = cn_ball_sweep, .push = cn_ball_push_all, .error = cn_ball_errors }
