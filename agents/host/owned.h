/* Folders and files that nobody but root (or the user) can change, reached without following a link. */
#ifndef OWNED_H
#define OWNED_H

#include "agent.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Opens the folder at an absolute path step by step from `/`: each step must be a folder of root's that nobody
   else may write, and no link. With `make`, absent ones are made (0755). -1 with a sentence, what is wrong and what
   to do, which is empty where a folder is just absent. Only root can make one. */
int open_owned(const char *path, bool make, char problem[PROBLEM]);

/* The same for a folder of the effective user's own, below folders of root's or his; what is made gets mode 0700. A
   sticky folder that all may write may stand above it. */
int open_users_own(const char *path, bool make, char problem[PROBLEM]);

/* Whether the thing belongs to root and nobody else may write it; if not, with a sentence. */
bool owned_by_root(const struct stat *status, const char *path, char problem[PROBLEM]);

/* The number of the user for whom root acts: the one who called sudo, else root. False with a sentence. */
bool asking_user(unsigned *user, char problem[PROBLEM]);

#endif
