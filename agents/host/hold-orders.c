/* What a holder of the lock does for its controller: `link`, whose words come in a line with tabs between them. Who
   holds the lock may change links, and this takes neither a login nor sudo each time. */
#include "hold.h"
#include "link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* link waits 15 s for another command, and its tools take what they take on a busy host. */
enum { LONGEST_ORDER = 2048, WORDS_MOST = 40, ORDER_SECONDS = 50, KILLED = 128 + 9 };

static void print_lines(char mark, const char *text)
{
    for (const char *at = text; at && *at;) {
        size_t length = strcspn(at, "\n");
        printf("%c%.*s\n", mark, (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static bool obey(char *line)
{
    const char *words[WORDS_MOST + 2] = {"/proc/self/exe"};
    int count = 1;
    char said[PROBLEM] = "", *output = NULL;
    for (char *word = strtok(line, "\t"); word && count <= WORDS_MOST; word = strtok(NULL, "\t")) words[count++] = word;
    bool known = count > 1 && count <= WORDS_MOST && strcmp(words[1], "link") == 0;
    int code = EXIT_MISUSED;
    if (known) code = run_tool_for(ORDER_SECONDS, words, NULL, &output, said);
    else snprintf(said, sizeof said, "predict-agent hold: a line of its input must be the words of link");
    print_lines('|', output);
    print_lines('!', said);
    free(output);
    printf(code == KILLED ? "late\n" : "done %d\n", code);
    return fflush(stdout) == 0;
}

bool follow_orders(void)
{
    static char text[LONGEST_ORDER];
    static size_t used;
    char *end;
    ssize_t length = read(0, text + used, sizeof text - used);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (length <= 0) return false;
    used += (size_t)length;
    while ((end = memchr(text, '\n', used))) {
        *end = '\0';
        if (!obey(text)) return false;
        used -= (size_t)(end + 1 - text);
        memmove(text, end + 1, used);
    }
    /* No order is as long. */
    if (used == sizeof text) used = 0;
    return true;
}
