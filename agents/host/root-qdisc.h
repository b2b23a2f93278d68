/* The kind of the qdisc at a link's root: "mq", "fq_codel", "noqueue". */
#ifndef ROOT_QDISC_H
#define ROOT_QDISC_H

#include <stdbool.h>

enum { QDISC_NAME = 32 };

/* Of the link with this index, as `ip link` shows it; false when the kernel does not tell. */
bool root_qdisc(int index, char name[QDISC_NAME]);

#endif
