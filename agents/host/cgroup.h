/* The cgroups of processes, versions 1 and 2 (cgroups(7)). */
#ifndef CGROUP_H
#define CGROUP_H

#include <limits.h>
#include <stdbool.h>

/* "v1", "v2", "hybrid", or NULL when none is mounted. */
const char *cgroup_version(void);
/* The smallest CPU quota from the process's own cgroup up to the top, in cores; INFINITY if none. */
double cpu_quota_cores(void);
/* The quota that one cgroup directory (open as `directory`) states, in cores; INFINITY if none,
   NAN when the directory holds no such file. */
double cpu_quota_of(int directory);

enum hierarchy { UNIFIED, FREEZER }; /* version 2, also beside version 1; that of version 1 that can freeze */
/* The folder of a process's group, of which `memberships` is /proc/PID/cgroup; false where no mount shows it. */
bool cgroup_folder(const char *memberships, enum hierarchy hierarchy, char folder[PATH_MAX]);

#endif
