/* A process into its run's group: below the group that it is in, of version 2 where that can end a group at once
   (cgroup.kill, cgroups-v2.rst), else of version 1's freezer (freezer-subsystem.rst). */
#include "cgroup.h"
#include "files.h"
#include "group.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_PATH = PATH_MAX + 32 };

static bool move(pid_t pid, const char *group)
{
    char path[FILE_PATH], text[16];
    int length = snprintf(text, sizeof text, "%d", pid);
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool moved = file >= 0 && write(file, text, (size_t)length) == length;
    int reason = errno;
    if (file >= 0) close(file);
    errno = reason;
    return moved;
}

static void forget_last(const struct runs *runs, struct run *run)
{
    char ignored[PROBLEM];
    run->count--;
    write_run(runs, run, ignored);
}

/* Registers a group below `parent`, then makes it. False with a sentence, and nothing is left. */
static bool make_group(const struct runs *runs, struct run *run, const char *parent, enum hierarchy hierarchy,
                       char problem[PROBLEM])
{
    uint64_t chance;
    char kill_file[FILE_PATH];
    if (run->count == GROUPS_MOST) {
        snprintf(problem, PROBLEM, "the run %s has processes in more than %d groups; end it first", run->token,
                 GROUPS_MOST);
        return false;
    }
    /* By chance, because hosts of a lab may share the groups of one machine. */
    char name[TOKEN_MOST + 32], *group = run->groups[run->count];
    bool drawn = getrandom(&chance, sizeof chance, 0) == sizeof chance;
    snprintf(name, sizeof name, "predict-%s-%016" PRIx64, run->token, chance);
    if (!drawn || snprintf(group, PATH_MAX, "%s/%s", parent, name) >= PATH_MAX) {
        snprintf(problem, PROBLEM, "there is no name for a group below %.300s", parent);
        return false;
    }
    run->count++;
    if (!write_run(runs, run, problem)) {
        run->count--;
        return false;
    }
    snprintf(kill_file, sizeof kill_file, "%s/cgroup.kill", group);
    bool made = mkdir(group, 0755) == 0;
    if (made && (hierarchy != UNIFIED || access(kill_file, F_OK) == 0)) return true;
    if (made) {
        snprintf(problem, PROBLEM, "the groups below %.300s have no cgroup.kill; it takes Linux 5.14", parent);
        rmdir(group);
    } else
        snprintf(problem, PROBLEM, "no control group can be made below %.300s (%s); mount it writable", parent,
                 strerror(errno));
    forget_last(runs, run);
    return false;
}

/* The run's group whose folder lies right below `parent`; NULL when there is none. */
static const char *group_below(const struct run *run, const char *parent)
{
    size_t length = strlen(parent);
    for (int i = 0; i < run->count; i++)
        if (strncmp(run->groups[i], parent, length) == 0 && strrchr(run->groups[i], '/') == run->groups[i] + length &&
            access(run->groups[i], F_OK) == 0)
            return run->groups[i];
    return NULL;
}

/* The run's group that holds `folder`, or is it; NULL when there is none. */
static const char *group_above(const struct run *run, const char *folder)
{
    for (int i = 0; i < run->count; i++) {
        size_t length = strlen(run->groups[i]);
        if (strncmp(folder, run->groups[i], length) == 0 && (folder[length] == '/' || folder[length] == '\0'))
            return run->groups[i];
    }
    return NULL;
}

bool enter_group(const struct runs *runs, struct run *run, pid_t pid, char group[PATH_MAX], char problem[PROBLEM])
{
    static char parent[PATH_MAX];
    char path[64];
    bool entered = false;
    snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
    char *memberships = read_whole(path);
    snprintf(problem, PROBLEM, "no control groups of process %d are mounted here; mount cgroup2 on /sys/fs/cgroup",
             pid);
    for (enum hierarchy hierarchy = UNIFIED; memberships && !entered && hierarchy <= FREEZER; hierarchy++) {
        if (!cgroup_folder(memberships, hierarchy, parent)) continue;
        const char *found = group_above(run, parent);
        entered = found != NULL;
        if (!entered) {
            found = group_below(run, parent);
            bool fresh = !found;
            if (fresh && !make_group(runs, run, parent, hierarchy, problem)) continue;
            if (fresh) found = run->groups[run->count - 1];
            entered = move(pid, found);
            if (!entered) snprintf(problem, PROBLEM, "process %d cannot be moved (%s)", pid, strerror(errno));
            if (!entered && fresh && rmdir(found) == 0) forget_last(runs, run);
        }
        if (entered) snprintf(group, PATH_MAX, "%s", found);
    }
    free(memberships);
    return entered;
}
