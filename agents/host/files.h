/* Small files of /proc, /sys and the agent's own state directories. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads an open file from its start; NUL-terminates; bytes read, or -1. */
ssize_t read_again(int fd, char *buffer, size_t size);
/* The same for a path below `directory` (AT_FDCWD, or ignored for absolute paths). */
ssize_t read_small(int directory, const char *path, char *buffer, size_t size);
/* The same by a path that is opened once: *file is -1 before, and again when it cannot be read. */
ssize_t read_kept(int *file, const char *path, char *buffer, size_t size);
/* A whole file in memory that the caller frees, NUL-terminated, or NULL. */
char *read_whole(const char *path);
/* Writes a file through a temporary one and rename, so that no reader sees half of it. */
bool replace_file(int directory, const char *name, const char *text);
/* The number after `name` at the start of a line ("MemTotal:   123 kB"); false when absent. */
bool find_count(const char *text, const char *name, uint64_t *count);
/* Reads a number at *at past blanks and moves *at behind it; 0 when there is none. */
uint64_t take_count(const char **at);

enum clock_name { REALTIME, MONOTONIC, BOOTTIME };
uint64_t now_ns(enum clock_name name);

/* Processor time of this process, all its threads. */
uint64_t own_cpu_ns(void);

#endif
