/* `keep-groups`: sshd of a lab without root. In a user namespace that an ordinary user made, the kernel lets nobody
   change groups (user_namespaces(7), setgroups), and sshd, being root there, ends where it cannot. */
#include "agent.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int run_keep_groups(struct arguments *arguments);

const struct command keep_groups_command = {
    .name = "keep-groups",
    .summary = "run a program whose groups cannot change, and that may not know",
    .help = "predict-agent keep-groups -- COMMAND [ARGUMENT]...\n"
            "Becomes COMMAND. For it and what it starts, setgroups(2) does nothing and succeeds. The emulated lab\n"
            "of an ordinary user runs sshd so, in a user namespace with one user and one group.\n\n"
            "Example: predict-agent keep-groups -- /usr/sbin/sshd -D\n",
    .run = run_keep_groups,
};

static int run_keep_groups(struct arguments *arguments)
{
    if (next_option(arguments)) refuse_option(arguments);
    char **words = arguments->words + arguments->next;
    if (arguments->next >= arguments->count) return misuse("give a COMMAND");
    /* Elsewhere a program would believe that it had given up root's groups. */
    char rule[8];
    if (read_small(AT_FDCWD, "/proc/self/setgroups", rule, sizeof rule) <= 0 || strncmp(rule, "deny", 4) != 0)
        return fail("groups can change here; run this in a user namespace that an ordinary user made");
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setgroups, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return fail("the kernel takes no seccomp filter (%s); run this in a user namespace of your own",
                    strerror(errno));
    execvp(words[0], words);
    return fail("%s cannot be started (%s)", words[0], strerror(errno));
}
