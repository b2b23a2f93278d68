/* Runs tc, ip and their like: found in the system's folders alone, no shell, bounded in time. */
#include "files.h"
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_OUTPUT = 1 << 20, PATH_TEXT = 256, MISSING = 127 };

static bool find_tool(const char *name, char path[PATH_TEXT])
{
    static const char *const folders[] = {"/usr/sbin", "/usr/bin", "/sbin", "/bin"};
    if (name[0] == '/') return snprintf(path, PATH_TEXT, "%s", name) < PATH_TEXT;
    for (int i = 0; i < 4; i++) {
        snprintf(path, PATH_TEXT, "%s/%s", folders[i], name);
        if (access(path, X_OK) == 0) return true;
    }
    return false;
}

bool has_tool(const char *name)
{
    char path[PATH_TEXT];
    return find_tool(name, path);
}

bool systemd_runs(void)
{
    struct stat status;
    return lstat("/run/systemd/system", &status) == 0 && S_ISDIR(status.st_mode) && has_tool("systemd-run");
}

static _Noreturn void become(const char *path, const char *const words[], const int ends[3])
{
    static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    for (int fd = 0; fd < 3; fd++)
        if (dup2(ends[fd], fd) < 0) _exit(MISSING);
    execve(path, (char *const *)words, environment);
    _exit(MISSING);
}

/* A reader's end with all of `input` in it: what a batch needs fits into a pipe. -1 when it does not. */
static int filled_pipe(const char *input)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    size_t length = input ? strlen(input) : 0;
    bool fits = length == 0 || write(ends[1], input, length) == (ssize_t)length;
    close(ends[1]);
    if (fits && fcntl(ends[0], F_SETFL, 0) == 0) return ends[0];
    close(ends[0]);
    return -1;
}

/* Reads both ends until they are closed or the time is up; kills the tool then. */
static void collect(pid_t child, const int ends[2], char *texts[2], const size_t sizes[2], unsigned seconds)
{
    size_t used[2] = {0, 0};
    uint64_t deadline = now_ns(MONOTONIC) + seconds * UINT64_C(1000000000);
    struct pollfd watched[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[1], .events = POLLIN}};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
        uint64_t now = now_ns(MONOTONIC);
        int ready = now < deadline ? poll(watched, 2, (int)((deadline - now) / 1000000 + 1)) : 0;
        if (ready == 0) break;
        if (ready < 0) continue;
        for (int i = 0; i < 2; i++) {
            if (watched[i].fd < 0 || !watched[i].revents) continue;
            char rest[4096];
            bool full = !texts[i] || used[i] + 1 >= sizes[i];
            ssize_t length =
                read(ends[i], full ? rest : texts[i] + used[i], full ? sizeof rest : sizes[i] - used[i] - 1);
            if (length == 0 || (length < 0 && errno != EINTR)) watched[i].fd = -1;
            if (length > 0 && !full) used[i] += (size_t)length;
        }
    }
    for (int i = 0; i < 2; i++)
        if (texts[i]) texts[i][used[i]] = '\0';
    if (watched[0].fd >= 0 || watched[1].fd >= 0) kill(child, SIGKILL);
}

int run_tool_for(unsigned seconds, const char *const words[], const char *input, char **output, char said[PROBLEM])
{
    char path[PATH_TEXT];
    if (output) *output = NULL;
    snprintf(said, PROBLEM, "%s is not installed", words[0]);
    if (!find_tool(words[0], path)) return -1;
    snprintf(said, PROBLEM, "%s could not be started", words[0]);
    int out[2], err[2], in = filled_pipe(input);
    if (in < 0 || pipe2(out, O_CLOEXEC) != 0) return MISSING;
    if (pipe2(err, O_CLOEXEC) != 0) return MISSING;
    pid_t child = fork();
    if (child == 0) become(path, words, (const int[]){in, out[1], err[1]});
    close(in);
    close(out[1]);
    close(err[1]);
    char *texts[2] = {output ? malloc(LONGEST_OUTPUT) : NULL, said};
    if (child > 0)
        collect(child, (const int[]){out[0], err[0]}, texts, (const size_t[]){LONGEST_OUTPUT, PROBLEM}, seconds);
    close(out[0]);
    close(err[0]);
    if (output) *output = texts[0];
    int status = 0;
    if (child < 0 || (output && !texts[0])) return MISSING;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_tool(const char *const words[], const char *input, char **output, char said[PROBLEM])
{
    int code = run_tool_for(TOOL_SECONDS, words, input, output, said);
    said[strcspn(said, "\n")] = '\0';
    return code;
}
