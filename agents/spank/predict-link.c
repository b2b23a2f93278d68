/* SPANK plugin (spank(8)): `srun --link-rate=BIT_PER_S:BURST_BYTES[:QUEUE]` throttles the data link of every node of
   the step for as long as the step runs. It is root's predict-agent that does it, under a lease; the plugin only calls
   it. In plugstack.conf: required /PATH/predict-link.so agent=/PATH/predict-agent network=10.0.0.0/24 (or
   interface=eth0) [lease=3600] [ssh-port=22] */
#include <slurm/spank.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

SPANK_PLUGIN(predict_link, 1)

enum { TEXT = 256, MOST_DIGITS = 14 };

/* Of plugstack.conf, which is the administrator's. */
static char agent[TEXT], interface[TEXT], network[TEXT], lease[TEXT] = "3600", ssh_port[TEXT] = "22";
/* Of srun's command line: "RATE:BURST:QUEUE", bit/s, bytes, and what predict-agent knows. */
static char rate[TEXT], burst[TEXT], queue[TEXT];
static bool throttled;

/* Only what these options may have; the agent says what it does not know. */
static bool plain(const char *text, const char *allowed)
{
    return text[0] && strlen(text) <= MOST_DIGITS && text[strspn(text, allowed)] == '\0';
}

static int take_rate(int value, const char *text, int remote)
{
    (void)value, (void)remote;
    char given[TEXT] = "";
    if (text) snprintf(given, sizeof given, "%s", text);
    char *rest = given;
    const char *parts[3];
    for (int i = 0; i < 3; i++) parts[i] = strsep(&rest, ":");
    if (!parts[1] || rest || !plain(parts[0], "0123456789") || !plain(parts[1], "0123456789") ||
        (parts[2] && !plain(parts[2], "0123456789._abcdefghijklmnopqrstuvwxyz"))) {
        slurm_error("predict-link: --link-rate takes BIT_PER_S:BURST_BYTES[:QUEUE], such as 20000000:18168:fair");
        return ESPANK_BAD_ARG;
    }
    snprintf(rate, sizeof rate, "%s", parts[0]);
    snprintf(burst, sizeof burst, "%s", parts[1]);
    snprintf(queue, sizeof queue, "%s", parts[2] ? parts[2] : "fair");
    return ESPANK_SUCCESS;
}

static struct spank_option option = {
    "link-rate",
    "BIT_PER_S:BURST_BYTES[:QUEUE]",
    "predict: throttle the data link of the step's nodes while it runs",
    1,
    0,
    take_rate,
};

static bool take(const char *argument, const char *name, char value[TEXT])
{
    size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=') return false;
    return snprintf(value, TEXT, "%s", argument + length + 1) < TEXT;
}

int slurm_spank_init(spank_t spank, int count, char **arguments)
{
    for (int i = 0; i < count; i++) {
        const char *each = arguments[i];
        if (take(each, "agent", agent) || take(each, "interface", interface) || take(each, "network", network) ||
            take(each, "lease", lease) || take(each, "ssh-port", ssh_port))
            continue;
        slurm_error("predict-link: plugstack.conf has '%s', which is not a setting of this plugin", each);
        return ESPANK_BAD_ARG;
    }
    if (agent[0] != '/' || (!interface[0] && !network[0])) {
        slurm_error("predict-link: plugstack.conf must have agent=/PATH and network=CIDR or interface=NAME");
        return ESPANK_BAD_ARG;
    }
    return spank_option_register(spank, &option) == ESPANK_SUCCESS ? ESPANK_SUCCESS : ESPANK_ERROR;
}

/* Runs `predict-agent link VERB` with an environment of its own; true when it ended well. */
static bool link_agent(const char *verb, const char *const more[])
{
    const char *words[24] = {agent, "link", verb};
    int count = 3;
    if (interface[0]) words[count++] = "--interface", words[count++] = interface;
    if (network[0]) words[count++] = "--network", words[count++] = network;
    for (; more && *more; more++) words[count++] = *more;
    static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    struct stat status;
    if (stat(agent, &status) != 0 || status.st_uid != 0 || (status.st_mode & (S_IWGRP | S_IWOTH))) {
        slurm_error("predict-link: %s is not there, or not root's alone", agent);
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        execve(agent, (char *const *)words, environment);
        _exit(127);
    }
    int code = 0;
    while (child > 0 && waitpid(child, &code, 0) < 0)
        if (errno != EINTR) return false;
    return child > 0 && WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

/* On every node of the step, as root, before its tasks. */
int slurm_spank_init_post_opt(spank_t spank, int count, char **arguments)
{
    (void)count, (void)arguments;
    if (spank_remote(spank) != 1 || !rate[0]) return ESPANK_SUCCESS;
    uint32_t job = 0, step = 0;
    char owner[TEXT];
    spank_get_item(spank, S_JOB_ID, &job);
    spank_get_item(spank, S_JOB_STEPID, &step);
    snprintf(owner, sizeof owner, "SLURM step %" PRIu32 ".%" PRIu32, job, step);
    const char *const level[] = {"--rate", rate,      "--burst", burst,     "--queue", queue, "--ssh-port",
                                 ssh_port, "--lease", lease,     "--owner", owner,     NULL};
    throttled = true;
    if (link_agent("set", level)) return ESPANK_SUCCESS;
    slurm_error("predict-link: the data link could not be throttled to %s bit/s", rate);
    return ESPANK_ERROR;
}

int slurm_spank_exit(spank_t spank, int count, char **arguments)
{
    (void)count, (void)arguments;
    if (spank_remote(spank) != 1 || !throttled) return ESPANK_SUCCESS;
    if (link_agent("clear", NULL)) return ESPANK_SUCCESS;
    slurm_error("predict-link: the data link could not be restored; its watchdogs do so when the lease ends");
    return ESPANK_ERROR;
}
