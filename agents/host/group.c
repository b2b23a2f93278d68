/* `group`: what a run started on this host ends with it, whatever sessions, process groups and parents it has by then.
 */
#include "group.h"
#include "agent.h"
#include "files.h"
#include "owned.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

static int run_group(struct arguments *arguments);

const struct command group_command = {
    .name = "group",
    .summary = "put a run's processes into a control group, and end all in it",
    .help = "predict-agent group enter --run TOKEN --pid PID\n"
            "predict-agent group end --run TOKEN\n"
            "  enter  moves the process PID into this host's control group of the run and prints its folder;\n"
            "         what PID starts from then on is in it too. The group is made below the one that PID is in,\n"
            "         whose limits go on to hold: of cgroup version 2 with cgroup.kill (Linux 5.14), else of\n"
            "         version 1's freezer. With sudo, PID must belong to the user who asks (SUDO_UID).\n"
            "  end    ends all processes in it and in groups below it, removes it and prints \"ended N\"; fine\n"
            "         where there is none. hold does the same for all runs of the host.\n"
            "TOKEN is 8 to 64 letters and digits. For root.\n\n"
            "Example: predict-agent group enter --run 4f1c09ab --pid 4711\n",
    .run = run_group,
};

enum { PID_MOST = 1 << 22, END_MS = 5000 };

/* Whether a process is the user's in every respect; root may ask for any. What a process of his becomes later by a
   set-user-id program stays in the group, as with any group that a user's processes are in. */
static bool belongs_to(unsigned user, pid_t pid)
{
    if (user == 0) return true;
    char path[64], text[4096];
    unsigned ids[4];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    if (read_small(-1, path, text, sizeof text) <= 0) return false;
    const char *line = strstr(text, "\nUid:");
    return line && sscanf(line, "\nUid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4 && ids[0] == user &&
           ids[1] == user && ids[2] == user && ids[3] == user;
}

/* The run if it may be touched by the user: one that is not registered is his. */
static bool find_run(const struct runs *runs, const char *token, unsigned user, struct run *run, char problem[PROBLEM])
{
    if (!read_run(runs, token, run, problem)) {
        if (problem[0]) return false;
        *run = (struct run){.user = user};
        snprintf(run->token, sizeof run->token, "%s", token);
    }
    if (user == 0 || run->user == user) return true;
    snprintf(problem, PROBLEM, "the run %s is of user %u, not of user %u; take another token", token, run->user, user);
    return false;
}

/* While a process is traced nobody else gets its number, also when it ends: its tracer has not taken leave of it
   (ptrace(2), "Death under ptrace"). It is let go when this program ends, and never stopped. */
static bool keep_number(pid_t pid) { return ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0; }

static int enter(const char *token, pid_t pid, unsigned user)
{
    static struct run run;
    static char group[PATH_MAX];
    char problem[PROBLEM];
    struct runs runs;
    if (kill(pid, 0) != 0) return fail("there is no process %d here (%s); give one that runs", pid, strerror(errno));
    /* Judged before it is held, so that no stranger's is, and again once nobody else can have its number. */
    bool own = belongs_to(user, pid), held = own && keep_number(pid);
    if (own && !held) return fail("process %d cannot be held (%s); end what traces it", pid, strerror(errno));
    if (!own || !belongs_to(user, pid))
        return fail("process %d does not belong to user %u, who asks; give one of that user's", pid, user);
    if (!open_runs(&runs, true, problem)) return fail("%s", problem);
    bool entered = find_run(&runs, token, user, &run, problem) && enter_group(&runs, &run, pid, group, problem);
    close_runs(&runs);
    if (!entered) return fail("%s", problem);
    return printf("%s\n", group) < 0 || fflush(stdout) != 0 ? EXIT_FAILED : EXIT_DONE;
}

static int end(const char *token, unsigned user)
{
    static struct run run;
    char problem[PROBLEM];
    unsigned ended = 0;
    struct runs runs;
    if (!open_runs(&runs, false, problem)) return fail("%s", problem);
    bool done = runs.folder < 0 ||
                (find_run(&runs, token, user, &run, problem) && end_run(&runs, &run, END_MS, &ended, problem));
    close_runs(&runs);
    if (!done) return fail("%s", problem);
    return printf("ended %u\n", ended) < 0 || fflush(stdout) != 0 ? EXIT_FAILED : EXIT_DONE;
}

static int run_group(struct arguments *arguments)
{
    const char *verb = next_word(arguments), *token = NULL;
    char problem[PROBLEM];
    unsigned user;
    uint64_t pid = 0;
    /* --help may stand in place of the verb. */
    if (verb && verb[0] == '-') arguments->next--;
    bool enters = verb && strcmp(verb, "enter") == 0;
    while (next_option(arguments)) {
        if (option_is(arguments, "run")) token = option_token(arguments);
        else if (enters && option_is(arguments, "pid")) {
            pid = option_count(arguments);
            if (pid < 2 || pid > PID_MOST) return misuse("--pid must be a number from 2 to %d", PID_MOST);
        } else refuse_option(arguments);
    }
    expect_end(arguments);
    if (!enters && (!verb || strcmp(verb, "end") != 0))
        return misuse("say enter or end; see predict-agent group --help");
    if (!token || (enters && pid == 0)) return misuse("give --run TOKEN%s", enters ? " and --pid PID" : "");
    if (geteuid() != 0) return fail("this is for root; run it as root or with sudo -n");
    if (!asking_user(&user, problem)) return fail("%s", problem);
    umask(022);
    return enters ? enter(token, (pid_t)pid, user) : end(token, user);
}
