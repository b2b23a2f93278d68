/* The throttle lease's keeper: restores the link when the controller has stopped renewing.
   Files in the state directory: `deadline` and `release.sh` are the controller's, written by
   rename; keeper.lock, keeper.pid, expired and release.log are the keeper's. */
#ifndef KEEP_H
#define KEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum lease_state {
    LEASE_GONE,    /* deadline or release.sh is absent: the controller released by itself */
    LEASE_RUNNING, /* deadline_ns lies ahead */
    LEASE_EXPIRED, /* it is past, or cannot be understood: the link is restored, to be safe */
};

struct lease {
    enum lease_state state;
    bool malformed;
    uint64_t deadline_ns; /* CLOCK_BOOTTIME; 0 when malformed */
    int file;             /* the deadline file read, held open so that its inode stays its own; or -1 */
};

/* Reads the lease anew, closing the file of the one before. */
void lease_read(int directory, struct lease *lease);
/* Removes the deadline that expired, unless the controller has put another in its place. */
void lease_retire(int directory, const struct lease *lease);

/* Marks the lease expired, then runs release.sh until it succeeds, 30 times at most, a second apart.
   False when it never did; true also when the controller removed the lease meanwhile. */
bool release_link(int directory, const char *why);

/* The pid in keeper.pid if that process lives, else 0. */
pid_t keeper_pid(int directory);

/* Watches until the lease has ended; keeper.lock is held. The signals are those of a signalfd. */
int keeper_prepare(int directory);
void keeper_watch(int directory, int notifications, int signals);

#endif
