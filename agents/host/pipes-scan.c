/* Which processes belong to the job, and which ends of channels they hold: proc_pid_fd(5), where the permissions of a
   link are the way in which its descriptor was opened. Changes are printed as they are found. */
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
    MOST_PROCESSES = 4096,
    MOST_ENDS = 1024,
    MOST_THREADS = 256,
    MOST_CHANNELS = 8192,
    LINE = 16384,
    SETTLE_NS = 200000000
};

/* Room for one more, in doubling steps; NULL when there is no memory. */
static void *grown(void *array, int *room, int count, size_t size)
{
    if (count < *room) return array;
    int wanted = *room ? *room * 2 : 16;
    void *larger = realloc(array, (size_t)wanted * size);
    if (larger) *room = wanted;
    return larger;
}

static void forget_threads(struct process *process)
{
    for (int i = 0; i < process->threads_count; i++)
        if (process->threads[i].syscall >= 0) close(process->threads[i].syscall);
    process->threads_count = 0;
}

static void drop_process(struct pipes *pipes, int index, const char *why)
{
    struct process *process = &pipes->processes[index];
    char line[128];
    snprintf(line, sizeof line, "gone\t%d\t%s", process->pid, why);
    output_line(&pipes->output, line);
    forget_threads(process);
    free(process->threads);
    free(process->ends);
    pipes->processes[index] = pipes->processes[--pipes->processes_count];
}

struct status {
    char comm[COMM_BYTES], state;
    int parent, threads;
    uint64_t start;
};

/* proc_pid_stat(5): the name may hold blanks and brackets. False when there is no such process any more. */
static bool read_status(struct pipes *pipes, int pid, struct status *status)
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
    threads[process->threads_count++] = (struct thread){tid, file};
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

/* ---- ends of channels ---- */

static int channel_at(struct pipes *pipes, bool is_socket, const struct stat *target)
{
    for (int i = 0; i < pipes->channels_count; i++) {
        const struct channel *each = &pipes->channels[i];
        if (each->inode == target->st_ino && each->device == target->st_dev && each->is_socket == is_socket) return i;
    }
    int place = 0;
    while (place < pipes->channels_count && pipes->channels[place].inode != 0) place++;
    if (place == MOST_CHANNELS) return NOWHERE;
    struct channel *channels = grown(pipes->channels, &pipes->channels_room, place, sizeof *channels);
    if (!channels) return NOWHERE;
    pipes->channels = channels;
    channels[place] = (struct channel){.is_socket = is_socket, .device = target->st_dev, .inode = target->st_ino};
    if (place == pipes->channels_count) pipes->channels_count++;
    return place;
}

struct naming {
    struct channel *channel;
    bool found;
};

static void name_if_equal(const struct connection *connection, ino_t inode, void *context)
{
    struct naming *naming = context;
    if (naming->found || naming->channel->inode != inode) return;
    naming->channel->connection = *connection;
    name_connection(connection, naming->channel->name, CHANNEL_NAME);
    naming->found = true;
}

/* Whether a descriptor is an end of a pipe, a FIFO or a TCP connection. Sockets of other kinds have no name. */
static bool name_channel(struct channel *channel, const char *link)
{
    if (channel->name[0]) return true;
    if (channel->is_socket) {
        struct naming naming = {.channel = channel};
        visit_connections(name_if_equal, &naming);
        return naming.found;
    }
    if (strncmp(link, "pipe:", 5) == 0)
        snprintf(channel->name, CHANNEL_NAME, "pipe:%" PRIu64, (uint64_t)channel->inode);
    else
        snprintf(channel->name, CHANNEL_NAME, "fifo:%u.%u.%" PRIu64, major(channel->device), minor(channel->device),
                 (uint64_t)channel->inode);
    return true;
}

struct found_end {
    struct stat target;
    char link[32];
    bool reads, writes;
};

/* The end behind /proc/PID/fd/N; false when it is none of a pipe or socket. */
static bool look_at_end(int folder, const char *name, struct found_end *found)
{
    ssize_t length = readlinkat(folder, name, found->link, sizeof found->link - 1);
    if (length <= 0) return false;
    found->link[length] = '\0';
    bool is_socket = strncmp(found->link, "socket:", 7) == 0, is_pipe = strncmp(found->link, "pipe:", 5) == 0;
    if (!is_socket && !is_pipe && found->link[0] != '/') return false;
    if (fstatat(folder, name, &found->target, 0) != 0) return false;
    if (is_socket ? !S_ISSOCK(found->target.st_mode) : !S_ISFIFO(found->target.st_mode)) return false;
    struct stat link;
    if (fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) != 0) return false;
    found->reads = link.st_mode & S_IRUSR;
    found->writes = link.st_mode & S_IWUSR;
    return true;
}

static DIR *open_ends(int pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    return opendir(path);
}

static bool add_end(struct pipes *pipes, struct process *process, int fd, const struct found_end *found)
{
    bool is_socket = S_ISSOCK(found->target.st_mode);
    int channel = channel_at(pipes, is_socket, &found->target);
    if (channel < 0 || process->ends_count == MOST_ENDS) return false;
    struct channel *known = &pipes->channels[channel];
    /* A socket that is no TCP connection yet may become one. */
    if (!name_channel(known, found->link)) return false;
    struct end *ends = grown(process->ends, &process->ends_room, process->ends_count, sizeof *ends);
    if (!ends) return false;
    process->ends = ends;
    ends[process->ends_count++] =
        (struct end){.fd = fd, .channel = channel, .reads = found->reads, .writes = found->writes};
    return true;
}

static bool is_same_end(const struct end *a, const struct end *b)
{
    return a->fd == b->fd && a->channel == b->channel && a->reads == b->reads && a->writes == b->writes;
}

static void print_ends(struct pipes *pipes, const struct process *process)
{
    static char line[LINE];
    int used = snprintf(line, sizeof line, "ends\t%d", process->pid);
    for (int i = 0; i < process->ends_count && used < LINE - CHANNEL_NAME - 32; i++) {
        const struct end *end = &process->ends[i];
        used += snprintf(line + used, sizeof line - (size_t)used, "\t%d,%s,%s", end->fd,
                         end->reads ? (end->writes ? "rw" : "r") : "w", pipes->channels[end->channel].name);
    }
    output_line(&pipes->output, line);
}

/* False when they may not be read. */
static bool find_ends(struct pipes *pipes, struct process *process)
{
    DIR *folder = open_ends(process->pid);
    if (!folder) return errno != EACCES && errno != EPERM;
    struct end *before = process->ends;
    int before_count = process->ends_count;
    process->ends = NULL;
    process->ends_count = process->ends_room = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct found_end found;
        if (!isdigit((unsigned char)entry->d_name[0]) || !look_at_end(dirfd(folder), entry->d_name, &found)) continue;
        add_end(pipes, process, atoi(entry->d_name), &found);
    }
    closedir(folder);
    bool changed = before_count != process->ends_count;
    for (int i = 0; i < process->ends_count && !changed; i++) changed = !is_same_end(&before[i], &process->ends[i]);
    free(before);
    if (changed) print_ends(pipes, process);
    return true;
}

/* ---- processes ---- */

static struct process *process_of(struct pipes *pipes, int pid)
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
    *process = (struct process){.pid = pid, .start = status.start, .joins = joins, .end = NOWHERE, .parent = -1};
    refresh(pipes, process, &status);
    pipes->unsettled_until_ns = now_ns(MONOTONIC) + SETTLE_NS;
    return true;
}

/* Children of one thread, as the kernel lists them. */
static void watch_children_of(struct pipes *pipes, int pid, int tid, bool joins)
{
    char path[64], text[8192];
    snprintf(path, sizeof path, "%d/task/%d/children", pid, tid);
    if (read_small(pipes->proc, path, text, sizeof text) <= 0) return;
    for (const char *at = text; *at;) {
        int child = (int)take_count(&at);
        if (child == 0) return;
        watch_process(pipes, child, joins);
    }
}

void watch_children(struct pipes *pipes)
{
    if (pipes->guard > 0) watch_children_of(pipes, pipes->guard, pipes->guard, pipes->joined);
    /* Those that are found are behind, so their children are found too. */
    for (int i = 0; i < pipes->processes_count; i++) {
        const struct process *process = &pipes->processes[i];
        int pid = process->pid;
        bool joins = process->joins;
        if (process->threads_count <= 1) watch_children_of(pipes, pid, pid, joins);
        else
            for (int t = 0; t < pipes->processes[i].threads_count; t++)
                watch_children_of(pipes, pid, pipes->processes[i].threads[t].tid, joins);
    }
}

void visit_holders(struct pipes *pipes, bool is_socket, dev_t device, ino_t inode,
                   void (*visit)(struct pipes *, int pid, bool reads, bool writes, void *), void *context)
{
    DIR *all = opendir("/proc");
    if (!all) return;
    for (struct dirent *entry; (entry = readdir(all));) {
        int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid == 0 || pid == getpid() || pid == pipes->guard || process_of(pipes, pid)) continue;
        DIR *folder = open_ends(pid);
        if (!folder) continue;
        bool reads = false, writes = false;
        for (struct dirent *end; (end = readdir(folder));) {
            struct found_end found;
            if (!isdigit((unsigned char)end->d_name[0]) || !look_at_end(dirfd(folder), end->d_name, &found)) continue;
            if (found.target.st_ino != inode || found.target.st_dev != device) continue;
            if ((bool)S_ISSOCK(found.target.st_mode) != is_socket) continue;
            reads |= found.reads;
            writes |= found.writes;
        }
        closedir(folder);
        if (reads || writes) visit(pipes, pid, reads, writes, context);
    }
    closedir(all);
}

/* ---- the other ends ---- */

struct search {
    const char *channel;
    bool wants_reader, joins, found;
};

static void take_holder(struct pipes *pipes, int pid, bool reads, bool writes, void *context)
{
    struct search *search = context;
    if (search->wants_reader ? !reads : !writes) return;
    struct status status;
    if (!read_status(pipes, pid, &status)) return;
    search->found = true;
    if (search->joins) {
        watch_process(pipes, pid, true);
        return;
    }
    char line[CHANNEL_NAME + COMM_BYTES + 64];
    snprintf(line, sizeof line, "outside\t%s\t%s\t%d\t%s", search->channel, search->wants_reader ? "r" : "w", pid,
             status.comm);
    output_line(&pipes->output, line);
}

/* Pipes of which one end is held by nobody that is watched: who holds it is looked for, all over /proc, a few times. */
static void search_other_ends(struct pipes *pipes, uint64_t now)
{
    enum { MOST_SEARCHES = 3 };
    for (int c = 0; c < pipes->channels_count; c++) {
        struct channel *channel = &pipes->channels[c];
        if (channel->is_socket || !channel->held || channel->searches == MOST_SEARCHES || now < channel->search_ns)
            continue;
        bool read = false, written = false, joins = false;
        for (int p = 0; p < pipes->processes_count; p++)
            for (int e = 0; e < pipes->processes[p].ends_count; e++) {
                const struct end *end = &pipes->processes[p].ends[e];
                if (end->channel != c) continue;
                read |= end->reads;
                written |= end->writes;
                joins |= pipes->processes[p].joins;
            }
        if (read == written) continue;
        /* A process that is being started may hold it in a moment. */
        if (channel->search_ns == 0) {
            channel->search_ns = now + 500000000u;
            continue;
        }
        struct search search = {.channel = channel->name, .wants_reader = !read, .joins = joins};
        visit_holders(pipes, false, channel->device, channel->inode, take_holder, &search);
        channel = &pipes->channels[c];
        channel->searches = search.found && !search.joins ? MOST_SEARCHES : channel->searches + 1;
        channel->search_ns = now + 2000000000u * (unsigned)channel->searches;
    }
}

static void watch_holder(struct pipes *pipes, int pid, bool reads, bool writes, void *context)
{
    (void)reads, (void)writes, (void)context;
    watch_process(pipes, pid, true);
}

struct lookup {
    const struct connection *wanted;
    ino_t inode;
};

static void take_if_wanted(const struct connection *connection, ino_t inode, void *context)
{
    struct lookup *lookup = context;
    const struct connection *wanted = lookup->wanted;
    if (connection->local_port == wanted->local_port && connection->remote_port == wanted->remote_port &&
        memcmp(&connection->local, &wanted->local, sizeof wanted->local) == 0 &&
        memcmp(&connection->remote, &wanted->remote, sizeof wanted->remote) == 0)
        lookup->inode = inode;
}

/* Connections that other hosts tell of: whoever holds this end of one belongs to the job. */
static void search_followed(struct pipes *pipes, uint64_t now)
{
    int kept = 0;
    for (int i = 0; i < pipes->follows_count; i++) {
        struct follow follow = pipes->follows[i];
        struct lookup lookup = {.wanted = &follow.connection};
        visit_connections(take_if_wanted, &lookup);
        if (lookup.inode) {
            int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* all sockets are on one device */
            struct stat sockets;
            if (socket_fd >= 0 && fstat(socket_fd, &sockets) == 0)
                visit_holders(pipes, true, sockets.st_dev, lookup.inode, watch_holder, NULL);
            if (socket_fd >= 0) close(socket_fd);
        } else if (now < follow.until_ns) {
            pipes->follows[kept++] = follow;
        }
    }
    pipes->follows_count = kept;
}

/* Frees the places of channels that nobody holds: a number that is given again names another one. */
static void forget_channels(struct pipes *pipes)
{
    for (int c = 0; c < pipes->channels_count; c++) pipes->channels[c].held = false;
    for (int p = 0; p < pipes->processes_count; p++)
        for (int e = 0; e < pipes->processes[p].ends_count; e++)
            pipes->channels[pipes->processes[p].ends[e].channel].held = true;
    for (int c = 0; c < pipes->channels_count; c++)
        if (!pipes->channels[c].held) pipes->channels[c] = (struct channel){0};
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
