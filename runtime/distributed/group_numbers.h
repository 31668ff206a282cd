/* group_numbers.h: the numbers by which ranks know a group. Even ones are of groups that all ranks of the world make in one order, and each
 * rank counts them alone; odd ones are of groups that only their members make, which count them in the store. */
#ifndef TOCHA_GROUP_NUMBERS_H
#define TOCHA_GROUP_NUMBERS_H

#include "distributed/group.h"

/* Writes the number of the next group that all ranks of the world make. */
uint64_t tocha_next_group_number(const tocha_distributed *d);
/* Agrees with the other members on the number of a group. The first of `ranks` takes it from the store; the others wait for it.
 * Returns false with an error, as when the first has not come after `timeout` seconds. */
bool tocha_agree_on_group_number(tocha_context *cx, int count, const int *ranks, double timeout,
                                 uint64_t *number);
/* Writes a group's name by its number. */
void tocha_name_group(tocha_process_group *group);

#endif
