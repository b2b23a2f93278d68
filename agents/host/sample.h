/* The sampler's pieces: an output that never blocks the sampling, and one source per resource.
   All values are cumulative counters or levels as the kernel gives them, never rates. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- output: lines wait here until stdout takes them ---- */
struct output {
    char *data; /* OUTPUT_LIMIT bytes, touched only as far as used */
    size_t used, sent;
    uint64_t written_ns;
    char stamp[24];
    size_t stamp_length;
    int file; /* a non-blocking descriptor of the same pipe or file as stdout, or 1 */
    bool is_socket, broken;
};

bool output_open(struct output *output);
/* Reads CLOCK_REALTIME as the time of the values that follow: called right before their read. */
void output_stamp(struct output *output);
void output_value(struct output *output, const char *metric, const char *instance, uint64_t value);
void output_line(struct output *output, const char *line);
/* Writes what is due (64 KiB gathered, or 2 s passed); false when no room is left for a sample. */
bool output_pump(struct output *output);
/* Makes what has gathered due. */
void output_hurry(struct output *output);
/* Writes everything, waiting at most `seconds` for a slow reader; false when it could not. */
bool output_finish(struct output *output, double seconds);

/* ---- CPU: a cgroup's accounting, that of this PID namespace's processes, or /proc/stat ---- */
enum { CGROUP_DIRS = 8, PROCESSES = 1024 };

struct counted {
    int pid;
    uint64_t own_ns, children_ns;
};

struct cpu_source {
    int host_stat;       /* /proc/stat, or -1 */
    int usage;           /* v1 cpuacct.usage, or -1 */
    int stat;            /* cpu.stat, or -1 */
    bool stat_has_usage; /* v2 */
    const char *throttled_name;
    uint64_t throttled_unit;
    DIR *processes; /* /proc, or NULL */
    struct counted known[PROCESSES];
    int known_count;
    uint64_t list_next_ns;
    uint64_t processes_ns, processes_last_ns; /* their growth since the start; their sum at the last reading */
    int quota_directory;
    uint64_t capacity_mcores; /* last emitted */
    uint64_t capacity_next_ns;
    uint64_t tick_ns;
    int cores;
    double kept_to; /* cores that ranks use at most, of themselves */
    char *text;
    size_t text_size;
};

/* False, after saying why, when the cgroup directories hold no CPU accounting. */
bool cpu_open(struct cpu_source *cpu, const char *const *cgroups, int cgroups_count, int cores);
void cpu_sample(struct cpu_source *cpu, struct output *output, uint64_t now);

/* ---- network: /proc/net/dev of the namespace in which the sampler started ---- */
enum { INTERFACES = 32 };

struct net_source {
    int file;
    const char *const *interfaces;
    int interfaces_count;
    char *text;
};

bool net_open(struct net_source *net, const char *const *interfaces, int interfaces_count);
void net_sample(struct net_source *net, struct output *output);

/* ---- whole disks (absent inside a cgroup host: the kernel counts them for the machine) ---- */
enum { DISKS = 64 };

struct disk {
    char name[32];
    int file;
    uint64_t last[3];
};

struct disk_source {
    int count;
    struct disk disks[DISKS];
};

void disk_open(struct disk_source *disks);
void disk_sample(struct disk_source *disks, struct output *output);

/* ---- memory ---- */
struct memory_source {
    int meminfo, vmstat, used_file; /* used_file: the cgroup's, or -1 */
    uint64_t last_used, last_available, last_kills, kills_next_ns;
};

void memory_open(struct memory_source *memory, const char *const *cgroups, int cgroups_count);
/* `now` is CLOCK_MONOTONIC. */
void memory_sample(struct memory_source *memory, struct output *output, uint64_t now);

/* ---- MPI ranks, and the launchers that started them ---- */
enum { LAUNCHER = -1, RANKS = 1024, RANK_VARIABLES = 8, CANDIDATES = 8192, SCAN_INTERVAL_MS = 250 };

struct rank {
    int pid, number, priority; /* number: LAUNCHER for one; priority: place of the variable that told it, 0 first */
    int stat;                  /* /proc/PID/stat */
    char instance[12];
    int readings; /* so far; its MPI library is looked for at the first, second, fourth, ... until it is known */
    bool library_known;
};

struct candidate {
    int pid, looks; /* looks still to be taken */
};

struct rank_source {
    char variables[RANK_VARIABLES][48];
    int variables_count;
    int ranks_count;
    struct rank ranks[RANKS];
    int candidates_count;
    struct candidate candidates[CANDIDATES];
    int newest_pid;
    uint64_t full_scan_ns;
    int proc, loadavg;
    uint64_t page_bytes, tick_ns;
    char *environment;
};

/* Where launchers tell a process its rank. */
#define RANK_ENVIRONMENT "OMPI_COMM_WORLD_RANK,PMI_RANK,SLURM_PROCID"

bool ranks_open(struct rank_source *ranks, const char *variables);
/* `now` is CLOCK_MONOTONIC. */
void ranks_scan(struct rank_source *ranks, uint64_t now);
void ranks_sample(struct rank_source *ranks, struct output *output);
/* What all threads of a process have used; false when it is gone. */
bool read_process_clock(int pid, uint64_t *ns);

#endif
