/* The throttle of one data link: the tree of qdiscs, the lease that bounds it, and the keepers that end it.
   RUN_FOLDER/throttle-IF holds `lock` (one command at a time), `deadline`, `owner`, `scope` (what is throttled),
   `attached` (the interface's index: the tree on it is ours), `keeper` (read-locked by each keeper), `timer` (systemd's
   second line), `expired` (the lease ran out) and `release.log`. Without the lock nothing of these but `expired` is
   changed. */
#ifndef LINK_H
#define LINK_H

#include "agent.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NETWORK_TEXT 64

/* ---- Tools (link-tools.c) ---- */

/* Runs a program of iproute2 or systemd from a system folder (or by its absolute path), without a shell and with an
   environment of its own, for 20 s at most. Its stdin is `input` (or empty); its stdout goes to *output, which the
   caller frees (NULL: dropped); the first line of its stderr to `said`. The exit code; -1 when it is not installed;
   128 + N when signal N ended it. */
int run_tool(const char *const words[], const char *input, char **output, char said[PROBLEM]);
/* The same for so many seconds; `said` has the start of stderr. */
int run_tool_for(unsigned seconds, const char *const words[], const char *input, char **output, char said[PROBLEM]);
enum { TOOL_SECONDS = 20 };
bool has_tool(const char *name);
/* Whether systemd is this host's service manager, sd_booted(3), and can be asked for transient units. */
bool systemd_runs(void);

/* ---- What waits behind a rate (link-queue.c) ---- */

struct tree;
enum { QUEUE_TEXT = 32 };
struct queue {
    enum {
        QUEUE_FAIR,     /* flows in turn, so that a small message waits for a packet of each and nothing is lost */
        QUEUE_TIME,     /* one queue that holds what the rate passes in `seconds`; what comes beyond is lost */
        QUEUE_FQ_CODEL, /* the kernel's, where it has it */
    } kind;
    double seconds;
};
/* "fair", "fq_codel" or a time such as "5ms". */
bool parse_queue(const char *text, struct queue *queue);
void format_queue(const struct queue *queue, char text[QUEUE_TEXT]);
/* Lines for `tc -batch`: the queue under the throttled class, and what a new rate changes about it. */
void write_added_queue(FILE *batch, const struct tree *tree);
void write_changed_queue(FILE *batch, const struct tree *tree);
/* Whether that queue stands whole among an interface's qdiscs, as tc prints them, as it has to be at this rate without
   a latency. */
bool queue_fits(const char *qdiscs, const struct queue *queue, uint64_t rate_bps);
/* Whether such a queue is among an interface's qdiscs, as tc prints them. */
bool queue_stands(const char *qdiscs, const struct queue *queue);
/* The latency that all of an interface's queues add, ms; 0 without one, -1 where they differ. */
double shown_latency_ms(const char *qdiscs);

/* ---- The tree (link-tree.c) ---- */

struct tree {
    const char *device;
    const char *side;    /* "dst" on the way out, "src" on the way in */
    const char *network; /* the data network's IPv4 range; NULL for all. All IPv6 is throttled */
    unsigned ssh_port, mtu;
    uint64_t rate_bps, burst_bytes;
    struct queue queue;
    unsigned latency_us; /* of what passes, one way; 0 for none */
};

/* The values of --rate (bit/s; base/units.ts has the same most) and --burst (bytes), or the end of this process. */
uint64_t option_rate(struct arguments *arguments);
uint64_t option_burst(struct arguments *arguments);

/* Root handle that marks a qdisc as ours. */
#define HANDLE "7077:"

/* Each writes lines for `tc -batch`. */
void write_added_tree(FILE *batch, const struct tree *tree);
void write_changed_rate(FILE *batch, const struct tree *tree);
void write_redirect(FILE *batch, const char *device, const char *back);
/* A device on which everything passes at the tree's rate (the lab's links). */
void write_shaped_device(FILE *batch, const struct tree *tree);

/* ---- The state folder (link-state.c) ---- */

struct state {
    char interface[IF_NAMESIZE];
    int folder; /* -1 when there is none */
    int lock;   /* -1 unless held */
};

/* The name of an interface that is safe as one word of a batch and as a file's name. */
bool is_interface_name(const char *text);
/* Opens RUN_FOLDER/throttle-IF as open_owned does; where there is none and `make` is false, folder is -1. False with a
   sentence where it cannot be trusted. */
bool open_state(struct state *state, const char *interface, bool make, char problem[PROBLEM]);
enum taken { TAKEN, BUSY, REFUSED };
/* The same with its lock held, waiting for at most `wait_ms`. */
enum taken take_state(struct state *state, const char *interface, bool make, int wait_ms, char problem[PROBLEM]);
/* The lock of an open folder; -1 with ENOENT when the folder is being removed, ETIMEDOUT when somebody holds on to it.
 */
int lock_folder(int folder, int wait_ms, bool make);
void close_state(struct state *state);
/* Removes the folder with all in it; the lock is held. */
void remove_state(struct state *state);

enum lease {
    LEASE_GONE,    /* there is no deadline */
    LEASE_RUNNING, /* it lies ahead */
    LEASE_EXPIRED, /* it is past, or cannot be understood: the link is restored, to be safe */
};
/* *deadline_ns is of CLOCK_BOOTTIME; 0 unless it can be understood. */
enum lease read_lease(int folder, uint64_t *deadline_ns);
bool write_deadline(int folder, double seconds);
/* "UPTIME_SECONDS REALTIME_NS": when the link began to be restored. */
bool mark_expired(int folder);
/* The index in `attached`, 0 when there is none; false with a sentence when nobody can tell. */
bool attached_index(int folder, unsigned *index, char problem[PROBLEM]);

/* ---- What is on the link (link-apply.c) ---- */

enum kind { KIND_FREE, KIND_OURS, KIND_FOREIGN };
struct look {
    enum kind kind;
    unsigned attached; /* as the state folder has it */
    char *qdiscs;      /* as tc prints them; the caller frees it */
    /* Classes with their counters each way, and the qdiscs of the device behind, in the memory of `qdiscs`; NULL where
       they were not asked for. */
    const char *out, *behind, *in;
};
/* Counters only where `counters` and the tree is ours. */
bool look_at(const struct state *state, bool counters, struct look *look, char problem[PROBLEM]);

struct level {
    char network[NETWORK_TEXT]; /* "" for all IPv4 */
    unsigned ssh_port;
    uint64_t rate_bps, burst_bytes;
    struct queue queue;
    unsigned latency_us; /* added to what is sent */
};
/* Whether our tree is there with all of its parts and throttles what the level does: at most its rate differs. */
bool tree_fits(const struct state *state, const struct look *look, const struct level *level);
/* Puts the tree on a free link, the redirect last. */
bool attach_tree(const struct state *state, const struct level *level, char problem[PROBLEM]);
/* The next level on a link that carries the tree: never a moment without it. `queue` too, where it does not fit. */
bool change_tree(const struct state *state, const struct level *level, bool queue, char problem[PROBLEM]);
/* Takes all of ours off the link (redirect, root, ifb), whatever its name is by then. True when nothing of ours is
   left; then the mark `attached` is gone too, if the lock is held: who holds it instead may be about to put more there.
 */
bool release_link(const struct state *state, char problem[PROBLEM]);
/* The device behind which what arrives at an interface is shaped. */
void name_back(unsigned index, char name[IF_NAMESIZE]);

/* ---- Keepers (link-keepers.c, keep.c, keep-watch.c) ---- */

bool keeper_lives(int folder);
/* Starts the keepers unless one lives; false with a sentence when none can be had. The lock is held. */
bool ensure_keeper(const struct state *state, char problem[PROBLEM]);

/* The same for every lease on this host, as far as it goes; true when there is one. */
bool ensure_keepers(void);

/* A keeper and its twin watch one lease and each other; the calls below run in the first one. */
struct keeper;
struct keeper *keeper_begin(const char *interface, int folder);
/* Starts the twin, then watches until the lease has ended. `report` gets 'k' once both watch. */
_Noreturn void keeper_watch(struct keeper *keeper, int report);

/* ---- The end of a lease (link-expire.c) ---- */

/* Leaves the mark `expired`, restores a link whose lease is over, and ends the lease if the lock is held. True when the
   link is free. */
bool restore_expired(const struct state *state, char problem[PROBLEM]);
/* A line of release.log: who restores the link, or why that failed. */
void log_release(int folder, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What systemd's timer runs: restores the link of a lease that is over, arms the next timer for one that is not. True
   when one of the two is done. */
bool expire_link(const char *interface, char problem[PROBLEM]);

/* ---- systemd's timer (link-timer.c) ---- */

/* Whether a timer is armed that will look at the lease. */
bool timer_armed(int folder);
/* Makes sure that one will, soon after the deadline at the latest; nothing to do where systemd does not run. False with
   a sentence. The lock is held. */
bool ensure_timer(const struct state *state, char problem[PROBLEM]);
void stop_timer(int folder);

/* ---- The subcommand's report (link-report.c) ---- */

bool print_report(const struct state *state, char problem[PROBLEM]);

#endif
