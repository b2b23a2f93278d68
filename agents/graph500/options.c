#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_usage[] =
    "usage: mpirun -np P predict-graph500 [options] [SCALE [EDGEFACTOR]]\n"
    "Graph500 breadth-first search on P = q * q ranks (1, 4, 9, 16, 25, ...).\n"
    "\n"
    "  --scale N          2^N vertices, 1..40 (default 16)\n"
    "  --edgefactor N     N * 2^scale edges, 1..1024 (default 16)\n"
    "  --seed N           seed of graph and search keys (default 2)\n"
    "  --roots N          searches (default 64; fewer if the graph has fewer keys)\n"
    "  --skip-validation  do not validate; validation times are printed as -1\n"
    "  --validate N       validate the first N searches only\n"
    "  --phases FILE      CSV of every phase of every level on every rank\n"
    "  --roots-out FILE   CSV of every search, written as the run goes\n"
    "  --graph-cache DIR  keep the constructed graph there, or take it from there\n"
    "  --corrupt RULE     for tests: damages the tree so that validation rule RULE (1..5) must fail\n"
    "  --help             this text\n"
    "\n"
    "Exit status: 0 done, 2 refused, 3 a validation failed, 4 out of memory.\n"
    "Example: mpirun -np 4 predict-graph500 --scale 18 --roots 16 --phases phases.csv\n";

/* A whole number in lo..hi; anything else is refused. */
static int number(const char *name, const char *text, uint64_t lo, uint64_t hi, uint64_t *out, char *error)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < lo || n > hi) {
        snprintf(error, 256, "%s must be a whole number from %llu to %llu, not '%.60s'.", name, (unsigned long long)lo,
                 (unsigned long long)hi, text);
        return 0;
    }
    *out = n;
    return 1;
}

static int numeric_option(struct options *o, const char *name, const char *value, char *error)
{
    uint64_t n = 0;
    if (!strcmp(name, "--scale")) {
        if (!number(name, value, 1, 40, &n, error)) return 0;
        o->scale = (int)n;
    } else if (!strcmp(name, "--edgefactor")) {
        if (!number(name, value, 1, 1024, &n, error)) return 0;
        o->edge_factor = (int)n;
    } else if (!strcmp(name, "--seed")) {
        if (!number(name, value, 0, UINT64_MAX, &n, error)) return 0;
        o->seed = n;
    } else if (!strcmp(name, "--roots")) {
        if (!number(name, value, 1, 1 << 20, &n, error)) return 0;
        o->roots = (uint32_t)n;
    } else if (!strcmp(name, "--validate")) {
        if (!number(name, value, 0, 1 << 20, &n, error)) return 0;
        o->validate = (int64_t)n;
    } else {
        if (!number(name, value, 1, 5, &n, error)) return 0;
        o->corrupt = (int)n;
    }
    return 1;
}

static const char **text_option(struct options *o, const char *name)
{
    if (!strcmp(name, "--phases")) return &o->phases;
    if (!strcmp(name, "--roots-out")) return &o->roots_out;
    if (!strcmp(name, "--graph-cache")) return &o->graph_cache;
    return NULL;
}

static int is_numeric(const char *name)
{
    static const char *const names[] = {"--scale", "--edgefactor", "--seed", "--roots", "--validate", "--corrupt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return 1;
    return 0;
}

int options_parse(struct options *o, int argc, char **argv, char error[256])
{
    static const char *const positional[] = {"--scale", "--edgefactor"};
    int seen = 0;
    *o = (struct options){.scale = 16, .edge_factor = 16, .seed = 2, .roots = 64, .validate = INT64_MAX};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
            o->help = 1;
        } else if (!strcmp(name, "--skip-validation")) {
            o->validate = 0;
        } else if (name[0] != '-' && seen < 2) {
            if (!numeric_option(o, positional[seen++], name, error)) return 0;
        } else if (!is_numeric(name) && !text_option(o, name)) {
            snprintf(error, 256, "unknown option '%.60s'; --help lists the options.", name);
            return 0;
        } else if (i + 1 == argc || argv[i + 1][0] == '\0') {
            snprintf(error, 256, "%s needs a value.", name);
            return 0;
        } else if (is_numeric(name)) {
            if (!numeric_option(o, name, argv[++i], error)) return 0;
        } else {
            *text_option(o, name) = argv[++i];
        }
    }
    return 1;
}
