#include "agent.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run_hash(struct arguments *arguments);

const struct command hash_command = {
    .name = "hash",
    .summary = "print the SHA-256 of files: what is deployed here",
    .help = "predict-agent hash FILE...\n"
            "Prints \"HASH  FILE\" per file, SHA-256 in hex; a missing file prints \"-  FILE\".\n"
            "A file that is there and cannot be read prints \"-\" too, and makes the exit code 1.\n\n"
            "Example: predict-agent hash /tmp/predict/predict-agent /tmp/predict/bfs\n",
    .run = run_hash,
};

/* 1 when hashed, 0 when there is no such file, -1 with errno when it cannot be read. */
static int hash_file(const char *path, char hex[65]) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  static char buffer[1 << 18];
  struct sha256 hash;
  sha256_start(&hash);
  ssize_t length;
  while ((length = read(fd, buffer, sizeof buffer)) != 0) {
    if (length > 0) sha256_add(&hash, buffer, (size_t)length);
    else if (errno != EINTR) break;
  }
  int reason = errno;
  close(fd);
  errno = reason;
  if (length < 0) return -1;
  sha256_finish(&hash, hex);
  return 1;
}

static int run_hash(struct arguments *arguments) {
  if (next_option(arguments)) refuse_option(arguments);
  if (arguments->next >= arguments->count)
    return misuse("no file was named; give one or more paths");
  int result = EXIT_DONE;
  for (const char *path; (path = next_word(arguments));) {
    char hex[65];
    int outcome = hash_file(path, hex);
    if (outcome < 0)
      result = fail("cannot read %s (%s); check its kind and permissions", path, strerror(errno));
    printf("%s  %s\n", outcome == 1 ? hex : "-", path);
  }
  if (fflush(stdout) != 0) return fail("cannot write the hashes to stdout (%s)", strerror(errno));
  return result;
}
