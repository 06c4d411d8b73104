/* The kernels of m.c in OpenCL C. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* m.c:7, axpy(): v->x[0:v_n_1-1]|element ^ v->y[0:v_n_1-1]|element -> v->y[0:v_n_1-1]|element */
__kernel void m_k1_device(
    __global const double *v_x_1,
    long v_x_1_skip,
    __global double *v_y_1,
    long v_y_1_skip,
    int v_n_1,
    double v_scale_1,
    long i_trips)
{
    v_x_1 = (__global const double *)((__global const char *)v_x_1 + v_x_1_skip);
    v_y_1 = (__global double *)((__global char *)v_y_1 + v_y_1_skip);
    for (long i_t = get_global_id(0); i_t < i_trips; i_t += get_global_size(0)) {
        int i = i_t;
        if (!(i < v_n_1))
            break;
        v_y_1[i] += v_scale_1 * v_x_1[i];
    }
}

/* m.c:28, main(): void -> v.x[0:v_n_1-1]|element ^ v.y[0:v_n_1-1]|element */
__kernel void m_k9_device(
    __global double *v_x_1,
    long v_x_1_skip,
    __global double *v_y_1,
    long v_y_1_skip,
    int v_n_1,
    long i_trips)
{
    v_x_1 = (__global double *)((__global char *)v_x_1 + v_x_1_skip);
    v_y_1 = (__global double *)((__global char *)v_y_1 + v_y_1_skip);
    for (long i_t = get_global_id(0); i_t < i_trips; i_t += get_global_size(0)) {
        int i = i_t;
        if (!(i < v_n_1))
            break;
        { v_x_1[i] = i; v_y_1[i] = 2 * i; }
    }
}
