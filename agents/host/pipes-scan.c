/* Which processes belong to the job: those that were named, and all that they start. Changes are printed as they are
 * found. */
#include "files.h"
#include "pipes.h"
#include "printable.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSES = 4096, MOST_THREADS = 256, SETTLE_NS = 200000000 };

static void forget_threads(struct process *process)
{
    for (int i = 0; i < process->threads_count; i++) {
        const struct thread *thread = &process->threads[i];
        const int files[] = {thread->syscall, thread->schedstat, thread->children};
        for (size_t f = 0; f < sizeof files / sizeof *files; f++)
            if (files[f] >= 0) close(files[f]);
    }
    process->threads_count = 0;
}

static void drop_process(struct pipes *pipes, int index, const char *why)
{
    struct process *process = &pipes->processes[index];
    char line[128];
    snprintf(line, sizeof line, "gone\t%d\t%s", process->pid, why);
    output_line(&pipes->output, line);
    forget_threads(process);
    if (process->io >= 0) close(process->io);
    free(process->threads);
    free(process->ends);
    pipes->changed = true;
    pipes->processes[index] = pipes->processes[--pipes->processes_count];
}

bool read_status(struct pipes *pipes, int pid, struct status *status)
{
    enum { STATE = 3, PARENT = 4, THREADS = 20, START = 22 };
    char path[32], text[1024];
    snprintf(path, sizeof path, "%d/stat", pid);
    if (read_small(pipes->proc, path, text, sizeof text) <= 0) return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close[1] != ' ') return false;
    *close = '\0';
    copy_printable(status->comm, sizeof status->comm, open + 1);
    const char *at = close + 2;
    status->state = *at;
    uint64_t fields[START + 1] = {0};
    for (int i = STATE + 1; i <= START; i++) {
        at = strchr(at, ' ');
        if (!at) return false;
        const char *number = ++at;
        fields[i] = take_count(&number);
    }
    status->parent = (int)fields[PARENT];
    status->threads = (int)fields[THREADS];
    status->start = fields[START];
    return status->state != 'Z' && status->state != 'X';
}

static void read_args(struct pipes *pipes, int pid, char *args)
{
    char path[32], text[ARGS_BYTES];
    snprintf(path, sizeof path, "%d/cmdline", pid);
    ssize_t length = read_small(pipes->proc, path, text, sizeof text);
    while (length > 0 && text[length - 1] == '\0') length--;
    for (ssize_t i = 0; i < length; i++)
        if (text[i] == '\0') text[i] = ' ';
    text[length > 0 ? length : 0] = '\0';
    copy_printable(args, ARGS_BYTES, text);
}

/* ---- threads ---- */

static void add_thread(struct pipes *pipes, struct process *process, int tid)
{
    struct thread *threads = process->threads_count < MOST_THREADS ? grown(process->threads, &process->threads_room,
                                                                           process->threads_count, sizeof *threads)
                                                                   : NULL;
    if (!threads) return;
    process->threads = threads;
    char path[64], text[256];
    snprintf(path, sizeof path, "%d/task/%d/syscall", process->pid, tid);
    int file = openat(pipes->proc, path, O_RDONLY | O_CLOEXEC);
    /* Who may open it may still not read it. */
    if (file >= 0 && read_again(file, text, sizeof text) < 0 && errno != ESRCH) {
        close(file);
        file = NOWHERE;
    }
    if (file < 0) process->by_wchan = true;
    threads[process->threads_count++] =
        (struct thread){.tid = tid, .syscall = file, .schedstat = NOWHERE, .children = NOWHERE};
}

static void find_threads(struct pipes *pipes, struct process *process)
{
    char path[32];
    forget_threads(process);
    snprintf(path, sizeof path, "/proc/%d/task", process->pid);
    DIR *all = opendir(path);
    if (!all) return;
    for (struct dirent *entry; (entry = readdir(all));)
        if (isdigit((unsigned char)entry->d_name[0])) add_thread(pipes, process, atoi(entry->d_name));
    closedir(all);
}

/* ---- processes ---- */

struct process *process_of(struct pipes *pipes, int pid)
{
    for (int i = 0; i < pipes->processes_count; i++)
        if (pipes->processes[i].pid == pid) return &pipes->processes[i];
    return NULL;
}

static void print_process(struct pipes *pipes, const struct process *process)
{
    char line[ARGS_BYTES + COMM_BYTES + 128];
    snprintf(line, sizeof line, "process\t%d\t%" PRIu64 "\t%d\t%s\t%s", process->pid, process->start, process->parent,
             process->comm, process->args);
    output_line(&pipes->output, line);
}

/* What may have changed since the last scan: the program, its threads, its descriptors. */
static void refresh(struct pipes *pipes, struct process *process, const struct status *status)
{
    char args[ARGS_BYTES];
    read_args(pipes, process->pid, args);
    if (strcmp(args, process->args) != 0 || strcmp(status->comm, process->comm) != 0 ||
        process->parent != status->parent) {
        memcpy(process->args, args, sizeof args);
        memcpy(process->comm, status->comm, sizeof status->comm);
        process->parent = status->parent;
        print_process(pipes, process);
    }
    if (process->denied) return;
    if (status->threads != process->threads_count || process->threads_count > 1) find_threads(pipes, process);
    if (find_ends(pipes, process)) return;
    process->denied = true;
    forget_threads(process);
    char line[64];
    snprintf(line, sizeof line, "denied\t%d", process->pid);
    output_line(&pipes->output, line);
}

bool watch_process(struct pipes *pipes, int pid, bool joins)
{
    if (pid == getpid() || pid == pipes->guard || process_of(pipes, pid)) return true;
    struct status status;
    if (!read_status(pipes, pid, &status)) return false;
    struct process *processes =
        pipes->processes_count < MOST_PROCESSES
            ? grown(pipes->processes, &pipes->processes_room, pipes->processes_count, sizeof *processes)
            : NULL;
    if (!processes) return false;
    pipes->processes = processes;
    struct process *process = &processes[pipes->processes_count++];
    *process = (struct process){.pid = pid,
                                .start = status.start,
                                .joins = joins,
                                .io = NOWHERE,
                                .end = NOWHERE,
                                .parent = -1};
    pipes->changed = true;
    refresh(pipes, process, &status);
    pipes->unsettled_until_ns = now_ns(MONOTONIC) + SETTLE_NS;
    return true;
}

/* Children of one thread, as the kernel lists them. */
static void watch_children_of(struct pipes *pipes, int pid, int tid, int *file, bool joins)
{
    char path[64], text[8192];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tid);
    if (read_kept(file, path, text, sizeof text) <= 0) return;
    for (const char *at = text; *at;) {
        int child = (int)take_count(&at);
        if (child == 0) return;
        watch_process(pipes, child, joins);
    }
}

void watch_children(struct pipes *pipes)
{
    static int of_guard = NOWHERE;
    if (pipes->guard > 0) watch_children_of(pipes, pipes->guard, pipes->guard, &of_guard, pipes->joined);
    /* Those that are found are behind, so their children are found too; they may move the list. */
    for (int i = 0; i < pipes->processes_count; i++) {
        const struct process process = pipes->processes[i];
        for (int t = 0; t < process.threads_count; t++)
            watch_children_of(pipes, process.pid, process.threads[t].tid, &process.threads[t].children, process.joins);
        /* Of one that may not be looked at nothing stays open. */
        int file = NOWHERE;
        if (process.threads_count == 0) watch_children_of(pipes, process.pid, process.pid, &file, process.joins);
        if (file >= 0) close(file);
    }
}

/* Frees the places of channels that nobody holds: a number that is given again names another one. */
static void forget_channels(struct pipes *pipes)
{
    for (int c = 0; c < pipes->channels_count; c++) pipes->channels[c].held = false;
    for (int p = 0; p < pipes->processes_count; p++)
        for (int e = 0; e < pipes->processes[p].ends_count; e++)
            pipes->channels[pipes->processes[p].ends[e].channel].held = true;
    for (int c = 0; c < pipes->channels_count; c++)
        if (!pipes->channels[c].held) {
            if (pipes->channels[c].inode != 0 && pipes->channels[c].place >= 0) close(pipes->channels[c].place);
            pipes->channels[c] = (struct channel){.place = NOWHERE};
        }
}

void pipes_scan(struct pipes *pipes, uint64_t now)
{
    forget_connections();
    for (int i = 0; i < pipes->processes_count;) {
        struct process *process = &pipes->processes[i];
        struct status status;
        if (!read_status(pipes, process->pid, &status)) drop_process(pipes, i, "ended");
        else if (status.start != process->start) drop_process(pipes, i, "reused");
        else {
            refresh(pipes, process, &status);
            i++;
        }
    }
    watch_children(pipes);
    search_followed(pipes, now);
    forget_channels(pipes);
    search_other_ends(pipes, now);
}

bool processes_came(struct pipes *pipes)
{
    char text[128];
    const char *newest = read_again(pipes->loadavg, text, sizeof text) > 0 ? strrchr(text, ' ') : NULL;
    int pid = newest ? (int)take_count(&newest) : 0;
    bool came = pid == 0 || pid != pipes->newest_pid;
    pipes->newest_pid = pid;
    return came;
}
