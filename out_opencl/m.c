#include "m_kernels.h"
#include <stdio.h>
#include <stdlib.h>
typedef struct { int n; double *x, *y; double scale; } vec;
typedef struct { int w, h; double cells[64][64]; } grid;
static grid g;
void axpy(vec *v) {
    m_host_reads_all();
    if ((((unsigned long long)v + sizeof(*v) <= (unsigned long long)(v->y) || (unsigned long long)(v->y) + (v->n)*sizeof(*(v->y)) <= (unsigned long long)v)) && (((unsigned long long)(v->x) + (v->n)*sizeof(*(v->x)) <= (unsigned long long)(v->y) || (unsigned long long)(v->y) + (v->n)*sizeof(*(v->y)) <= (unsigned long long)(v->x)))) { m_host_reads_all(); int v_n_1 = v->n; m_host_reads_all(); double *v_y_1 = v->y; m_host_reads_all(); double v_scale_1 = v->scale; m_host_reads_all(); double *v_x_1 = v->x; m_host_reads_all(); {
    if ((((unsigned long long)v_x_1 + v_n_1*sizeof(*v_x_1) <= (unsigned long long)v_y_1 || (unsigned long long)v_y_1 + v_n_1*sizeof(*v_y_1) <= (unsigned long long)v_x_1)))
        m_k1(v_x_1, v_y_1, v_n_1, v_scale_1);
    else {
        m_host_takes_all();
        for (int i = 0; i < v_n_1; i++) v_y_1[i] += v_scale_1 * v_x_1[i];
    }
    } } else { m_host_takes_all(); for (int i = 0; i < v->n; i++) v->y[i] += v->scale * v->x[i]; }
}
void smooth(grid *a, const grid *b) {
    m_host_takes_all();
    { double (*a_cells_1)[64] = a->cells; double (*b_cells_1)[64] = b->cells; for (int i = 1; i < 63; i++)
        for (int j = 1; j < 63; j++)
            a_cells_1[i][j] = 0.25 * (b_cells_1[i-1][j] + b_cells_1[i+1][j] + b_cells_1[i][j-1] + b_cells_1[i][j+1]); }
}
void fill(void) {
    m_host_takes_all();
    { int g_w_1 = g.w; double (*g_cells_1)[64] = g.cells; for (int i = 0; i < g_w_1; i++)
        for (int j = 0; j < 64; j++) g_cells_1[i][j] = i * j; }
}
void rows(double **m, int n, int k) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) m[i][j] = i + j;
}
struct particle { double x, v; int id; };
void move(struct particle *p, int n, double dt) {
    m_host_writes(p, 0);
    for (int i = 0; i < n; i++) p[i].x += dt * p[i].v;
}
int main(void) {
    vec v = { 100, malloc(800), malloc(800), 3 };
    { int v_n_1 = v.n; double *v_x_1 = v.x; double *v_y_1 = v.y; {
    if ((((unsigned long long)v_x_1 + v_n_1*sizeof(*v_x_1) <= (unsigned long long)v_y_1 || (unsigned long long)v_y_1 + v_n_1*sizeof(*v_y_1) <= (unsigned long long)v_x_1)))
        m_k9(v_x_1, v_y_1, v_n_1);
    else {
        m_host_takes_all();
        for (int i = 0; i < v_n_1; i++) { v_x_1[i] = i; v_y_1[i] = 2 * i; }
    }
    } }
    axpy(&v);
    m_host_writes(&g, sizeof g);
    g.w = 64; fill();
    grid *b = malloc(sizeof *b); smooth(b, &g);
    m_host_reads_all();
    printf("%g %g\n", v.y[5], b->cells[3][4]);
    struct particle *p = calloc(50, sizeof *p);
    m_host_writes(p, 0);
    for (int i = 0; i < 50; i++) p[i].v = i;
    move(p, 50, 0.5);
    m_host_reads(p, 0);
    printf("%g\n", p[7].x);
    m_host_drops(&v, sizeof v);
    m_host_drops(p, 0);
    m_host_takes_all();
    return 0;
}
