/* The control groups of a run's processes on this host, which end with the run whatever sessions they made.
   RUN_FOLDER/runs/TOKEN, root's alone, is written before a group is made: the number of the user who started the run,
   then the folder of each group, a line each. `lock` there lets one command work at a time. */
#ifndef GROUP_H
#define GROUP_H

#include "agent.h"

#include <limits.h>
#include <sys/types.h>

enum { GROUPS_MOST = 16 }; /* a run's processes lie in few groups, such as a session's each */

struct run {
    char token[TOKEN_MOST + 1];
    unsigned user;
    int count;
    char groups[GROUPS_MOST][PATH_MAX];
};

/* ---- What is registered (group-runs.c) ---- */

struct runs {
    int folder; /* -1 when there is none */
    int lock;
};
/* Opens and locks the folder of runs; where there is none and `make` is false, folder is -1. False with a sentence. */
bool open_runs(struct runs *runs, bool make, char problem[PROBLEM]);
void close_runs(struct runs *runs);
/* True when the run is registered; false with an empty sentence when it is not. */
bool read_run(const struct runs *runs, const char *token, struct run *run, char problem[PROBLEM]);
/* A run without groups is forgotten. */
bool write_run(const struct runs *runs, const struct run *run, char problem[PROBLEM]);

/* ---- Into a group (group-enter.c) ---- */

/* Moves the process, whose number nobody else may get meanwhile, into the run's group below the one that it is in,
   which is made if it is not there; `group` gets the folder. False with a sentence. */
bool enter_group(const struct runs *runs, struct run *run, pid_t pid, char group[PATH_MAX], char problem[PROBLEM]);

/* ---- Their end (group-end.c) ---- */

/* Ends every process in the run's groups and in groups below them, and removes the groups within so many milliseconds;
 *ended gets how many were in them. False with a sentence where something is left; then it stays registered. */
bool end_run(const struct runs *runs, struct run *run, int wait_ms, unsigned *ended, char problem[PROBLEM]);
/* The same for every run of this host; what is left is said on stderr. For root; others have none. */
void end_left_groups(void);

#endif
