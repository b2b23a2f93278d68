/* The command line: one table says what there is, from which arguments are read and the usage is printed. */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What a field of struct options holds, and what fills it. */
enum kind {
    INT,  /* an int in least..most */
    WORD, /* a uint64_t in least..most */
    TEXT, /* a const char *, the argument itself */
    FLAG, /* an int, which becomes `least`; no argument */
};

struct option {
    const char *name, *value;
    enum kind kind;
    size_t field;
    uint64_t least, most;
    const char *help;
};

#define FIELD(name) offsetof(struct options, name)

/* The first POSITIONALS need no name. */
enum { POSITIONALS = 2 };

static const struct option table[] = {
    {"--scale", "N", INT, FIELD(scale), 1, 40, "2^N vertices, 1..40 (default 16)"},
    {"--edgefactor", "N", INT, FIELD(edge_factor), 1, 1024, "N * 2^scale edges, 1..1024 (default 16)"},
    {"--seed", "N", WORD, FIELD(seed), 0, UINT64_MAX, "seed of graph and search keys (default 2)"},
    {"--roots", "N", INT, FIELD(roots), 1, 1 << 20, "searches (default 64; fewer if the graph has fewer keys)"},
    {"--warm-up", "N", INT, FIELD(warm_up), 0, 1 << 20, "searches before those that count (default 0)"},
    {"--skip-validation", NULL, FLAG, FIELD(validate), 0, 0, "do not validate; validation times are printed as -1"},
    {"--validate", "N", INT, FIELD(validate), 0, 1 << 20, "validate the first N searches only"},
    {"--phases", "FILE", TEXT, FIELD(phases), 0, 0, "CSV of every phase of every level on every rank"},
    {"--roots-out", "FILE", TEXT, FIELD(roots_out), 0, 0, "CSV of every search, written as the run goes"},
    {"--graph-cache", "DIR", TEXT, FIELD(graph_cache), 0, 0, "keep the constructed graph there, or take it from there"},
    {"--parents-out", "FILE", TEXT, FIELD(parents_out), 0, 0, "the result of every search, 8 bytes a vertex"},
    {"--edges-out", "FILE", TEXT, FIELD(edges_out), 0, 0,
     "write the edge list there instead of searching; on one rank"},
    {"--corrupt", "FAULT", INT, FIELD(corrupt), 1, 8,
     "for tests: 1..5 breaks that rule in the tree, 6..8 damages the graph; validation must fail"},
    {"--help", NULL, FLAG, FIELD(help), 1, 1, "this text"},
};

enum { OPTIONS = sizeof table / sizeof *table };

void options_print_usage(FILE *file)
{
    fputs("usage: mpirun -np P predict-graph500 [options] [SCALE [EDGEFACTOR]]\n"
          "Graph500 breadth-first search on P = q * q ranks (1, 4, 9, 16, 25, ...).\n\n",
          file);
    for (const struct option *o = table; o < table + OPTIONS; o++) {
        int width = fprintf(file, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(file, "%*s%s\n", 21 - width, "", o->help);
    }
    fputs("\nExit status: 0 done, 1 a file could not be written, 2 refused, 3 a validation failed, 4 out of memory.\n"
          "Example: mpirun -np 4 predict-graph500 --scale 18 --roots 16 --phases phases.csv\n",
          file);
}

static const struct option *find(const char *name)
{
    if (!strcmp(name, "-h")) name = "--help";
    for (const struct option *o = table; o < table + OPTIONS; o++)
        if (!strcmp(name, o->name)) return o;
    return NULL;
}

/* A whole number in the option's range; anything else is refused. */
static int read_number(const struct option *option, const char *text, uint64_t *out, char *error)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < option->least || n > option->most) {
        snprintf(error, 256, "%s must be a whole number from %llu to %llu, not '%.60s'.", option->name,
                 (unsigned long long)option->least, (unsigned long long)option->most, text);
        return 0;
    }
    *out = n;
    return 1;
}

/* `text` is NULL for a flag. */
static int enter(struct options *o, const struct option *option, const char *text, char *error)
{
    void *field = (char *)o + option->field;
    uint64_t n = option->least;
    if ((option->kind == INT || option->kind == WORD) && !read_number(option, text, &n, error)) return 0;
    switch (option->kind) {
    case WORD: *(uint64_t *)field = n; break;
    case TEXT: *(const char **)field = text; break;
    case INT:
    case FLAG: *(int *)field = (int)n; break;
    }
    return 1;
}

int options_parse(struct options *o, int argc, char **argv, char error[256])
{
    const struct option *positional = table;
    *o = (struct options){.scale = 16, .edge_factor = 16, .seed = 2, .roots = 64, .validate = INT_MAX};
    for (int i = 1; i < argc; i++) {
        const struct option *option = find(argv[i]);
        const char *text = NULL;
        if (!option && argv[i][0] != '-' && positional < table + POSITIONALS) {
            option = positional++;
            text = argv[i];
        } else if (!option) {
            snprintf(error, 256, "unknown option '%.60s'; --help lists the options.", argv[i]);
            return 0;
        } else if (option->kind != FLAG) {
            if (i + 1 == argc || argv[i + 1][0] == '\0') {
                snprintf(error, 256, "%s needs a value.", option->name);
                return 0;
            }
            text = argv[++i];
        }
        if (!enter(o, option, text, error)) return 0;
    }
    return 1;
}
