/* CPU quotas: of version 2 from cpu.max, of version 1 from cpu.cfs_quota_us and cpu.cfs_period_us; the smallest on the
   way from the own cgroup to the top counts. */
#include "cgroup.h"
#include "files.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One line of /proc/self/mountinfo, proc_pid_mountinfo(5). */
struct mount {
    char root[PATH_MAX], point[PATH_MAX], type[32], options[512];
};

static const char *next_mount(const char *text, struct mount *mount)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *dash = strstr(line, " - ");
        const char *end = strchr(line, '\n');
        if (!dash || (end && dash > end)) continue;
        if (sscanf(line, "%*s %*s %*s %4095s %4095s", mount->root, mount->point) != 2) continue;
        if (sscanf(dash, " - %31s %*s %511s", mount->type, mount->options) != 2) continue;
        return end ? end + 1 : "";
    }
    return NULL;
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

const char *cgroup_version(void)
{
    char *mounts = read_whole("/proc/self/mountinfo");
    bool one = false, two = false;
    static struct mount mount;
    for (const char *at = mounts; at && (at = next_mount(at, &mount));) {
        one |= strcmp(mount.type, "cgroup") == 0;
        two |= strcmp(mount.type, "cgroup2") == 0;
    }
    free(mounts);
    return one && two ? "hybrid" : one ? "v1" : two ? "v2" : NULL;
}

double cpu_quota_of(int directory)
{
    char text[64];
    if (read_small(directory, "cpu.max", text, sizeof text) > 0) {
        double quota, period;
        return sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0 ? quota / period : INFINITY;
    }
    if (read_small(directory, "cpu.cfs_quota_us", text, sizeof text) <= 0) return NAN;
    double quota = strtod(text, NULL), period = 0;
    if (read_small(directory, "cpu.cfs_period_us", text, sizeof text) > 0) period = strtod(text, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* The path in /proc/self/cgroup of the hierarchy with `controller` ("" for version 2's). */
static bool own_path(const char *memberships, const char *controller, char path[PATH_MAX])
{
    for (const char *line = memberships; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char controllers[256] = "";
        const char *colon = strchr(line, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
        if (!second) continue;
        snprintf(controllers, sizeof controllers, "%.*s", (int)(second - colon - 1), colon + 1);
        if (*controller ? !has_word(controllers, controller) : *controllers != '\0') continue;
        return sscanf(second + 1, "%4095[^\n]", path) == 1;
    }
    return false;
}

/* What of a group's path lies below the mount, "" for its top; NULL where the mount does not show the group. */
static char *below_mount(const struct mount *mount, char *path)
{
    size_t root = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
    if (strncmp(path, mount->root, root) != 0 || (path[root] != '/' && path[root] != '\0')) return NULL;
    return strcmp(path + root, "/") == 0 ? path + root + 1 : path + root;
}

/* The smallest quota on the way from the cgroup at `path` up to the mount's top. */
static double quota_upwards(const struct mount *mount, char *path)
{
    double least = INFINITY;
    if (!(path = below_mount(mount, path))) return least;
    for (;;) {
        static char place[2 * PATH_MAX];
        snprintf(place, sizeof place, "%s%s", mount->point, path);
        int directory = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (directory >= 0) {
            least = fmin(least, cpu_quota_of(directory)); /* fmin passes over NAN */
            close(directory);
        }
        char *slash = strrchr(path, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

double cpu_quota_cores(void)
{
    char *mounts = read_whole("/proc/self/mountinfo"), *memberships = read_whole("/proc/self/cgroup");
    static struct mount mount;
    static char path[PATH_MAX];
    double least = INFINITY;
    for (const char *at = mounts; at && memberships && (at = next_mount(at, &mount));) {
        bool one = strcmp(mount.type, "cgroup") == 0 && has_word(mount.options, "cpu");
        bool two = strcmp(mount.type, "cgroup2") == 0;
        if ((one || two) && own_path(memberships, one ? "cpu" : "", path))
            least = fmin(least, quota_upwards(&mount, path));
    }
    free(mounts);
    free(memberships);
    return least;
}

bool cgroup_folder(const char *memberships, enum hierarchy hierarchy, char folder[PATH_MAX])
{
    char *mounts = read_whole("/proc/self/mountinfo");
    static struct mount mount;
    static char path[PATH_MAX];
    bool found = false;
    for (const char *at = mounts; at && !found && (at = next_mount(at, &mount));) {
        bool fits = hierarchy == UNIFIED ? strcmp(mount.type, "cgroup2") == 0
                                         : strcmp(mount.type, "cgroup") == 0 && has_word(mount.options, "freezer");
        if (!fits || !own_path(memberships, hierarchy == UNIFIED ? "" : "freezer", path)) continue;
        const char *below = below_mount(&mount, path);
        /* A group above the own cgroup namespace begins with "/.."; one that was removed is not there. */
        found = below && strncmp(path, "/..", 3) != 0 &&
                snprintf(folder, PATH_MAX, "%s%s", mount.point, below) < PATH_MAX && access(folder, F_OK) == 0;
    }
    free(mounts);
    return found;
}
