/* `hold`: the controllers' lock of this host, an flock(2) that the kernel releases however this process ends. */
#include "agent.h"
#include "group.h"
#include "hold.h"
#include "link.h"
#include "owned.h"
#include "printable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME "lock"
enum { OWNER_MOST = 400, TAKE_OVER_MS = 6000, STEP_MS = 10, KEEPER_LOOKS = 4, KEEPER_LOOK_MS = 250 };

static int run_hold(struct arguments *arguments);

const struct command hold_command = {
    .name = "hold",
    .summary = "hold this host's controllers' lock for as long as stdin stays open",
    .help = "predict-agent hold --token TOKEN --owner TEXT\n"
            "Locks " RUN_FOLDER "/" NAME " (flock, exclusive), writes TEXT into it, prints \"held TOKEN\" and\n"
            "stays until stdin ends or SIGTERM, SIGINT or SIGHUP comes; then it ends the control groups\n"
            "of all runs of this host (see group), makes sure that every lease of this host has a\n"
            "watchdog, empties the file and unlocks it. Groups that a dead holder left are ended before\n"
            "it says that it holds. A line of its input, words with tabs between them, is a command of link:\n"
            "what that prints comes behind a | (stdout) or a ! (stderr) each line, then \"done CODE\".\n"
            "If somebody else holds it: says who on stderr and exits with 3. A holder with the same\n"
            "TOKEN (8 to 64 letters and digits) of the same user (with sudo: SUDO_UID) is one whose\n"
            "connection was lost: it is ended first.\n"
            "For a user other than root it is HOST.lock in /run/user/UID/predict where /run/user/UID is the\n"
            "user's own (0700), else in $HOME/.predict; it keeps out that user's own controllers alone.\n\n"
            "Example: predict-agent hold --token 4f1c09ab --owner 'anna@head, sweep 12'\n",
    .run = run_hold,
};

struct holder {
    long pid;
    unsigned user; /* who asked for it */
    char token[TOKEN_MOST + 1];
    char owner[OWNER_MOST + 1];
};

/* What the holder wrote: its process id, token and user's number, a line end, who it is. */
static bool read_holder(int fd, struct holder *holder)
{
    char text[sizeof *holder + 32] = "";
    *holder = (struct holder){0};
    ssize_t length = pread(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *end = strchr(text, '\n');
    if (!end || sscanf(text, "%ld %64[0-9A-Za-z] %u", &holder->pid, holder->token, &holder->user) != 3) return false;
    copy_printable(holder->owner, sizeof holder->owner, end + 1);
    return true;
}

/* What is locked, for messages. */
static char lock_path[PATH_MAX + HOST_NAME_MAX + 8] = RUN_FOLDER "/" NAME;

static bool write_holder(int fd, const char *token, unsigned user, const char *owner)
{
    char text[sizeof(struct holder) + 32], who[OWNER_MOST + 1];
    copy_printable(who, sizeof who, owner);
    int length = snprintf(text, sizeof text, "%ld %s %u\n%s", (long)getpid(), token, user, who);
    return ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) == length;
}

static int report_owner(const struct holder *holder)
{
    fail("the lock %s is held by %s; wait for it to end, or end it", lock_path,
         holder->owner[0] ? holder->owner : "somebody who left no name");
    return EXIT_TAKEN;
}

/* Whether a process runs this very program. */
static bool is_agent(long pid)
{
    char path[64];
    struct stat own, its;
    snprintf(path, sizeof path, "/proc/%ld/exe", pid);
    return stat("/proc/self/exe", &own) == 0 && stat(path, &its) == 0 && own.st_dev == its.st_dev &&
           own.st_ino == its.st_ino;
}

/* Ends the holder that `before` describes, if it is the holder still, and locks in its place. */
static bool take_over(int fd, const struct holder *before)
{
    int process = before->pid > 1 ? (int)syscall(SYS_pidfd_open, (pid_t)before->pid, 0) : -1;
    if (process < 0) return false;
    /* The file is root's alone, so what it says was so; but a holder that was killed leaves its number, which may be
       another process' when the next holder has not yet written its own. */
    struct holder now;
    bool same = read_holder(fd, &now) && now.pid == before->pid && strcmp(now.token, before->token) == 0 &&
                is_agent(before->pid);
    bool taken = false;
    /* One that was stopped ends too. */
    if (same && syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0) == 0 &&
        syscall(SYS_pidfd_send_signal, process, SIGCONT, NULL, 0) == 0)
        for (int waited = 0; !taken && waited < TAKE_OVER_MS; waited += STEP_MS) {
            taken = flock(fd, LOCK_EX | LOCK_NB) == 0;
            if (!taken) usleep(STEP_MS * 1000);
        }
    close(process);
    return taken;
}

/* EXIT_DONE when the lock is ours, else what this process exits with. */
static int take(int fd, const char *token, unsigned user)
{
    struct holder holder = {0};
    /* The holder may have locked it and not yet written its name, or be about to let it go. */
    for (int attempt = 0; attempt < 10; attempt++) {
        if (attempt) usleep(STEP_MS * 1000);
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return EXIT_DONE;
        if (errno != EWOULDBLOCK) return fail("cannot lock %s (%s)", lock_path, strerror(errno));
        if (!read_holder(fd, &holder)) continue;
        /* A token stands in the list of processes; who asks is what nobody else can say. */
        bool own = strcmp(holder.token, token) == 0 && (user == 0 || holder.user == user);
        if (!own) return report_owner(&holder);
        if (take_over(fd, &holder)) return EXIT_DONE;
    }
    return report_owner(&holder);
}

static void wait_for_end(int signals)
{
    struct pollfd watched[] = {{.fd = 0, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    for (;;) {
        if (poll(watched, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return;
        }
        if (watched[1].revents || (watched[0].revents && !follow_orders())) return;
    }
}

/* Whether the folder that logind makes for the user is there and is his alone. */
static bool has_runtime_folder(const char *path)
{
    char ignored[PROBLEM];
    struct stat status;
    int folder = open_users_own(path, false, ignored);
    bool own = folder >= 0 && fstat(folder, &status) == 0 && !(status.st_mode & 077);
    if (folder >= 0) close(folder);
    return own;
}

/* A folder that the user alone may write, with HOST.lock in it as what is locked: never one that others could have made
   first. -1 with a sentence. */
static int open_user_folder(char problem[PROBLEM])
{
    char base[PATH_MAX], wanted[PATH_MAX + 16], path[PATH_MAX], host[HOST_NAME_MAX + 1] = "";
    const char *home = getenv("HOME");
    snprintf(base, sizeof base, "/run/user/%u", geteuid());
    bool runtime = has_runtime_folder(base);
    if (!runtime && (!home || home[0] != '/' || !realpath(home, base))) {
        snprintf(problem, PROBLEM, "HOME (\"%.200s\") is not a folder; set it to this user's own", home ? home : "");
        return -1;
    }
    snprintf(wanted, sizeof wanted, "%s/%s", base, runtime ? "predict" : ".predict");
    /* The user's own links are followed; what they lead to is judged. */
    if (!realpath(wanted, path) && snprintf(path, sizeof path, "%s", wanted) >= (int)sizeof path)
        return snprintf(problem, PROBLEM, "the path %.300s is too long", wanted), -1;
    gethostname(host, sizeof host - 1);
    snprintf(lock_path, sizeof lock_path, "%s/%s.lock", path, host);
    return open_users_own(path, true, problem);
}

static int open_lock(void)
{
    char problem[PROBLEM];
    bool root = geteuid() == 0;
    int folder = root ? open_owned(RUN_FOLDER, true, problem) : open_user_folder(problem);
    if (folder < 0) return fail("%s", problem), -1;
    const char *name = strrchr(lock_path, '/') + 1;
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    int reason = errno;
    close(folder);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) fail("cannot open %s (%s)", lock_path, strerror(reason));
    else if (!S_ISREG(status.st_mode)) fail("%s is not a file; remove it", lock_path);
    else if (root && !owned_by_root(&status, lock_path, problem)) fail("%s", problem);
    else if (fchmod(fd, 0600) != 0) fail("cannot make %s its user's alone (%s)", lock_path, strerror(errno));
    else return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static int run_hold(struct arguments *arguments)
{
    const char *token = NULL, *owner = NULL;
    while (next_option(arguments)) {
        if (option_is(arguments, "token")) token = option_token(arguments);
        else if (option_is(arguments, "owner")) owner = option_text(arguments);
        else refuse_option(arguments);
    }
    expect_end(arguments);
    if (!token || !owner)
        return misuse("%s is missing; give both --token TOKEN and --owner TEXT", token ? "--owner" : "--token");
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    int signals = signalfd(-1, &ends, SFD_CLOEXEC);

    char problem[PROBLEM];
    unsigned user = geteuid();
    if (user == 0 && !asking_user(&user, problem)) return fail("%s", problem);
    int fd = open_lock();
    if (fd < 0) return EXIT_FAILED;
    int code = take(fd, token, user);
    if (code != EXIT_DONE) return code;
    if (!write_holder(fd, token, user, owner))
        return fail("cannot write into %s (%s); check the disk", lock_path, strerror(errno));
    end_left_groups();
    if (printf("held %s\n", token) < 0 || fflush(stdout) != 0)
        fail("cannot tell on stdout that the lock is held (%s); it is let go", strerror(errno));
    else wait_for_end(signals);
    end_left_groups();
    /* The controller has let go or is gone: what it leaves throttled must not be without a keeper. One that is being
       killed is seen to live until it has ended: it is looked for again. */
    for (int look = 0; look < KEEPER_LOOKS && ensure_keepers(); look++) usleep(KEEPER_LOOK_MS * 1000);
    bool emptied = ftruncate(fd, 0) == 0;
    flock(fd, LOCK_UN);
    /* sudo stops when its command is stopped, and nobody else would wake it. */
    if (getppid() > 1) kill(getppid(), SIGCONT);
    return emptied && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
}
