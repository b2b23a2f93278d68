/* `pipes`: what joined processes do, tick by tick. A scan finds processes and the channels that they hold; a tick sees
   which of them are blocked, and on what; a slice prints the counts. */
#ifndef PIPES_H
#define PIPES_H

#include "sample.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { CHANNEL_NAME = 128, COMM_BYTES = 64, ARGS_BYTES = 512, NOWHERE = -1 };

/* One end of a TCP connection, as its host sees it; IPv4 stands as a mapped IPv6 address. */
struct connection {
    struct in6_addr local, remote;
    uint16_t local_port, remote_port;
    bool is_v4;
};

struct channel {
    bool is_socket;
    dev_t device;
    ino_t inode;
    int place;               /* of a pipe: opened with O_PATH, which makes nobody its reader; or NOWHERE */
    char name[CHANNEL_NAME]; /* pipe:INODE, fifo:DEVICE.INODE or tcp:ADDRESS:PORT-ADDRESS:PORT */
    struct connection connection;
    bool held, full, writer_blocked, reader_blocked, known; /* known: its level was read in this tick */
    uint64_t level, capacity, received;
    uint64_t unread; /* what its reader may take: of a socket what came in, while `level` is what goes out */
    uint64_t samples, full_samples, level_sum; /* of the slice */
    uint64_t sent;                             /* sockets: bytes acknowledged since the connection began */
    uint64_t search_ns;                        /* when its other end is looked for next */
    int searches;
};

struct end {
    int fd, channel;
    bool reads, writes;
    uint64_t read_waits, write_waits; /* samples of the slice */
};

/* POLLING: in poll and its like, which name no descriptor here. */
enum doing { RUNNING, DISK, READING, WRITING, POLLING, ASLEEP, HOLDING, GONE };

struct thread {
    int tid;
    /* Files of /proc/PID/task/TID that stay open, or NOWHERE: `syscall` where it may not be read. */
    int syscall, schedstat, children;
};

struct process {
    int pid, parent;
    uint64_t start; /* ticks since boot: pid and start name a process for good */
    char comm[COMM_BYTES], args[ARGS_BYTES];
    bool joins;  /* those at the other ends of its pipes belong to the job too */
    bool denied; /* not ours to see */
    bool by_wchan;
    int io; /* /proc/PID/io, kept open, or NOWHERE */
    int threads_count, ends_count, ends_room, threads_room;
    struct thread *threads;
    struct end *ends;
    enum doing doing;
    int end;                                        /* which it is blocked on, or NOWHERE */
    uint64_t seen, running, disk, polling, holding; /* samples of the slice */
};

struct follow {
    struct connection connection;
    uint64_t until_ns;
};

struct pipes {
    struct output output;
    int proc, loadavg, diag; /* diag: netlink, or NOWHERE */
    int processes_count, processes_room, channels_count, channels_room, follows_count;
    struct process *processes;
    struct channel *channels;
    struct follow follows[64];
    int newest_pid, guard;
    bool joined;
    uint64_t ticks, missed, slices;
    bool changed;                /* since the last scan: a process came, went, or opened or closed an end */
    uint64_t unsettled_until_ns; /* processes that came a moment ago still open, close and exec */
};

/* ---- finding: processes, their threads, the channels that they hold ---- */
/* Takes a process among the watched; false when it is gone. */
bool watch_process(struct pipes *pipes, int pid, bool joins);
/* Children that came, processes that went, ends that were opened or closed. `now` is CLOCK_MONOTONIC. */
void pipes_scan(struct pipes *pipes, uint64_t now);
/* Takes in what watched processes have started. */
void watch_children(struct pipes *pipes);
/* Whether any process was started on the host since it was asked last. */
bool processes_came(struct pipes *pipes);

/* What proc_pid_stat(5) says of a process; the name may hold blanks and brackets. */
struct status {
    char comm[COMM_BYTES], state;
    int parent, threads;
    uint64_t start;
};

/* False when there is no such process any more. */
bool read_status(struct pipes *pipes, int pid, struct status *status);
/* The watched process of this number, or NULL. */
struct process *process_of(struct pipes *pipes, int pid);
/* Room for one more, in doubling steps; NULL when there is no memory. */
void *grown(void *array, int *room, int count, size_t size);

/* ---- ends ---- */
struct found_end {
    struct stat target;
    char link[32];
    bool reads, writes;
};

DIR *open_ends(int pid);
/* The end behind /proc/PID/fd/N; false when it is none of a pipe or socket. */
bool look_at_end(int folder, const char *name, struct found_end *found);
/* Finds and, where they changed, prints what a process holds; false when that may not be looked at. */
bool find_ends(struct pipes *pipes, struct process *process);
/* Pipes of which one end is held by nobody that is watched: who holds it, a few times. */
void search_other_ends(struct pipes *pipes, uint64_t now);
/* Connections that other hosts tell of: whoever holds this end of one belongs to the job. */
void search_followed(struct pipes *pipes, uint64_t now);

/* ---- slices ---- */
/* Prints the counts of a slice and begins the next; times are CLOCK_REALTIME. */
void print_slice(struct pipes *pipes, uint64_t from, uint64_t to);

/* ---- one tick ---- */
void pipes_tick(struct pipes *pipes);
/* What a blocked thread does, from its line in /proc/PID/syscall. `fd` is the descriptor, or NOWHERE. */
enum doing doing_of_syscall(const char *line, int *fd);
/* The same from the name of the kernel's function in which it sleeps (/proc/PID/wchan), which names no descriptor. */
enum doing doing_of_wchan(const char *name);

/* ---- sockets ---- */
/* The connections that are open in this network namespace, with the inodes of their sockets, as they were at the first
   visit since they were forgotten. */
void forget_connections(void);
void visit_connections(void (*visit)(const struct connection *, ino_t inode, void *), void *context);
void name_connection(const struct connection *connection, char *name, size_t size);
bool parse_connection(const char *name, struct connection *connection);
/* Whether the socket of this inode behind a process's descriptor is a TCP connection, and which. */
enum answer { NO, YES, UNKNOWN };
enum answer ask_socket(int pid, int fd, ino_t inode, struct connection *connection);
/* The inode of the socket that is this end of a connection; 0 where there is none, or nobody has taken it yet. */
ino_t inode_of_connection(int diag, const struct connection *connection);
/* Reads level, capacity, fullness and bytes of a socket; false where the kernel does not tell. */
bool read_socket(int diag, struct channel *channel);
int open_diag(void);

#endif
