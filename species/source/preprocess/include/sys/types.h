#ifndef CUVIER_SYS_TYPES_H
#define CUVIER_SYS_TYPES_H
#include <stddef.h>
#include <time.h>
typedef long ssize_t, off_t;
typedef int pid_t;
typedef unsigned uid_t, gid_t, mode_t;
#endif
