/* The second line behind a lease's keepers, where systemd runs: a transient timer, systemd-run(1), of `link expire`. It
   lives in the service manager, so that it outlasts every process of ours on the host; the service that it starts is
   started again when it is killed. A renewal leaves it as it is: it finds the later deadline and arms the next one. */
#include "files.h"
#include "link.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Seconds after the deadline, for the keepers to go first. */
static const double behind_s = 1;

enum { UNIT_TEXT = 64 };

/* What `timer` says: the unit, and the uptime in seconds at which it is due. */
struct timer {
    char unit[UNIT_TEXT];
    double due_s;
};

static double uptime_s(void) { return (double)now_ns(BOOTTIME) / 1e9; }

/* True when systemd has the unit loaded. */
static bool read_timer(int folder, struct timer *timer)
{
    char text[UNIT_TEXT + 64], path[UNIT_TEXT + 64];
    *timer = (struct timer){0};
    if (folder < 0 || read_small(folder, "timer", text, sizeof text) <= 0 ||
        sscanf(text, "%63[0-9a-z] %lf", timer->unit, &timer->due_s) != 2)
        return false;
    snprintf(path, sizeof path, "/run/systemd/transient/%s.timer", timer->unit);
    return access(path, F_OK) == 0;
}

bool timer_armed(int folder)
{
    struct timer timer;
    return read_timer(folder, &timer) && timer.due_s > uptime_s();
}

void stop_timer(int folder)
{
    struct timer timer;
    char unit[UNIT_TEXT + 8], ignored[PROBLEM];
    if (!read_timer(folder, &timer)) return;
    snprintf(unit, sizeof unit, "%s.timer", timer.unit);
    run_tool((const char *const[]){"systemctl", "--quiet", "stop", unit, NULL}, NULL, NULL, ignored);
}

static bool start_timer(const struct state *state, const struct timer *timer, char problem[PROBLEM])
{
    char self[PATH_MAX], unit[UNIT_TEXT + 8], active[48];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    snprintf(unit, sizeof unit, "--unit=%s", timer->unit);
    snprintf(active, sizeof active, "--on-active=%.2fs", timer->due_s - uptime_s());
    const char *const words[] = {"systemd-run",
                                 "--quiet",
                                 "--collect",
                                 unit,
                                 active,
                                 "--timer-property=AccuracySec=1s",
                                 "--property=Restart=on-failure",
                                 "--property=RestartSec=1s",
                                 "--property=StartLimitIntervalSec=600s",
                                 "--property=StartLimitBurst=60",
                                 self,
                                 "link",
                                 "expire",
                                 "--interface",
                                 state->interface,
                                 NULL};
    return run_tool(words, NULL, NULL, problem) == 0;
}

bool ensure_timer(const struct state *state, char problem[PROBLEM])
{
    uint64_t deadline;
    struct timer armed;
    problem[0] = '\0';
    if (!systemd_runs() || read_lease(state->folder, &deadline) != LEASE_RUNNING) return true;
    bool loaded = read_timer(state->folder, &armed);
    struct timer next = {.due_s = (double)deadline / 1e9 + behind_s};
    /* One that is due has started its service, which is waiting for the lock or has it. */
    if (loaded && armed.due_s > uptime_s() && armed.due_s <= next.due_s + behind_s) return true;
    if (loaded && armed.due_s > uptime_s()) stop_timer(state->folder);
    snprintf(next.unit, sizeof next.unit, "predict%ux%" PRIu64, if_nametoindex(state->interface), deadline / 10000000u);
    char text[UNIT_TEXT + 64];
    snprintf(text, sizeof text, "%s %.2f\n", next.unit, next.due_s);
    if (!start_timer(state, &next, problem)) {
        if (!problem[0]) snprintf(problem, PROBLEM, "systemd-run said nothing");
        return false;
    }
    if (replace_file(state->folder, "timer", text)) return true;
    snprintf(problem, PROBLEM, "the state folder cannot be written");
    return false;
}
