/* Gives the threads of a rank together a share of one core, in small pieces. */
#ifndef PREDICT_GOVERN_H
#define PREDICT_GOVERN_H
#include <stdint.h>

/* Begins, where PREDICT_CPU_PERCENT is set and this process is an MPI rank (rank.c); again does nothing. Returns
   whether the process keeps to a share. */
int govern_start(void);
/* Around the life of each thread but the first: what it computes counts from its first moment to its last. */
void govern_thread_begins(void);
void govern_thread_ends(void);
/* Around every wait of a thread that is known: waiting costs nothing, and no signal disturbs it. It ends where
   govern_wait_begins() was true: the thread has timers. */
int govern_wait_begins(void);
void govern_wait_ends(void);
/* For how long this thread still owes rest for what it has computed, in ns: so long it waits for nothing's loss. */
int64_t govern_owes(void);
/* Ends a piece of work and sleeps until the share has caught up: the handler of the timers' signal. */
void predict_idle_hold(int number);
/* How long this thread has slept to keep to the share in all, and when (CLOCK_REALTIME) it woke last, in ns: a rank's
   trace asks. */
void predict_idle_held(int64_t *all_ns, int64_t *until_ns);
/* Whether what follows is measured, as everything is from the start on; else all threads may use what the host has, and
   nothing is saved up or owed for that time. For programs of ours, called by their first thread (agents/mpi/net.c). */
void predict_measured(int is);

#endif
