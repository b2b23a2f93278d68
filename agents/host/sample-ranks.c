/* proc_pid_stat(5), proc_pid_environ(5); a process's CPU time by its clock, clock_getcpuclockid(3). */
#include "files.h"
#include "mpi-library.h"
#include "sample.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A process is looked at several times, since one just forked execs the rank's program later. */
enum { ENVIRONMENT_BYTES = 1 << 18, FIRST_LOOKS = 1, LOOKS = 12, LONGEST_STEP = 256 };

static const uint64_t full_scan_interval_ns = 10000000000u;

bool ranks_open(struct rank_source *ranks, const char *variables)
{
    memset(ranks, 0, sizeof *ranks);
    ranks->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    ranks->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    ranks->environment = malloc(ENVIRONMENT_BYTES);
    ranks->loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ranks->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (const char *at = variables; *at && ranks->variables_count < RANK_VARIABLES; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        if (length + 2 > sizeof ranks->variables[0]) return false;
        if (length)
            snprintf(ranks->variables[ranks->variables_count++], sizeof ranks->variables[0], "%.*s=", (int)length, at);
        at += length;
    }
    return ranks->environment && ranks->proc >= 0 && ranks->variables_count > 0;
}

/* clang-format off */
static const char *const launchers[] = {
    "orted", "prted", "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "prun", "prte", "hydra_pmi_proxy",
    "hydra_bstrap_proxy", "srun", "slurmstepd", "flux", "flux-broker", "flux-shell", NULL,
};
static const char *const wrappers[] = {
    "slurmd", "sbatch", "ssh", "sshd", "sh", "bash", "dash", "zsh", "ksh", "busybox", "env", "timeout", "nice", "time",
    "perf", "gdb", "strace", "taskset", "numactl", "setsid", "stdbuf", "sudo", "predict-agent", NULL,
};
/* clang-format on */

enum kind { KIND_LAUNCHER, KIND_WRAPPER, KIND_PROGRAM };

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

/* Launchers and shells inherit or set a rank's variable and are not the rank's program. */
static enum kind kind_of(int pid)
{
    char path[32], target[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0) return KIND_WRAPPER; /* a kernel thread, a zombie, or not ours to see */
    target[length] = '\0';
    const char *name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
    return is_listed(name, launchers) ? KIND_LAUNCHER : is_listed(name, wrappers) ? KIND_WRAPPER : KIND_PROGRAM;
}

/* The rank that a process's environment tells; the first variable in the list wins. */
static bool read_rank(struct rank_source *ranks, int pid, int *number, int *priority)
{
    char path[32];
    snprintf(path, sizeof path, "%d/environ", pid);
    errno = 0;
    ssize_t length = read_small(ranks->proc, path, ranks->environment, ENVIRONMENT_BYTES);
    *priority = RANK_VARIABLES;
    const char *end = ranks->environment + (length > 0 ? length : 0);
    for (const char *word = ranks->environment; word < end; word += strlen(word) + 1)
        for (int i = 0; i < *priority && i < ranks->variables_count; i++) {
            size_t name = strlen(ranks->variables[i]);
            if (strncmp(word, ranks->variables[i], name) != 0 || !isdigit((unsigned char)word[name])) continue;
            *number = atoi(word + name);
            *priority = i;
        }
    return *priority < RANK_VARIABLES;
}

static void drop_rank(struct rank_source *ranks, int index)
{
    close(ranks->ranks[index].stat);
    ranks->ranks[index] = ranks->ranks[--ranks->ranks_count];
}

/* One process per rank number: the first that was found, unless a variable of more weight tells
   another (a Slurm batch script and its children all carry SLURM_PROCID=0). False when the rank is
   taken: the process may follow the one that holds it, as the next run's does. */
static bool add_rank(struct rank_source *ranks, int pid, int number, int priority)
{
    for (int i = 0; i < ranks->ranks_count; i++) {
        if (ranks->ranks[i].number != number) continue;
        if (ranks->ranks[i].priority <= priority) return false;
        drop_rank(ranks, i);
        break;
    }
    if (ranks->ranks_count == RANKS) return false;
    char path[32];
    snprintf(path, sizeof path, "%d/stat", pid);
    int stat = openat(ranks->proc, path, O_RDONLY | O_CLOEXEC);
    if (stat < 0) return true;
    struct rank *rank = &ranks->ranks[ranks->ranks_count++];
    *rank = (struct rank){.pid = pid, .number = number, .priority = priority, .stat = stat};
    snprintf(rank->instance, sizeof rank->instance, "%d", number);
    return true;
}

/* The number in /proc/PID/status that tells a process from its threads, which also have a /proc/TID. */
static bool is_thread(const struct rank_source *ranks, int pid)
{
    char path[32], text[2048];
    uint64_t leader;
    snprintf(path, sizeof path, "%d/status", pid);
    if (read_small(ranks->proc, path, text, sizeof text) <= 0 || !find_count(text, "Tgid:", &leader)) return true;
    return leader != (uint64_t)pid;
}

static int place_of(const struct rank_source *ranks, int pid)
{
    for (int i = 0; i < ranks->ranks_count; i++)
        if (ranks->ranks[i].pid == pid) return i;
    return -1;
}

/* A job's launcher works for the run too; it is known by its process. */
static void add_launcher(struct rank_source *ranks, int pid)
{
    char path[32];
    if (ranks->ranks_count == RANKS || place_of(ranks, pid) >= 0) return;
    snprintf(path, sizeof path, "%d/stat", pid);
    int stat = openat(ranks->proc, path, O_RDONLY | O_CLOEXEC);
    if (stat < 0) return;
    struct rank *launcher = &ranks->ranks[ranks->ranks_count++];
    *launcher = (struct rank){.pid = pid, .number = LAUNCHER, .stat = stat};
    snprintf(launcher->instance, sizeof launcher->instance, "%d", pid);
}

/* Looks at one process; the looks that are left for it afterwards. */
static int inspect(struct rank_source *ranks, int pid, int left)
{
    int number = 0, priority;
    bool is_rank = read_rank(ranks, pid, &number, &priority);
    if (!is_rank && (errno == ENOENT || errno == EACCES)) return 0;
    enum kind kind = kind_of(pid);
    if (kind == KIND_LAUNCHER && !is_thread(ranks, pid)) add_launcher(ranks, pid);
    /* A launcher's child and a rank's wrapper script exec the rank's program at any time. */
    if (!is_rank) return left - 1;
    if (kind != KIND_PROGRAM) return left;
    int place = place_of(ranks, pid);
    if (place >= 0) drop_rank(ranks, place);
    return is_thread(ranks, pid) || add_rank(ranks, pid, number, priority) ? 0 : left;
}

static void add_candidate(struct rank_source *ranks, int pid, int looks)
{
    if (place_of(ranks, pid) >= 0) return;
    for (int i = 0; i < ranks->candidates_count; i++)
        if (ranks->candidates[i].pid == pid) return;
    if (ranks->candidates_count < CANDIDATES && pid != getpid())
        ranks->candidates[ranks->candidates_count++] = (struct candidate){pid, looks};
}

struct directory_entry { /* getdents64(2) */
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static void add_all_processes(struct rank_source *ranks, int looks)
{
    _Alignas(8) char entries[32768];
    if (lseek(ranks->proc, 0, SEEK_SET) < 0) return;
    for (long length; (length = syscall(SYS_getdents64, ranks->proc, entries, sizeof entries)) > 0;)
        for (long at = 0; at < length;) {
            const struct directory_entry *entry = (const struct directory_entry *)(entries + at);
            at += entry->length;
            if (isdigit((unsigned char)entry->name[0])) add_candidate(ranks, atoi(entry->name), looks);
        }
}

/* Listing /proc costs far more than the last field of /proc/loadavg, the newest pid of this pid
   namespace: the pids between the one before and it are looked at one by one, and all of /proc
   only at the start, when the pids have wrapped or jumped, and now and then to be safe. */
static void find_candidates(struct rank_source *ranks, uint64_t now)
{
    char text[128];
    const char *newest = read_again(ranks->loadavg, text, sizeof text) > 0 ? strrchr(text, ' ') : NULL;
    int pid = newest ? (int)take_count(&newest) : 0, known = ranks->newest_pid;
    ranks->newest_pid = pid;
    if (known == 0 || pid < known || pid - known > LONGEST_STEP || now >= ranks->full_scan_ns) {
        add_all_processes(ranks, FIRST_LOOKS);
        ranks->full_scan_ns = now + full_scan_interval_ns;
    } else {
        for (int at = known + 1; at <= pid; at++) add_candidate(ranks, at, LOOKS);
    }
}

void ranks_scan(struct rank_source *ranks, uint64_t now)
{
    find_candidates(ranks, now);
    int kept = 0;
    for (int i = 0; i < ranks->candidates_count; i++) {
        struct candidate candidate = ranks->candidates[i];
        candidate.looks = inspect(ranks, candidate.pid, candidate.looks);
        if (candidate.looks > 0) ranks->candidates[kept++] = candidate;
    }
    ranks->candidates_count = kept;
}

/* The clock of all threads of a process, in the kernel's encoding (see clock_getcpuclockid):
   the complement of the pid above three bits, of which 2 chooses scheduler time. */
bool read_process_clock(int pid, uint64_t *ns)
{
    struct timespec time;
    if (clock_gettime((clockid_t)(~(unsigned)pid << 3 | 2u), &time) != 0) return false;
    *ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return true;
}

/* `rank.mpi`, once: 1 for Open MPI, 2 for MPICH and its kin. */
static void sample_library(struct rank *rank, struct output *output)
{
    enum { MOST_READINGS = 1 << 20 };
    if (rank->library_known || rank->readings == MOST_READINGS) return;
    rank->readings++;
    if ((rank->readings & (rank->readings - 1)) != 0) return;
    enum mpi_library library = mpi_library_of(rank->pid);
    rank->library_known = library != NO_MPI_LIBRARY;
    if (rank->library_known) output_value(output, "rank.mpi", rank->instance, library);
}

static bool sample_rank(struct rank_source *ranks, struct rank *rank, struct output *output)
{
    enum { STATE = 3, USER_TICKS = 14, SYSTEM_TICKS = 15, RESIDENT_PAGES = 24 };
    char text[1024];
    uint64_t cpu_ns = 0;
    output_stamp(output);
    bool exact = read_process_clock(rank->pid, &cpu_ns);
    if (read_again(rank->stat, text, sizeof text) <= 0) return false;
    const char *name_end = strrchr(text, ')'); /* the name itself may hold blanks and brackets */
    if (!name_end || name_end[1] != ' ') return false;
    const char *at = name_end + 2;
    char state = *at;
    if (state == 'Z' || state == 'X') return false;
    uint64_t fields[RESIDENT_PAGES + 1] = {0};
    for (int i = STATE + 1; i <= RESIDENT_PAGES; i++) {
        at = strchr(at, ' ');
        if (!at) return false;
        at++;
        const char *number = at;
        fields[i] = take_count(&number);
    }
    if (!exact) cpu_ns = (fields[USER_TICKS] + fields[SYSTEM_TICKS]) * ranks->tick_ns;
    if (rank->number == LAUNCHER) {
        output_value(output, "launcher.cpu_ns", rank->instance, cpu_ns);
        return true;
    }
    output_value(output, "rank.cpu_ns", rank->instance, cpu_ns);
    output_value(output, "rank.running", rank->instance, state == 'R');
    output_value(output, "rank.rss_bytes", rank->instance, fields[RESIDENT_PAGES] * ranks->page_bytes);
    sample_library(rank, output);
    return true;
}

void ranks_sample(struct rank_source *ranks, struct output *output)
{
    for (int i = 0; i < ranks->ranks_count;)
        if (sample_rank(ranks, &ranks->ranks[i], output)) i++;
        else drop_rank(ranks, i);
}
