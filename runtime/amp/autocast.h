/* autocast.h: the classes of operators under autocast. */
#ifndef TOCHA_AUTOCAST_H
#define TOCHA_AUTOCAST_H

typedef enum tocha_autocast_class {
  TOCHA_AUTOCAST_NONE,    /* runs in the type of its inputs */
  TOCHA_AUTOCAST_LOWER,   /* cast to the autocast type */
  TOCHA_AUTOCAST_FLOAT32, /* cast to float32 */
  TOCHA_AUTOCAST_WIDEST   /* cast to the widest floating input */
} tocha_autocast_class;

#endif
