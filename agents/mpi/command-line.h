/* Options of a program as a table, from which arguments are read and the usage is printed. */
#ifndef PREDICT_MPI_COMMAND_LINE_H
#define PREDICT_MPI_COMMAND_LINE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the field of an option holds, and what fills it. */
enum kind {
    INT,      /* an int in least..most */
    WORD,     /* a uint64_t in least..most */
    FRACTION, /* a double in 0..1 */
    TEXT,     /* a const char *, the argument itself */
    CHOICE,   /* an int: which of the words of `value`, which bars part */
    FLAG,     /* an int, which becomes `least`; no argument */
};

struct option {
    const char *name, *value;
    enum kind kind;
    size_t field; /* offset in the program's options */
    uint64_t least, most;
    const char *help;
};

struct option_table {
    const struct option *options;
    int count, positionals; /* the first `positionals` need no name */
};

/* Fills fields of `into`; false: `error` holds one sentence. */
int command_line_read(void *into, struct option_table table, int argc, char **argv, char error[256]);

/* A line for each option, its help from a column on. */
void command_line_list(FILE *file, struct option_table table, int column);

#endif
