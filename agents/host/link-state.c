/* The state folder of one link, which is root's alone (owned.c), and what stands in it. */
#include "agent.h"
#include "files.h"
#include "link.h"
#include "owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RETRY_MS = 5, STATE_PATH = sizeof RUN_FOLDER + sizeof "/throttle-" + IF_NAMESIZE };

/* A century of uptime: more is no deadline. */
static const double absurd_seconds = 3.2e9;

bool is_interface_name(const char *text)
{
    size_t length = strlen(text);
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-";
    return length > 0 && length < IF_NAMESIZE && strspn(text, allowed) == length && text[0] != '-' && text[0] != '.';
}

static void state_path(const struct state *state, char path[STATE_PATH])
{
    snprintf(path, STATE_PATH, RUN_FOLDER "/throttle-%s", state->interface);
}

bool open_state(struct state *state, const char *interface, bool make, char problem[PROBLEM])
{
    char path[STATE_PATH];
    *state = (struct state){.lock = -1};
    snprintf(state->interface, sizeof state->interface, "%s", interface);
    state_path(state, path);
    state->folder = open_owned(path, make, problem);
    return state->folder >= 0 || problem[0] == '\0';
}

int lock_folder(int folder, int wait_ms, bool make)
{
    for (int waited = 0;; waited += RETRY_MS) {
        int lock = openat(folder, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0), 0600);
        if (lock < 0) return -1;
        struct stat held;
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
            if (fstat(lock, &held) == 0 && held.st_nlink > 0) return lock;
            waited -= RETRY_MS; /* its folder has been removed, and perhaps made anew */
            close(lock);
            continue;
        }
        close(lock);
        if (waited >= wait_ms) {
            errno = ETIMEDOUT;
            return -1;
        }
        usleep(RETRY_MS * 1000);
    }
}

enum taken take_state(struct state *state, const char *interface, bool make, int wait_ms, char problem[PROBLEM])
{
    for (int attempt = 0; attempt < 100; attempt++) {
        if (!open_state(state, interface, make, problem)) return REFUSED;
        if (state->folder < 0) return TAKEN;
        state->lock = lock_folder(state->folder, wait_ms, true);
        if (state->lock >= 0) return TAKEN;
        int reason = errno;
        close_state(state);
        if (reason == ENOENT) continue; /* it was removed meanwhile */
        snprintf(problem, PROBLEM, "the state of %s cannot be locked (%s)", interface, strerror(reason));
        if (reason != ETIMEDOUT) return REFUSED;
        snprintf(problem, PROBLEM, "another command has worked on %s for %d s; try again", interface, wait_ms / 1000);
        return BUSY;
    }
    snprintf(problem, PROBLEM, "the state of %s is made and removed by others all the time", interface);
    return BUSY;
}

void close_state(struct state *state)
{
    if (state->lock >= 0) close(state->lock);
    if (state->folder >= 0) close(state->folder);
    state->lock = state->folder = -1;
}

void remove_state(struct state *state)
{
    if (state->folder < 0) return;
    stop_timer(state->folder);
    DIR *entries = fdopendir(dup(state->folder));
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strcmp(entry->d_name, "lock") != 0)
            unlinkat(state->folder, entry->d_name, 0);
    if (entries) closedir(entries);
    /* Who waits for the lock sees that it is gone; who makes a new one keeps the folder. */
    unlinkat(state->folder, "lock", 0);
    char path[STATE_PATH];
    state_path(state, path);
    rmdir(path);
    close_state(state);
}

enum lease read_lease(int folder, uint64_t *deadline_ns)
{
    char text[64];
    double seconds;
    *deadline_ns = 0;
    ssize_t length = read_small(folder, "deadline", text, sizeof text);
    if (length < 0 && errno == ENOENT) return LEASE_GONE;
    if (length <= 0 || !parse_decimal(text, &seconds) || seconds > absurd_seconds) return LEASE_EXPIRED;
    *deadline_ns = (uint64_t)(seconds * 1e9);
    return *deadline_ns > now_ns(BOOTTIME) ? LEASE_RUNNING : LEASE_EXPIRED;
}

bool write_deadline(int folder, double seconds)
{
    char text[64];
    snprintf(text, sizeof text, "%.2f\n", (double)now_ns(BOOTTIME) / 1e9 + seconds);
    return replace_file(folder, "deadline", text);
}

bool mark_expired(int folder)
{
    char text[96];
    snprintf(text, sizeof text, "%.3f %" PRIu64 "\n", (double)now_ns(BOOTTIME) / 1e9, now_ns(REALTIME));
    return replace_file(folder, "expired", text);
}

bool attached_index(int folder, unsigned *index, char problem[PROBLEM])
{
    char text[32];
    *index = 0;
    if (folder < 0) return true;
    ssize_t length = read_small(folder, "attached", text, sizeof text);
    if (length < 0 && errno == ENOENT) return true;
    if (length > 0) *index = (unsigned)strtoul(text, NULL, 10);
    if (*index > 0) return true;
    snprintf(problem, PROBLEM, "the mark `attached` cannot be read (%s)", length < 0 ? strerror(errno) : "no index");
    return false;
}
