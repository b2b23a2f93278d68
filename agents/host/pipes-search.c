/* Who holds the other ends: of pipes of which only one end is watched, and of connections that other hosts tell of. All
   of /proc is looked through, so this is done seldom. */
#include "files.h"
#include "pipes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void visit_holders(struct pipes *pipes, bool is_socket, dev_t device, ino_t inode,
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

void search_other_ends(struct pipes *pipes, uint64_t now)
{
    enum { MOST_SEARCHES = 3 };
    for (int c = 0; c < pipes->channels_count; c++) {
        struct channel *channel = &pipes->channels[c];
        if (channel->is_socket || !channel->held || channel->searches == MOST_SEARCHES) continue;
        if (now < channel->search_ns) {
            pipes->changed |= channel->searches == 0; /* the first search is due soon */
            continue;
        }
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
            pipes->changed = true;
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

void search_followed(struct pipes *pipes, uint64_t now)
{
    int kept = 0;
    for (int i = 0; i < pipes->follows_count; i++) {
        struct follow follow = pipes->follows[i];
        ino_t inode = inode_of_connection(pipes->diag, &follow.connection);
        if (inode) {
            int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* all sockets are on one device */
            struct stat sockets;
            if (socket_fd >= 0 && fstat(socket_fd, &sockets) == 0)
                visit_holders(pipes, true, sockets.st_dev, inode, watch_holder, NULL);
            if (socket_fd >= 0) close(socket_fd);
        } else if (now < follow.until_ns) {
            pipes->follows[kept++] = follow;
        }
    }
    pipes->follows_count = kept;
}
