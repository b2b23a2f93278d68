/* Which ends of channels a process holds: proc_pid_fd(5), where the permissions of a link are the way in which its
   descriptor was opened. Changes are printed as they are found. */
#include "files.h"
#include "pipes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MOST_ENDS = 1024, MOST_CHANNELS = 8192, LINE = 16384, STRANGERS = 512, STRANGE_NS = 1000000000 };

void *grown(void *array, int *room, int count, size_t size)
{
    if (count < *room) return array;
    int wanted = *room ? *room * 2 : 16;
    void *larger = realloc(array, (size_t)wanted * size);
    if (larger) *room = wanted;
    return larger;
}

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
    channels[place] =
        (struct channel){.is_socket = is_socket, .device = target->st_dev, .inode = target->st_ino, .place = NOWHERE};
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

/* Sockets that are no connections: reading the kernel's table for each of them in every scan would cost more than all
 * else. */
static struct {
    ino_t inode;
    uint64_t until_ns;
} strangers[STRANGERS];

static bool is_stranger(ino_t inode)
{
    uint64_t now = now_ns(MONOTONIC);
    for (int i = 0; i < STRANGERS; i++)
        if (strangers[i].inode == inode && now < strangers[i].until_ns) return true;
    return false;
}

static void add_stranger(ino_t inode)
{
    static int next;
    strangers[next].inode = inode;
    strangers[next].until_ns = now_ns(MONOTONIC) + STRANGE_NS;
    next = (next + 1) % STRANGERS;
}

/* Whether a descriptor is an end of a pipe, a FIFO or a TCP connection. Sockets of other kinds have no name. */
static bool name_channel(struct channel *channel, int pid, int fd, const char *link)
{
    if (channel->name[0]) return true;
    if (channel->is_socket) {
        struct naming naming = {.channel = channel};
        struct connection connection;
        enum answer answer = ask_socket(pid, fd, channel->inode, &connection);
        if (answer == YES) name_if_equal(&connection, channel->inode, &naming);
        if (answer != UNKNOWN) return naming.found;
        if (is_stranger(channel->inode)) return false;
        visit_connections(name_if_equal, &naming);
        if (!naming.found) add_stranger(channel->inode);
        return naming.found;
    }
    if (strncmp(link, "pipe:", 5) == 0)
        snprintf(channel->name, CHANNEL_NAME, "pipe:%" PRIu64, (uint64_t)channel->inode);
    else
        snprintf(channel->name, CHANNEL_NAME, "fifo:%u.%u.%" PRIu64, major(channel->device), minor(channel->device),
                 (uint64_t)channel->inode);
    return true;
}

bool look_at_end(int folder, const char *name, struct found_end *found)
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
    /* What we print into ourselves is no channel of the job. */
    struct stat own;
    if (is_pipe && fstat(2, &own) == 0 && own.st_ino == found->target.st_ino && own.st_dev == found->target.st_dev)
        return false;
    found->reads = link.st_mode & S_IRUSR;
    found->writes = link.st_mode & S_IWUSR;
    return true;
}

DIR *open_ends(int pid)
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
    if (!name_channel(known, process->pid, fd, found->link)) return false;
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

/* A scan falls into a slice whose samples are not printed yet. */
static void keep_counts(struct end *end, const struct end *before, int count)
{
    for (int i = 0; i < count; i++) {
        if (!is_same_end(&before[i], end)) continue;
        end->read_waits = before[i].read_waits;
        end->write_waits = before[i].write_waits;
    }
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

bool find_ends(struct pipes *pipes, struct process *process)
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
    for (int i = 0; i < process->ends_count; i++) keep_counts(&process->ends[i], before, before_count);
    free(before);
    pipes->changed |= changed;
    if (changed) print_ends(pipes, process);
    return true;
}
