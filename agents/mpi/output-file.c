/* Output files, and what is said when one cannot be written. */
#define _GNU_SOURCE
#include "output-file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

FILE *output_open(const char *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    FILE *f = fopen(path, "w");
    if (!f) fprintf(stderr, "%s: cannot write %s: %s.\n", program_invocation_short_name, path, strerror(errno));
    return f;
}

int output_close(FILE *f, const char *path)
{
    if (!f || !(ferror(f) | fclose(f))) return 1;
    fprintf(stderr, "%s: warning: %s is not complete: %s.\n", program_invocation_short_name, path, strerror(errno));
    return 0;
}
