#include "k6_kernels.h"
typedef struct { int n; double *x, *y; double scale; } vec;
typedef struct { int w, h; double cells[12][9]; } grid;
static grid board;
void f(vec *v) {
        if ((board.w >= 1)) { { int board_w_1 = board.w; double (*board_cells_1)[9] = board.cells; double *v_x_1 = v->x; {
        if ((((unsigned long long)v_x_1 + board_w_1*sizeof(*v_x_1) <= (unsigned long long)&board || (unsigned long long)&board + sizeof(board) <= (unsigned long long)v_x_1)))
            k6_k1(v_x_1, &board_cells_1[0][0], board_w_1);
        else {
            k6_host_takes_all();
            for (int i = 0; i < board_w_1; i++) for (int j = 0; j < 9; j++) board_cells_1[i][j] = v_x_1[i] + j;
        }
        } } } else { k6_host_reads_all(); k6_host_writes(&board, sizeof board); for (int i = 0; i < board.w; i++) for (int j = 0; j < 9; j++) board.cells[i][j] = v->x[i] + j; } k6_host_takes_all(); }
