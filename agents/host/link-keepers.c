/* Whether a lease's keepers live, and how they are started so that they outlive the session that asked. */
#include "link.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

bool keeper_lives(int folder)
{
    int file = openat(folder, "keeper", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool lives = fcntl(file, F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
    close(file);
    return lives;
}

bool ensure_keeper(const struct state *state, char problem[PROBLEM])
{
    if (keeper_lives(state->folder)) return true;
    char self[PATH_MAX], said[PROBLEM];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    /* logind may end the children of an ssh session; a transient unit is out of its reach. When one of the two keepers
       is killed, the unit must leave the other alone. */
    const char *const unit[] =
        {"systemd-run", "--quiet", "--collect",   "--service-type=forking", "--property=KillMode=process",
         self,          "keep",    "--interface", state->interface,         NULL};
    const char *const plain[] = {self, "keep", "--interface", state->interface, NULL};
    int code = run_tool(systemd_runs() ? unit : plain, NULL, NULL, said);
    if (code == 0 && keeper_lives(state->folder)) return true;
    snprintf(problem, PROBLEM, "exit code %d", code);
    if (said[0]) snprintf(problem, PROBLEM, "%.400s", said);
    return false;
}

bool ensure_keepers(void)
{
    static const char prefix[] = "throttle-";
    enum { WAIT_MS = 2000 };
    DIR *folder = opendir(RUN_FOLDER);
    if (!folder) return false;
    bool any = false;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0) continue;
        const char *interface = entry->d_name + sizeof prefix - 1;
        struct state state;
        char problem[PROBLEM];
        uint64_t deadline;
        if (!is_interface_name(interface) || take_state(&state, interface, false, WAIT_MS, problem) != TAKEN) continue;
        if (state.folder >= 0 && read_lease(state.folder, &deadline) != LEASE_GONE) {
            any = true;
            if (!ensure_keeper(&state, problem))
                fprintf(stderr, "predict-agent: the lease of %s has no watchdog: %s\n", interface, problem);
        }
        close_state(&state);
    }
    closedir(folder);
    return any;
}
