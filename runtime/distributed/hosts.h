/* hosts.h: the check of ranks on several hosts, by messages of fixed size. */
#ifndef TOCHA_HOSTS_H
#define TOCHA_HOSTS_H

#include "distributed/work.h"

/* Compares the operations of all ranks of a group that has ranks on several hosts. All ranks take part, and hear the same. Returns false
 * with the operation's failure. */
bool tocha_check_hosts(tocha_work *work);

#endif
