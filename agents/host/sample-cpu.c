/* proc_stat(5); proc_pid_stat(5); cgroup v1 cpuacct and cpu controllers; cgroup v2 cpu.stat. */
#include "agent.h"
#include "cgroup.h"
#include "files.h"
#include "sample.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t capacity_interval_ns = 1000000000u;

/* Takes from one cgroup directory whatever the ones before did not have. */
static void take_files(struct cpu_source *cpu, int directory)
{
    if (cpu->usage < 0 && !cpu->stat_has_usage) cpu->usage = openat(directory, "cpuacct.usage", O_RDONLY | O_CLOEXEC);
    if (cpu->quota_directory < 0 && !isnan(cpu_quota_of(directory))) cpu->quota_directory = dup(directory);
    if (cpu->stat >= 0) return;
    cpu->stat = openat(directory, "cpu.stat", O_RDONLY | O_CLOEXEC);
    if (cpu->stat < 0) return;
    uint64_t count;
    read_again(cpu->stat, cpu->text, cpu->text_size);
    cpu->stat_has_usage = cpu->usage < 0 && find_count(cpu->text, "usage_usec", &count);
    bool two = find_count(cpu->text, "throttled_usec", &count);
    bool one = find_count(cpu->text, "throttled_time", &count);
    cpu->throttled_name = two ? "throttled_usec" : one ? "throttled_time" : NULL;
    cpu->throttled_unit = two ? 1000 : 1;
}

bool cpu_open(struct cpu_source *cpu, const char *const *cgroups, int cgroups_count, int cores)
{
    *cpu = (struct cpu_source){.host_stat = -1, .usage = -1, .stat = -1, .quota_directory = -1, .cores = cores};
    cpu->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    cpu->text_size = (size_t)cores * 200 + 8192;
    cpu->text = malloc(cpu->text_size);
    if (!cpu->text) return fail("out of memory"), false;
    if (cgroups_count == 0) {
        cpu->host_stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
        if (cpu->host_stat < 0) fail("cannot open /proc/stat (%s); is /proc mounted here?", strerror(errno));
        return cpu->host_stat >= 0;
    }
    if (strcmp(cgroups[0], "/proc") == 0) {
        cpu->processes = opendir("/proc");
        if (!cpu->processes) fail("cannot open /proc (%s); is it mounted here?", strerror(errno));
        return cpu->processes != NULL;
    }
    for (int i = 0; i < cgroups_count; i++) {
        int directory = open(cgroups[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0)
            return fail("cannot open the cgroup %s (%s); name a directory under /sys/fs/cgroup", cgroups[i],
                        strerror(errno)),
                   false;
        take_files(cpu, directory);
        close(directory);
    }
    if (cpu->usage >= 0 || cpu->stat_has_usage) return true;
    fail("no cpuacct.usage and no cpu.stat with usage_usec in %s%s; name the cgroup's cpuacct "
         "directory (v1) or its directory (v2) with --cgroup",
         cgroups[0], cgroups_count > 1 ? " and the other cgroups" : "");
    return false;
}

static void sample_capacity(struct cpu_source *cpu, struct output *output, uint64_t now)
{
    if (now < cpu->capacity_next_ns) return;
    cpu->capacity_next_ns = now + capacity_interval_ns;
    double cores = cpu->quota_directory >= 0 ? cpu_quota_of(cpu->quota_directory) : INFINITY;
    uint64_t capacity = (uint64_t)llround(fmin(cores, cpu->cores) * 1000);
    if (isnan(cores) || capacity == cpu->capacity_mcores) return;
    cpu->capacity_mcores = capacity;
    const char *whose = cpu->host_stat >= 0 ? "all" : "cgroup";
    output_value(output, "cpu.capacity_mcores", whose, capacity);
    if (isfinite(cpu->kept_to)) output_value(output, "cpu.share_mcores", whose, (uint64_t)llround(cpu->kept_to * 1000));
}

/* Lines "cpuN user nice system idle iowait irq softirq steal guest guest_nice" in ticks; guest time
   is inside user already. Other lines are not read. */
static void sample_host(struct cpu_source *cpu, struct output *output)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
    if (read_again(cpu->host_stat, cpu->text, cpu->text_size) <= 0) return;
    for (char *line = cpu->text; strncmp(line, "cpu", 3) == 0;) {
        char *name = line, *space = strchr(line, ' ');
        char *end = strchr(line, '\n');
        if (!space || !end || space > end) return;
        const char *at = space;
        uint64_t ticks[FIELDS];
        for (int i = 0; i < FIELDS; i++) ticks[i] = take_count(&at);
        *space = '\0';
        uint64_t user = ticks[USER] + ticks[NICE];
        if (name[3] == '\0') {
            output_value(output, "cpu.user_ns", "all", user * cpu->tick_ns);
            output_value(output, "cpu.iowait_ns", "all", ticks[IOWAIT] * cpu->tick_ns);
            output_value(output, "cpu.interrupts_ns", "all", (ticks[IRQ] + ticks[SOFTIRQ]) * cpu->tick_ns);
            output_value(output, "cpu.steal_ns", "all", ticks[STEAL] * cpu->tick_ns);
        } else {
            uint64_t busy = user + ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ] + ticks[STEAL];
            output_value(output, "cpu.busy_ns", name, busy * cpu->tick_ns);
        }
        line = end + 1;
    }
}

/* Of the children that it has waited for, and where its clock cannot be read of itself too. */
static void read_process(const struct cpu_source *cpu, struct counted *process)
{
    enum { STATE = 3, USER_TICKS = 14, SYSTEM_TICKS = 15, CHILDREN_USER_TICKS = 16, CHILDREN_SYSTEM_TICKS = 17 };
    char path[32], text[1024];
    uint64_t ticks[CHILDREN_SYSTEM_TICKS + 1] = {0};
    snprintf(path, sizeof path, "%d/stat", process->pid);
    if (read_small(dirfd(cpu->processes), path, text, sizeof text) <= 0) return;
    const char *at = strrchr(text, ')'); /* the name itself may hold blanks and brackets */
    at = at ? strchr(at, ' ') : NULL;
    for (int i = STATE; at && i < CHILDREN_SYSTEM_TICKS;) {
        at = strchr(at + 1, ' ');
        const char *number = at;
        if (at) ticks[++i] = take_count(&number);
    }
    process->children_ns = (ticks[CHILDREN_USER_TICKS] + ticks[CHILDREN_SYSTEM_TICKS]) * cpu->tick_ns;
    if (!read_process_clock(process->pid, &process->own_ns))
        process->own_ns = (ticks[USER_TICKS] + ticks[SYSTEM_TICKS]) * cpu->tick_ns;
}

static void list_processes(struct cpu_source *cpu)
{
    cpu->known_count = 0;
    rewinddir(cpu->processes);
    for (struct dirent *entry; (entry = readdir(cpu->processes)) && cpu->known_count < PROCESSES;) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        struct counted *process = &cpu->known[cpu->known_count++];
        *process = (struct counted){.pid = atoi(entry->d_name)};
        read_process(cpu, process);
    }
}

/* All processes of this PID namespace; they are listed now and then, and between that their clocks alone are read. What
   one used becomes its parent's when it is waited for, in whole ticks, and is lost where nobody waits: the sum may
   fall, and only its growth counts. */
static void sample_processes(struct cpu_source *cpu, struct output *output, uint64_t now)
{
    uint64_t sum = 0;
    bool due = now >= cpu->list_next_ns;
    if (due) {
        cpu->list_next_ns = now + SCAN_INTERVAL_MS * 1000000u;
        list_processes(cpu);
    }
    for (struct counted *each = cpu->known; each < cpu->known + cpu->known_count; each++) {
        if (!due) read_process_clock(each->pid, &each->own_ns);
        sum += each->own_ns + each->children_ns;
    }
    if (cpu->processes_last_ns && sum > cpu->processes_last_ns) cpu->processes_ns += sum - cpu->processes_last_ns;
    cpu->processes_last_ns = sum;
    output_value(output, "cpu.busy_ns", "cgroup", cpu->processes_ns);
}

void cpu_sample(struct cpu_source *cpu, struct output *output, uint64_t now)
{
    output_stamp(output);
    sample_capacity(cpu, output, now);
    if (cpu->host_stat >= 0) {
        sample_host(cpu, output);
        return;
    }
    if (cpu->processes) {
        sample_processes(cpu, output, now);
        return;
    }
    uint64_t count;
    if (cpu->usage >= 0) {
        output_stamp(output);
        const char *at = cpu->text;
        if (read_again(cpu->usage, cpu->text, cpu->text_size) > 0)
            output_value(output, "cpu.busy_ns", "cgroup", take_count(&at));
    }
    if (cpu->stat < 0) return;
    output_stamp(output);
    if (read_again(cpu->stat, cpu->text, cpu->text_size) <= 0) return;
    if (cpu->stat_has_usage && find_count(cpu->text, "usage_usec", &count))
        output_value(output, "cpu.busy_ns", "cgroup", count * 1000);
    if (cpu->throttled_name && find_count(cpu->text, cpu->throttled_name, &count))
        output_value(output, "cpu.throttled_ns", "cgroup", count * cpu->throttled_unit);
}
