/* The kernels of w.c in OpenCL C. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* w.c:6, h(): q[0:n-1]|element ^ p[0:n-1]|element -> p[0:n-1]|element */
__kernel void w_k2_device(
    __global const int *q,
    __global int *p,
    int n,
    int m,
    long i_trips)
{
    for (long i_t = get_global_id(0); i_t < i_trips; i_t += get_global_size(0)) {
        int i = i_t;
        if (!(i < n))
            break;
        { if (m > 3) p[i] += q[i]; else p[i] -= q[i]; }
    }
}

/* w.c:8, k(): q[0:n-1]|element ^ p[0:n-1]|element -> p[0:n-1]|element */
__kernel void w_k3_device(
    __global const int *q,
    __global int *p,
    int n,
    int m,
    long i_trips)
{
    for (long i_t = get_global_id(0); i_t < i_trips; i_t += get_global_size(0)) {
        int i = i_t;
        if (!(i < n))
            break;
        { if (m) p[i] += q[i]; else p[i] -= q[i]; }
    }
}
