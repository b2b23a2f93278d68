/* The end of a run's groups. Version 2 ends a group at once, processes that fork meanwhile and those of other PID
   namespaces too (cgroup.kill). In version 1 the group is frozen first, so that nothing can fork, then each process is
   killed, and dies when the group is thawed. */
#include "files.h"
#include "group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP_MS = 5, FREEZE_MS = 500, FOLDERS_OPEN = 32, FILE_PATH = PATH_MAX + 32, ALL_MS = 3000 };

static bool write_into(const char *folder, const char *name, const char *text)
{
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0) close(file);
    return written;
}

/* What nftw's visits share; it hands nothing on. */
static struct {
    bool kill;
    unsigned seen;
    unsigned without_number; /* of another PID namespace */
} visits;

static int visit_processes(const char *folder, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)where;
    if (type != FTW_DP) return 0;
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    char *text = read_whole(path);
    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        long pid = strtol(at, NULL, 10);
        visits.seen++;
        if (pid <= 0) visits.without_number++;
        else if (visits.kill) kill((pid_t)pid, SIGKILL);
    }
    free(text);
    /* Its own processes have frozen nothing for good; the group at the top is thawed last. */
    if (visits.kill) write_into(folder, "freezer.state", "THAWED");
    return 0;
}

/* Looks at every process in the group and below it. */
static unsigned look_through(const char *group, bool kills)
{
    memset(&visits, 0, sizeof visits);
    visits.kill = kills;
    nftw(group, visit_processes, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return visits.seen;
}

static bool is_frozen(const char *group)
{
    char path[FILE_PATH], text[32];
    snprintf(path, sizeof path, "%s/freezer.state", group);
    return read_small(-1, path, text, sizeof text) > 0 && strcmp(text, "FROZEN\n") == 0;
}

/* Kills all that is in the group; how many there were. */
static unsigned kill_all(const char *group)
{
    unsigned seen = look_through(group, false);
    if (seen == 0 || write_into(group, "cgroup.kill", "1")) return seen;
    write_into(group, "freezer.state", "FROZEN");
    for (int waited = 0; waited < FREEZE_MS && !is_frozen(group); waited += STEP_MS) usleep(STEP_MS * 1000);
    return look_through(group, true);
}

static int remove_folder(const char *folder, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)where;
    return type == FTW_DP ? rmdir(folder) : 0;
}

/* True when the group is gone; *seen is how many were in it at first. */
static bool end_group(const char *group, uint64_t deadline_ns, unsigned *seen)
{
    *seen = kill_all(group);
    for (unsigned left = *seen;; left = kill_all(group)) {
        if (left == 0) nftw(group, remove_folder, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
        if (access(group, F_OK) != 0) return true;
        if (now_ns(MONOTONIC) >= deadline_ns) return false;
        usleep(STEP_MS * 1000);
    }
}

bool end_run(const struct runs *runs, struct run *run, int wait_ms, unsigned *ended, char problem[PROBLEM])
{
    uint64_t deadline = now_ns(MONOTONIC) + (uint64_t)wait_ms * 1000000u;
    int kept = 0;
    *ended = 0;
    problem[0] = '\0';
    for (int i = 0; i < run->count; i++) {
        unsigned seen;
        char *group = run->groups[i];
        bool gone = end_group(group, deadline, &seen);
        *ended += seen;
        if (gone) continue;
        snprintf(problem, PROBLEM,
                 "%u processes are left in %.300s after SIGKILL (%u of another PID namespace); look at %s", visits.seen,
                 group, visits.without_number, "its cgroup.procs");
        if (kept != i) memcpy(run->groups[kept], group, PATH_MAX);
        kept++;
    }
    run->count = kept;
    char unwritten[PROBLEM] = "";
    bool written = write_run(runs, run, unwritten);
    if (!problem[0] && !written) snprintf(problem, PROBLEM, "%s", unwritten);
    return written && kept == 0;
}

/* All runs once, waiting for each until the deadline; true when nothing is left. */
static bool end_runs(const struct runs *runs, uint64_t deadline_ns, bool say)
{
    static struct run run;
    bool all = true;
    int copy = dup(runs->folder);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    if (!entries) return true;
    rewinddir(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char problem[PROBLEM] = "";
        unsigned ended;
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "lock") == 0 || strlen(entry->d_name) > TOKEN_MOST)
            continue;
        uint64_t now = now_ns(MONOTONIC);
        int wait_ms = deadline_ns > now ? (int)((deadline_ns - now) / 1000000u) : 0;
        bool done = read_run(runs, entry->d_name, &run, problem) && end_run(runs, &run, wait_ms, &ended, problem);
        if (!done && say && problem[0]) fail("the run %s: %s", entry->d_name, problem);
        all &= done;
    }
    closedir(entries);
    return all;
}

void end_left_groups(void)
{
    char problem[PROBLEM];
    struct runs runs;
    if (geteuid() != 0) return;
    if (!open_runs(&runs, false, problem)) fail("groups of runs may be left: %s", problem);
    /* All are killed before any is waited for. */
    else if (runs.folder >= 0 && !end_runs(&runs, 0, false))
        end_runs(&runs, now_ns(MONOTONIC) + ALL_MS * 1000000ull, true);
    close_runs(&runs);
}
