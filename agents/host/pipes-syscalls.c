/* proc_pid_syscall(5): "running", or the number and six arguments of a call, or -1 outside of one. The numbers are
   those of the machine that the agent is made for; a 32-bit program on a 64-bit kernel has others and counts as
   working. */
#include "pipes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum role {
    ROLE_NONE,
    ROLE_READ,
    ROLE_WRITE,
    ROLE_POLL_COUNT_FIRST,
    ROLE_POLL_COUNT_SECOND,
    ROLE_EITHER,
    ROLE_CHILD,
    ROLE_FILE
};

static const struct {
    long number;
    enum role role;
} calls[] = {
    {SYS_read, ROLE_READ},
    {SYS_readv, ROLE_READ},
    {SYS_recvfrom, ROLE_READ},
    {SYS_recvmsg, ROLE_READ},
    {SYS_recvmmsg, ROLE_READ},
    {SYS_write, ROLE_WRITE},
    {SYS_writev, ROLE_WRITE},
    {SYS_sendto, ROLE_WRITE},
    {SYS_sendmsg, ROLE_WRITE},
    {SYS_sendmmsg, ROLE_WRITE},
    {SYS_vmsplice, ROLE_WRITE},
    {SYS_sendfile, ROLE_WRITE},
#ifdef SYS_poll
    {SYS_poll, ROLE_POLL_COUNT_SECOND},
#endif
    {SYS_ppoll, ROLE_POLL_COUNT_SECOND},
#ifdef SYS_select
    {SYS_select, ROLE_POLL_COUNT_FIRST},
#endif
    {SYS_pselect6, ROLE_POLL_COUNT_FIRST},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, ROLE_EITHER},
#endif
    {SYS_epoll_pwait, ROLE_EITHER},
    {SYS_splice, ROLE_EITHER}, /* waits for one of two ends */
    {SYS_tee, ROLE_EITHER},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, ROLE_EITHER},
#endif
    {SYS_wait4, ROLE_CHILD},
    {SYS_waitid, ROLE_CHILD},
    {SYS_pread64, ROLE_FILE},
    {SYS_pwrite64, ROLE_FILE},
    {SYS_preadv, ROLE_FILE},
    {SYS_pwritev, ROLE_FILE},
    {SYS_fsync, ROLE_FILE},
    {SYS_fdatasync, ROLE_FILE},
    {SYS_openat, ROLE_FILE},
    {SYS_copy_file_range, ROLE_FILE},
};

static enum role role_of(long number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number) return calls[i].role;
    return ROLE_NONE;
}

enum doing doing_of_syscall(const char *line, int *fd)
{
    *fd = NOWHERE;
    if (strncmp(line, "running", 7) == 0) return RUNNING;
    char *at;
    long number = strtol(line, &at, 10);
    if (at == line) return ASLEEP;
    unsigned long long first = strtoull(at, &at, 16), second = strtoull(at, &at, 16);
    /* Outside of a call: a page that is fetched; of a process that has ended even the stack is gone. */
    if (number < 0) return first == 0 ? GONE : DISK;
    switch (role_of(number)) {
    case ROLE_READ: *fd = (int)first; return READING;
    case ROLE_WRITE: *fd = (int)first; return WRITING;
    case ROLE_POLL_COUNT_FIRST: return first == 0 ? ASLEEP : POLLING;
    case ROLE_POLL_COUNT_SECOND: return second == 0 ? ASLEEP : POLLING;
    case ROLE_EITHER: return POLLING;
    case ROLE_CHILD: return HOLDING;
    case ROLE_FILE: return DISK;
    case ROLE_NONE: return ASLEEP;
    }
    return ASLEEP;
}

enum doing doing_of_wchan(const char *name)
{
    static const struct {
        const char *part;
        enum doing doing;
    } places[] = {
        {"pipe_read", READING},   {"pipe_write", WRITING}, {"sk_wait_data", READING}, {"wait_woken", READING},
        {"wait_memory", WRITING}, {"poll", POLLING},       {"select", POLLING},       {"do_wait", HOLDING},
        {"folio_wait", DISK},     {"io_schedule", DISK},   {"wait_on_page", DISK},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strstr(name, places[i].part)) return places[i].doing;
    return ASLEEP;
}
