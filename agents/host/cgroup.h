/* The process's own cgroup, versions 1 and 2 (cgroups(7)). */
#ifndef CGROUP_H
#define CGROUP_H

/* "v1", "v2", "hybrid", or NULL when none is mounted. */
const char *cgroup_version(void);
/* The smallest CPU quota from the process's own cgroup up to the top, in cores; INFINITY if none. */
double cpu_quota_cores(void);
/* The quota that one cgroup directory (open as `directory`) states, in cores; INFINITY if none,
   NAN when the directory holds no such file. */
double cpu_quota_of(int directory);

#endif
