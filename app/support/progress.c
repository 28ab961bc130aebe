// app/support/progress.c
// One line on stderr, rewritten in place: bar, count, residual, elapsed time and, where the total
// is known, what is left. The total of an iterative solver is its limit, so most end earlier.
#include "support/progress.h"

#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 24
#define DRAW_EVERY 0.1 // [s]

static volatile sig_atomic_t interrupt_flag;

static void interrupt_note(int signal_number __attribute__((unused))) {
    interrupt_flag = 1;
}

void interrupt_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt_note;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

bool interrupted(void) {
    return interrupt_flag != 0;
}

bool interrupt_poll(void *user __attribute__((unused))) {
    return interrupted();
}

progress_line progress_start(const char *label, bool wanted) {
    double now = wall_clock();
    return (progress_line){
        .label = label, .shown = wanted && isatty(STDERR_FILENO), .start = now, .drawn_at = now};
}

static void progress_draw(progress_line *line, const cn_progress *progress, double elapsed) {
    char text[256];
    size_t used = (size_t)snprintf(text, sizeof text, "%.60s  %.40s  ", line->label,
                                   progress->stage ? progress->stage : "");
    if (progress->total > 0) {
        double share = (double)progress->done / (double)progress->total;
        share = share < 1.0 ? share : 1.0;
        int filled = (int)(share * BAR_WIDTH);
        char bar[BAR_WIDTH + 1];
        memset(bar, '#', (size_t)filled);
        memset(bar + filled, '.', (size_t)(BAR_WIDTH - filled));
        bar[BAR_WIDTH] = '\0';
        used += (size_t)snprintf(text + used, sizeof text - used, "[%s] ", bar);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "%lld", (long long)progress->done);
    if (isfinite(progress->residual)) {
        used += (size_t)snprintf(text + used, sizeof text - used, "  residual %.2e",
                                 progress->residual);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "  %.1f s", elapsed);
    int64_t made = progress->done - line->first;
    if (progress->total > progress->done && made > 0) {
        double left = elapsed * (double)(progress->total - progress->done) / (double)made;
        snprintf(text + used, sizeof text - used, "  ETA %s%.0f s", line->reached ? "" : "<",
                 ceil(left));
    }
    // One column is left free so that the terminal does not wrap.
    int columns = terminal_columns(stderr) - 1;
    fprintf(stderr, "\r\033[K%.*s", columns, text);
    fflush(stderr);
    line->drawn = true;
}

bool progress_step(void *user, const cn_progress *progress) {
    progress_line *line = user;
    if (line->shown) {
        double now = wall_clock();
        if (now - line->drawn_at >= DRAW_EVERY) {
            progress_draw(line, progress, now - line->start);
            line->drawn_at = now;
        }
    }
    return !interrupted();
}

void progress_finish(progress_line *line) {
    if (line->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        line->drawn = false;
    }
}
