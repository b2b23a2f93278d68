/* Folders and files of root that nobody else can change, reached without following a link. */
#ifndef OWNED_H
#define OWNED_H

#include <stdbool.h>
#include <sys/stat.h>

/* Opens the folder at an absolute path step by step from `/`: each step must be a folder of root's that nobody
   else may write, and no link. With `make`, absent ones are made (0755). -1 after saying what is wrong and what
   to do. For root alone. */
int open_owned(const char *path, bool make);

/* Says on stderr what is wrong, unless the thing belongs to root and nobody else may write it. */
bool owned_by_root(const struct stat *status, const char *path);

#endif
