/* Linux Documentation/block/stat.rst: sectors are 512 bytes whatever the device's own. */
#include "files.h"
#include "sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Mapped and RAID devices stand on disks that are counted already. */
static bool is_disk(const char *name)
{
    static const char *const others[] = {"loop", "ram", "zram", "dm-", "md", "sr", "fd", "."};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0) return false;
    return true;
}

void disk_open(struct disk_source *disks)
{
    disks->count = 0;
    DIR *folder = opendir("/sys/block");
    if (!folder) return;
    for (struct dirent *entry; disks->count < DISKS && (entry = readdir(folder));) {
        struct disk *disk = &disks->disks[disks->count];
        char path[320];
        if (!is_disk(entry->d_name)) continue;
        snprintf(path, sizeof path, "/sys/block/%s/stat", entry->d_name);
        disk->file = open(path, O_RDONLY | O_CLOEXEC);
        if (disk->file < 0) continue;
        snprintf(disk->name, sizeof disk->name, "%.31s", entry->d_name);
        for (int i = 0; i < 3; i++) disk->last[i] = UINT64_MAX;
        disks->count++;
    }
    closedir(folder);
}

void disk_sample(struct disk_source *disks, struct output *output)
{
    enum { READ_SECTORS = 2, WRITE_SECTORS = 6, BUSY_MS = 9, FIELDS };
    static const char *const metrics[] = {"disk.read_bytes", "disk.write_bytes", "disk.io_ms"};
    for (int i = 0; i < disks->count; i++) {
        struct disk *disk = &disks->disks[i];
        char text[512];
        output_stamp(output);
        if (read_again(disk->file, text, sizeof text) <= 0) continue;
        const char *at = text;
        uint64_t fields[FIELDS];
        for (int f = 0; f < FIELDS; f++) fields[f] = take_count(&at);
        uint64_t values[] = {fields[READ_SECTORS] * 512, fields[WRITE_SECTORS] * 512, fields[BUSY_MS]};
        for (int v = 0; v < 3; v++) {
            if (values[v] != disk->last[v]) output_value(output, metrics[v], disk->name, values[v]);
            disk->last[v] = values[v];
        }
    }
}
