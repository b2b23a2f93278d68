/* What every process does at one moment, and how full every channel is. The level of a pipe is asked for on a
   descriptor of our own that is closed at once, and only when nobody is blocked on the pipe: an open reader would hide
   a broken one. */
#include "files.h"
#include "pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

static enum doing doing_of_thread(struct pipes *pipes, const struct process *process, const struct thread *thread,
                                  int *fd)
{
    char text[256];
    *fd = NOWHERE;
    if (thread->syscall >= 0) {
        if (read_again(thread->syscall, text, sizeof text) <= 0) return GONE;
        return doing_of_syscall(text, fd);
    }
    char path[64];
    snprintf(path, sizeof path, "%d/task/%d/stat", process->pid, thread->tid);
    if (read_small(pipes->proc, path, text, sizeof text) <= 0) return GONE;
    const char *close = strrchr(text, ')');
    if (!close || close[1] != ' ') return GONE;
    if (close[2] == 'R') return RUNNING;
    if (close[2] == 'Z' || close[2] == 'X') return GONE;
    if (close[2] == 'D') return DISK;
    snprintf(path, sizeof path, "%d/task/%d/wchan", process->pid, thread->tid);
    return read_small(pipes->proc, path, text, sizeof text) <= 0 ? ASLEEP : doing_of_wchan(text);
}

/* The end that a thread is blocked on: by its descriptor, or where that is not to be had the only one, or the one that
   explains it. */
static int end_of(const struct pipes *pipes, const struct process *process, enum doing doing, int fd)
{
    int any = NOWHERE;
    for (int i = 0; i < process->ends_count; i++) {
        const struct end *end = &process->ends[i];
        if (fd != NOWHERE) {
            if (end->fd == fd) return i;
            continue;
        }
        if (doing == READING ? !end->reads : !end->writes) continue;
        if (any == NOWHERE || pipes->channels[end->channel].full) any = i;
    }
    return any;
}

/* A thread that works makes its process work; next counts one that waits for a channel. */
static int weight(enum doing doing)
{
    switch (doing) {
    case RUNNING: return 7;
    case DISK: return 6;
    case WRITING: return 5;
    case READING: return 4;
    case POLLING: return 3;
    case ASLEEP: return 2;
    case HOLDING: return 1;
    case GONE: return 0;
    }
    return 0;
}

static void look_at_process(struct pipes *pipes, struct process *process)
{
    process->doing = GONE;
    process->end = NOWHERE;
    for (int i = 0; i < process->threads_count; i++) {
        int fd, end = NOWHERE;
        enum doing doing = doing_of_thread(pipes, process, &process->threads[i], &fd);
        if (doing == READING || doing == WRITING) {
            end = end_of(pipes, process, doing, fd);
            /* A file, a terminal, a socket of another kind: its own input and output. */
            if (end == NOWHERE) doing = DISK;
        }
        if (doing == POLLING && process->ends_count == 0) doing = ASLEEP;
        if (weight(doing) <= weight(process->doing)) continue;
        process->doing = doing;
        process->end = end;
    }
    if (process->end == NOWHERE) return;
    struct channel *channel = &pipes->channels[process->ends[process->end].channel];
    if (process->doing == WRITING) channel->writer_blocked = true;
    if (process->doing == READING) channel->reader_blocked = true;
}

/* The pipe behind a descriptor of a process, opened with O_PATH and seen to be that pipe: opening anything else may do
 * harm. */
static int place_of(const struct pipes *pipes, const struct process *process, const struct end *end,
                    const struct channel *channel)
{
    char path[64];
    struct stat found;
    snprintf(path, sizeof path, "%d/fd/%d", process->pid, end->fd);
    int place = openat(pipes->proc, path, O_PATH | O_CLOEXEC);
    if (place < 0) return NOWHERE;
    if (fstat(place, &found) == 0 && S_ISFIFO(found.st_mode) && found.st_ino == channel->inode &&
        found.st_dev == channel->device)
        return place;
    close(place);
    return NOWHERE;
}

static bool read_level(struct pipes *pipes, const struct process *process, const struct end *end,
                       struct channel *channel)
{
    char path[64];
    int bytes = 0, size = (int)channel->capacity;
    if (channel->place < 0) channel->place = place_of(pipes, process, end, channel);
    if (channel->place < 0) return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", channel->place);
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return false;
    /* Whoever makes a pipe larger does so seldom. */
    if (channel->samples == 0) size = fcntl(file, F_GETPIPE_SZ);
    bool read = size > 0 && ioctl(file, FIONREAD, &bytes) == 0;
    close(file);
    if (!read) return false;
    channel->level = channel->unread = (uint64_t)bytes;
    channel->capacity = (uint64_t)size;
    channel->full = size - bytes < PAGE;
    return true;
}

static void look_at_channel(struct pipes *pipes, const struct process *process, const struct end *end)
{
    struct channel *channel = &pipes->channels[end->channel];
    if (channel->known) return;
    if (channel->is_socket) {
        channel->known = read_socket(pipes->diag, channel);
        channel->full |= channel->writer_blocked;
        return;
    }
    /* Once its size is known, whoever is blocked on it tells its level. */
    bool told = channel->capacity > 0 && (channel->writer_blocked || channel->reader_blocked);
    if (told) {
        channel->full = channel->writer_blocked;
        channel->level = channel->unread = channel->writer_blocked ? channel->capacity : 0;
        channel->known = true;
        return;
    }
    channel->known = read_level(pipes, process, end, channel);
    channel->full |= channel->writer_blocked;
}

static void count_channel(struct channel *channel)
{
    if (!channel->known) return;
    channel->samples++;
    channel->full_samples += channel->full;
    channel->level_sum += channel->level;
}

/* ---- poll and its like: they return at once where there is data to read or room to write ---- */

/* A pipe of which the process holds both ends: a signal to itself. */
static bool is_own(const struct process *process, const struct end *end)
{
    bool reads = false, writes = false;
    for (int i = 0; i < process->ends_count; i++) {
        if (process->ends[i].channel != end->channel) continue;
        reads |= process->ends[i].reads;
        writes |= process->ends[i].writes;
    }
    return reads && writes;
}

/* Whether a writer surely finds room. A pipe is full by its pages, which small writes leave half empty at worst. */
static bool has_room(const struct channel *channel)
{
    if (!channel->known || channel->full) return false;
    return channel->is_socket || channel->level + PAGE <= channel->capacity / 2;
}

/* Whether it polls now too: else what came since may have woken it. */
static bool still_polls(struct pipes *pipes, const struct process *process)
{
    int fd, most = 0;
    for (int i = 0; i < process->threads_count; i++) {
        int found = weight(doing_of_thread(pipes, process, &process->threads[i], &fd));
        if (found > most) most = found;
    }
    return most == weight(POLLING);
}

/* It waits for room where a channel that it writes to is full, else for input where one that it reads is empty. With
   data in all inputs and room in all outputs it sleeps because it chose to, by a timer: a rate limit, a pause. That is
   no wait for a channel. */
static void count_poll(struct pipes *pipes, struct process *process)
{
    int empty = NOWHERE, empties = 0;
    bool room = true;
    for (int i = 0; i < process->ends_count; i++) {
        struct end *end = &process->ends[i];
        const struct channel *channel = &pipes->channels[end->channel];
        if (!channel->is_socket && is_own(process, end)) continue;
        if (end->writes && channel->full) {
            end->write_waits++;
            return;
        }
        if (end->writes) room = room && has_room(channel);
        if (end->reads && !(channel->known && channel->unread > 0)) {
            empty = i;
            empties++;
        }
    }
    if (empties == 1) process->ends[empty].read_waits++;
    else if (empties > 1 || !room || !still_polls(pipes, process)) process->polling++;
}

static void count_process(struct pipes *pipes, struct process *process)
{
    if (process->doing == GONE) {
        pipes->changed |= process->threads_count > 0;
        return;
    }
    process->seen++;
    process->running += process->doing == RUNNING;
    process->disk += process->doing == DISK;
    process->holding += process->doing == HOLDING;
    if (process->doing == READING) process->ends[process->end].read_waits++;
    if (process->doing == WRITING) process->ends[process->end].write_waits++;
    if (process->doing == POLLING) count_poll(pipes, process);
}

void pipes_tick(struct pipes *pipes)
{
    pipes->ticks++;
    for (int c = 0; c < pipes->channels_count; c++) {
        struct channel *channel = &pipes->channels[c];
        channel->known = channel->full = channel->writer_blocked = channel->reader_blocked = false;
    }
    for (int p = 0; p < pipes->processes_count; p++) look_at_process(pipes, &pipes->processes[p]);
    for (int p = 0; p < pipes->processes_count; p++)
        for (int e = 0; e < pipes->processes[p].ends_count; e++)
            look_at_channel(pipes, &pipes->processes[p], &pipes->processes[p].ends[e]);
    for (int c = 0; c < pipes->channels_count; c++) count_channel(&pipes->channels[c]);
    for (int p = 0; p < pipes->processes_count; p++) count_process(pipes, &pipes->processes[p]);
}
