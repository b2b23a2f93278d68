/* proc_meminfo(5), proc_vmstat(5); cgroup v1 memory.usage_in_bytes, v2 memory.current. */
#include "files.h"
#include "sample.h"

#include <fcntl.h>
#include <unistd.h>

static const uint64_t kills_interval_ns = 1000000000u;

void memory_open(struct memory_source *memory, const char *const *cgroups, int cgroups_count)
{
    static const char *const names[] = {"memory.current", "memory.usage_in_bytes"};
    *memory = (struct memory_source){.used_file = -1,
                                     .last_used = UINT64_MAX,
                                     .last_available = UINT64_MAX,
                                     .last_kills = UINT64_MAX};
    memory->vmstat = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
    memory->meminfo = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < cgroups_count && memory->used_file < 0; i++) {
        int directory = open(cgroups[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        for (int n = 0; n < 2 && directory >= 0 && memory->used_file < 0; n++)
            memory->used_file = openat(directory, names[n], O_RDONLY | O_CLOEXEC);
        if (directory >= 0) close(directory);
    }
}

/* The whole machine's, also from inside a cgroup. The text is long, so that it is read once a second. */
static void sample_kills(struct memory_source *memory, struct output *output, uint64_t now)
{
    char text[16384];
    uint64_t kills;
    if (now < memory->kills_next_ns) return;
    memory->kills_next_ns = now + kills_interval_ns;
    output_stamp(output);
    if (read_again(memory->vmstat, text, sizeof text) <= 0 || !find_count(text, "oom_kill", &kills)) return;
    if (kills != memory->last_kills) output_value(output, "memory.oom_kills", "all", kills);
    memory->last_kills = kills;
}

void memory_sample(struct memory_source *memory, struct output *output, uint64_t now)
{
    sample_kills(memory, output, now);
    char text[4096];
    uint64_t total = 0, available = 0, used = UINT64_MAX;
    output_stamp(output);
    if (read_again(memory->meminfo, text, sizeof text) > 0 && find_count(text, "MemTotal:", &total) &&
        find_count(text, "MemAvailable:", &available)) {
        available *= 1024;
        used = total * 1024 - available;
        if (available != memory->last_available) output_value(output, "memory.available_bytes", "all", available);
        memory->last_available = available;
    }
    const char *at = text;
    if (memory->used_file >= 0 && read_again(memory->used_file, text, sizeof text) > 0) used = take_count(&at);
    if (used != UINT64_MAX && used != memory->last_used)
        output_value(output, "memory.used_bytes", memory->used_file >= 0 ? "cgroup" : "all", used);
    memory->last_used = used;
}
