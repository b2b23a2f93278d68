/* Lines are counted by the length of the first ones, memory by what loading takes at its peak: numbers of edges and one
   set of lists made from them; per vertex a table's slot, and what algorithms keep. A host has what the kernel says is
   available, and no more than its control groups allow (cgroups(7), both versions). */
#define _GNU_SOURCE
#include "capacity.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SAMPLE = 64 << 10, PER_EDGE = 16, PER_WEIGHTED_EDGE = 24, PER_VERTEX = 64, PER_GHOST = 64 };

static double lines_of(const char *path)
{
    static char sample[SAMPLE];
    struct stat st;
    FILE *f = fopen(path, "r");
    if (!f || fstat(fileno(f), &st) != 0) return 0;
    size_t got = fread(sample, 1, sizeof sample, f), lines = 0;
    fclose(f);
    for (size_t k = 0; k < got; k++) lines += sample[k] == '\n';
    return lines == 0 ? 1 : (double)st.st_size * (double)lines / (double)got;
}

static double number_in(const char *path)
{
    double n = -1;
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    if (fscanf(f, "%lf", &n) != 1) n = -1;
    fclose(f);
    return n;
}

static double available(void)
{
    char line[256];
    double kib = -1;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1) break;
    if (f) fclose(f);
    return kib < 0 ? 1e300 : kib * 1024;
}

/* The least limit of the group and those above it. */
static double least_limit(const char *root, const char *file, char *group)
{
    double least = 1e300;
    for (;;) {
        char path[4600];
        snprintf(path, sizeof path, "%s%s/%s", root, group, file);
        double limit = number_in(path);
        if (limit > 0 && limit < least) least = limit;
        char *slash = strrchr(group, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

static double group_limit(void)
{
    char line[4200];
    double least = 1e300;
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *group = strchr(line, '/'), *memory = strstr(line, ":memory:");
        double limit = 1e300;
        if (!group) continue;
        if (memory) limit = least_limit("/sys/fs/cgroup/memory", "memory.limit_in_bytes", group);
        else if (!strncmp(line, "0::", 3)) limit = least_limit("/sys/fs/cgroup", "memory.max", group);
        if (limit < least) least = limit;
    }
    if (f) fclose(f);
    return least;
}

static int ranks_here(void)
{
    MPI_Comm here;
    int ranks;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    return ranks;
}

int capacity_suffices(struct net *net, const struct files *files, const struct algorithm *algorithm, int threads,
                      char error[256])
{
    double vertices = lines_of(files->vertices), edges = lines_of(files->edges), ranks = net->ranks;
    double ends = edges * (files->directed ? 1 : 2), ghosts = ranks == 1 ? 0 : ends / ranks;
    if (ghosts > vertices) ghosts = vertices;
    double per_edge = algorithm->needs_weights || (files->directed && ranks > 1) ? PER_WEIGHTED_EDGE : PER_EDGE;
    double more = algorithm->thread_bytes * (threads - 1), have = available();
    double need = (ends * per_edge + vertices * (PER_VERTEX + more)) / ranks + ghosts * (PER_GHOST + more);
    if (group_limit() < have) have = group_limit();
    uint64_t most[2] = {(uint64_t)(need * ranks_here() / 1024), UINT64_MAX - (uint64_t)(have / 1024)};
    net_max(net, most, 2);
    double needed = (double)most[0] / 0x1p20, least = (double)(UINT64_MAX - most[1]) / 0x1p20;
    if (needed <= least) return 1;
    snprintf(
        error, 256,
        "out of memory: %s with some %.3g vertices and %s with %.3g edges need some %.1f GiB on a host, of which one has"
        " %.1f; use more hosts or a smaller graph.",
        strrchr(files->vertices, '/') ? strrchr(files->vertices, '/') + 1 : files->vertices, vertices,
        strrchr(files->edges, '/') ? strrchr(files->edges, '/') + 1 : files->edges, edges, needed, least);
    return 0;
}
