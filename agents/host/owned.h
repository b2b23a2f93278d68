/* Folders and files of root that nobody else can change, reached without following a link. */
#ifndef OWNED_H
#define OWNED_H

#include "agent.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Opens the folder at an absolute path step by step from `/`: each step must be a folder of root's that nobody
   else may write, and no link. With `make`, absent ones are made (0755). -1 with a sentence, what is wrong and what
   to do, which is empty where a folder is just absent. Only root can make one. */
int open_owned(const char *path, bool make, char problem[PROBLEM]);

/* Whether the thing belongs to root and nobody else may write it; if not, with a sentence. */
bool owned_by_root(const struct stat *status, const char *path, char problem[PROBLEM]);

#endif
