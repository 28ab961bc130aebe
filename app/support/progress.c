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
#define BAR_MIN 8
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

// Count, residual, elapsed time and time left: what must be seen, however narrow the terminal.
static void progress_tail(const progress_line *line, const cn_progress *progress, double elapsed,
                          char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%lld", (long long)progress->done);
    if (isfinite(progress->residual)) {
        used += (size_t)snprintf(text + used, size - used, "  residual %.2e", progress->residual);
    }
    used += (size_t)snprintf(text + used, size - used, "  %.1f s", elapsed);
    int64_t made = progress->done - line->first;
    if (progress->total > progress->done && made > 0) {
        double left = elapsed * (double)(progress->total - progress->done) / (double)made;
        snprintf(text + used, size - used, "  ETA %s%.0f s", line->reached ? "" : "<", ceil(left));
    }
}

void progress_text(const progress_line *line, const cn_progress *progress, double elapsed,
                   int32_t columns, char *text, size_t size) {
    char tail[160], label[160], bar[BAR_WIDTH + 4] = "";
    progress_tail(line, progress, elapsed, tail, sizeof tail);
    snprintf(label, sizeof label, "%.60s  %.40s", line->label,
             progress->stage ? progress->stage : "");
    // The rest of the line is the bar's, up to its width, then the label's.
    int32_t rest = columns - text_columns(tail) - text_columns(label) - 4;
    int32_t width = rest - 3 < BAR_WIDTH ? rest - 3 : BAR_WIDTH;
    width = width < BAR_MIN ? BAR_MIN : width;
    if (progress->total > 0 && columns - text_columns(tail) > 2 * BAR_MIN) {
        double share = (double)progress->done / (double)progress->total;
        int filled = (int)((share < 1.0 ? share : 1.0) * width);
        bar[0] = '[';
        memset(bar + 1, '#', (size_t)filled);
        memset(bar + 1 + filled, '.', (size_t)(width - filled));
        memcpy(bar + 1 + width, "] ", 3);
    }
    int32_t room = columns - text_columns(tail) - (int32_t)strlen(bar) - 2;
    size_t shown = 0;
    for (int32_t i = 0; i < room && label[shown]; i++) {
        shown++;
        while (((unsigned char)label[shown] & 0xc0) == 0x80) {
            shown++;
        }
    }
    snprintf(text, size, "%.*s%s%s%s", (int)shown, label, shown > 0 ? "  " : "", bar, tail);
}

static void progress_draw(progress_line *line, const cn_progress *progress, double elapsed) {
    char text[512];
    // One column is left free so that the terminal does not wrap.
    progress_text(line, progress, elapsed, terminal_columns(stderr) - 1, text, sizeof text);
    fputs("\r\033[K", stderr);
    print_safe(stderr, text);
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
