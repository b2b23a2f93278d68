/* The folder of runs: which groups each has, in files of root's (owned.c). */
#include "files.h"
#include "group.h"
#include "link.h"
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS_FOLDER RUN_FOLDER "/runs"
enum { LOCK_WAIT_MS = 15000 };

bool open_runs(struct runs *runs, bool make, char problem[PROBLEM])
{
    *runs = (struct runs){.folder = open_owned(RUNS_FOLDER, make, problem), .lock = -1};
    if (runs->folder < 0) return problem[0] == '\0';
    runs->lock = lock_folder(runs->folder, LOCK_WAIT_MS, true);
    if (runs->lock >= 0) return true;
    snprintf(problem, PROBLEM, RUNS_FOLDER " cannot be locked (%s); try again", strerror(errno));
    close_runs(runs);
    return false;
}

void close_runs(struct runs *runs)
{
    if (runs->lock >= 0) close(runs->lock);
    if (runs->folder >= 0) close(runs->folder);
    runs->lock = runs->folder = -1;
}

/* Whether a line is the folder of a group that this program made. */
static bool is_group(const char *line, const char *token)
{
    char beginning[TOKEN_MOST + 16];
    const char *name = strrchr(line, '/');
    snprintf(beginning, sizeof beginning, "/predict-%s-", token);
    return line[0] == '/' && strncmp(name, beginning, strlen(beginning)) == 0 && strlen(line) < PATH_MAX;
}

bool read_run(const struct runs *runs, const char *token, struct run *run, char problem[PROBLEM])
{
    char path[sizeof RUNS_FOLDER + TOKEN_MOST + 1];
    *run = (struct run){0};
    problem[0] = '\0';
    if (runs->folder < 0) return false;
    snprintf(run->token, sizeof run->token, "%s", token);
    /* By its path: the folder is root's alone, and stays. */
    snprintf(path, sizeof path, RUNS_FOLDER "/%s", token);
    char *text = read_whole(path), *rest = text, *line = strsep(&rest, "\n");
    if (!text && errno == ENOENT) return false;
    bool valid = line && sscanf(line, "%u", &run->user) == 1;
    while (valid && (line = strsep(&rest, "\n")) && *line) {
        valid = is_group(line, token) && run->count < GROUPS_MOST;
        if (valid) snprintf(run->groups[run->count++], PATH_MAX, "%s", line);
    }
    free(text);
    if (!valid) snprintf(problem, PROBLEM, "%s cannot be understood; end what it names, and remove it", path);
    return valid;
}

bool write_run(const struct runs *runs, const struct run *run, char problem[PROBLEM])
{
    if (run->count == 0) return unlinkat(runs->folder, run->token, 0) == 0 || errno == ENOENT;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return snprintf(problem, PROBLEM, "there is no memory left"), false;
    fprintf(out, "%u\n", run->user);
    for (int i = 0; i < run->count; i++) fprintf(out, "%s\n", run->groups[i]);
    bool written = fclose(out) == 0 && replace_file(runs->folder, run->token, text);
    if (!written) snprintf(problem, PROBLEM, RUNS_FOLDER " cannot be written (%s); check the disk", strerror(errno));
    free(text);
    return written;
}
