// app/reproduce_e6.c
// E6: shaken from below, a large ball rises through small ones.
//
// The height of the large ball is that of the pile too; what tells whether it has risen is how many
// of the small ones lie above its centre.
#include "reproduce_rows.h"

#include <math.h>
#include <stdlib.h>

#define CN_E6_ROWS 5.0   // [s] between rows of the table
#define CN_E6_ON_TOP 0.1 // share of the small balls above its centre: it is on top
#define CN_E6_LAST 5.0   // [s] at the end: what the shares are averaged over

static const cn_method cn_e6_methods[] = {{.label = "auto"}, {.label = NULL}};

static const cn_heading cn_e6_columns[] = {{"t [s]", "t"},
                                           {"floor [m]", "floor"},
                                           {"large ball [m]", "large"},
                                           {"small, median [m]", "median"},
                                           {"small, highest tenth [m]", "high"},
                                           {"share above", "share_above"},
                                           {NULL, NULL}};

typedef struct cn_e6_tracks {
    cn_series large, median, high, share;
    double *heights; // room for the small balls
    cn_body_id nut;  // all bodies after it are small balls
    int32_t bodies;
    cn_sheet *table;
} cn_e6_tracks;

static int cn_e6_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double cn_e6_last(const cn_series *series) {
    return series->y[series->count - 1];
}

static void cn_e6_take(void *user, double t, const double *q, const double *v) {
    cn_e6_tracks *tracks = user;
    int32_t small = 0, above = 0;
    double height = q[7 * (int64_t)(tracks->nut - 1) + 2];
    (void)v;
    for (cn_body_id id = tracks->nut + 1; id <= tracks->bodies; id++) {
        double z = q[7 * (int64_t)(id - 1) + 2];
        above += z > height;
        tracks->heights[small++] = z;
    }
    qsort(tracks->heights, (size_t)small, sizeof *tracks->heights, cn_e6_compare);
    cn_series_add(&tracks->large, t, height);
    cn_series_add(&tracks->median, t, tracks->heights[small / 2]);
    cn_series_add(&tracks->high, t, tracks->heights[small - small / 10 - 1]);
    cn_series_add(&tracks->share, t, (double)above / small);
    if (fabs(t / CN_E6_ROWS - round(t / CN_E6_ROWS)) < 1e-6) {
        cn_sheet_real(tracks->table, 4, t);
        cn_sheet_real(tracks->table, 3, q[2]);
        cn_sheet_real(tracks->table, 3, height);
        cn_sheet_real(tracks->table, 3, cn_e6_last(&tracks->median));
        cn_sheet_real(tracks->table, 3, cn_e6_last(&tracks->high));
        cn_sheet_real(tracks->table, 2, cn_e6_last(&tracks->share));
    }
}

static bool cn_e6_measure(cn_lab *lab, cn_result *result, cn_e6_tracks *tracks) {
    const cn_model *model = result->recorded.model;
    tracks->nut = cn_model_find_body(model, "nut");
    tracks->bodies = cn_model_body_count(model);
    tracks->heights = CN_ALLOCATE(double, tracks->bodies);
    tracks->table = &lab->table;
    return cn_result_frames(lab, result, cn_e6_take, tracks);
}

static double cn_e6_last_share(const cn_series *share) {
    double sum = 0.0, from = share->x[share->count - 1] - CN_E6_LAST;
    int32_t count = 0;
    for (int32_t i = 0; i < share->count; i++) {
        if (share->x[i] >= from) {
            sum += share->y[i];
            count++;
        }
    }
    return sum / count;
}

static void cn_e6_plot(cn_lab *lab, const cn_e6_tracks *tracks) {
    const cn_curve curves[] = {{.name = "large ball",
                                .note = "radius 2",
                                .x = tracks->large.x,
                                .y = tracks->large.y,
                                .count = tracks->large.count},
                               {.name = "small balls, median",
                                .note = "radius 1",
                                .x = tracks->median.x,
                                .y = tracks->median.y,
                                .count = tracks->median.count},
                               {.name = "highest tenth",
                                .note = "of the small balls",
                                .x = tracks->high.x,
                                .y = tracks->high.y,
                                .count = tracks->high.count}};
    cn_plot plot = {.title = "E6: the large ball rises through 800 small ones",
                    .subtitle = "heights of centres while the floor goes up and down",
                    .x_label = "t [s]",
                    .y_label = "height [m]",
                    .x_scale = CN_SCALE_LINEAR,
                    .y_scale = CN_SCALE_LINEAR,
                    .curves = curves,
                    .count = 3};
    cn_lab_plot(lab, "height", "height of the large ball over time", &plot);
    cn_curve share = {.name = "share above",
                      .note = "of the small balls",
                      .x = tracks->share.x,
                      .y = tracks->share.y,
                      .count = tracks->share.count};
    plot.title = "E6: share of the small balls above the large one's centre";
    plot.subtitle = "all at the start, none when it lies on top";
    plot.y_label = "share";
    plot.curves = &share;
    plot.count = 1;
    cn_lab_plot(lab, "share", "how many of the small balls are above it", &plot);
}

static void cn_e6(cn_lab *lab) {
    cn_trial trial = {.name = "nut",
                      .scene = "brazil-nut",
                      .method = &lab->experiment->methods[0],
                      .set = {{"time.frames_every", "0.1"}}};
    cn_result result;
    cn_e6_tracks tracks = {.heights = NULL};
    if (lab->quick) {
        trial.set[1] = (cn_override){"time.until", "0.2"};
    }
    if (!cn_lab_run(lab, &trial, &result)) {
        return;
    }
    if (cn_e6_measure(lab, &result, &tracks)) {
        double end = result.tally.t_end;
        const double times[] = {0.0, 0.25 * end, 0.5 * end, end};
        cn_lab_below(lab, "share of small balls above the large one at the end", "on top",
                     cn_e6_last_share(&tracks.share), cn_lab_limit(lab, CN_E6_ON_TOP));
        cn_lab_show(lab, "S_p", "", cn_result_speed(&result, end));
        cn_e6_plot(lab, &tracks);
        cn_lab_picture(lab, "nut", "four moments (the paper's figure 2)", &result, times, 4,
                       (cn_picture){.title = "E6: the Brazil nut effect",
                                    .subtitle = "one ball of radius 2 under 800 of radius 1"});
    }
    free(tracks.heights);
    cn_series_free(&tracks.large);
    cn_series_free(&tracks.median);
    cn_series_free(&tracks.high);
    cn_series_free(&tracks.share);
    cn_result_free(&result);
}

const cn_experiment cn_experiment_e6 = {
    .id = "E6",
    .title = "a large ball rises when shaken",
    .source = CN_SOURCE_RENOUF_2006 ", section 5, figure 2",
    .scenes = "brazil-nut",
    .methods = cn_e6_methods,
    .columns = cn_e6_columns,
    .differs = "the paper prints neither box, friction, nor the floor's motion; ours are in the "
               "scene, and were chosen so that the large ball rises: swings with a rest between "
               "them. Where they follow each other at once, the pile is stirred and the large ball "
               "goes up and down in it.",
    .run = cn_e6};
