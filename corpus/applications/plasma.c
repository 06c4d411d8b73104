/*
 *  PLASMA  --  two dimensional electrostatic particle-in-cell code
 *
 *  Electrons over a fixed ion background, doubly periodic box, two
 *  counter-streaming beams.  Cloud-in-cell weighting, the potential from
 *  Jacobi relaxation (starts at the potential of the last step).
 *
 *  Units: plasma frequency = 1, cell = 1.
 *
 *  plasma [cells-per-side [particles-per-cell [steps]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NMAX   256              /* largest box */
#define MAXIT  60               /* relaxation sweeps per step */
#define TOL    1.0e-7
#define DT     0.1
#define VBEAM  2.0
#define TWOPI  6.283185307179586

struct particle
  {
  double x, y;
  double vx, vy;
  };

int     n;                      /* cells per side */
long    np;                     /* particles */
double  weight;                 /* charge of one particle */

struct particle *part;
double  rho[NMAX][NMAX];        /* charge density */
double  phi[NMAX+2][NMAX+2];    /* potential, with a ring of ghosts */
double  phinew[NMAX+2][NMAX+2];
double  ex[NMAX][NMAX], ey[NMAX][NMAX];

unsigned long seed = 20041;

double
ranf(void)
{
    seed = (seed * 16807UL) % 2147483647UL;
    return (double) seed / 2147483647.0;
}

/* one normal deviate, Box-Muller, second one thrown away */
double
gauss(void)
{
    double a, b;

    a = ranf();
    b = ranf();
    return sqrt(-2.0 * log(a)) * cos(TWOPI * b);
}

void
load(int ppc)
{
    long k;
    double side;

    np = (long) n * n * ppc;
    part = (struct particle *) malloc(np * sizeof(struct particle));
    if (part == NULL)
    {
        fprintf(stderr, "plasma: no memory for %ld particles\n", np);
        exit(1);
    }
    weight = -1.0 / ppc;
    side = (double) n;
    for (k = 0; k < np; k++)
    {
        part[k].x = side * ranf();
        part[k].y = side * ranf();
        part[k].x += 0.4 * sin(TWOPI * 3.0 * part[k].x / side);
        part[k].vx = (k % 2 ? VBEAM : -VBEAM) + 0.1 * gauss();
        part[k].vy = 0.1 * gauss();
        while (part[k].x < 0.0)
            part[k].x += side;
        while (part[k].x >= side)
            part[k].x -= side;
        if (part[k].y >= side)
            part[k].y = 0.0;
    }
}

/* charge of all particles to the four corners of the cell they are in */
void
deposit(void)
{
    int i, j, i1, j1;
    long k;
    double fx, fy;

    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            rho[j][i] = 1.0;            /* the ions */

    /* OMP: parallel for private(i, j, i1, j1, fx, fy) reduction(+:rho) */
    for (k = 0; k < np; k++)
    {
        i = (int) part[k].x;
        j = (int) part[k].y;
        fx = part[k].x - i;
        fy = part[k].y - j;
        i1 = i + 1 == n ? 0 : i + 1;
        j1 = j + 1 == n ? 0 : j + 1;
        rho[j][i]   += weight * (1.0 - fx) * (1.0 - fy);
        rho[j][i1]  += weight * fx * (1.0 - fy);
        rho[j1][i]  += weight * (1.0 - fx) * fy;
        rho[j1][i1] += weight * fx * fy;
    }
}

void
wrap_ghosts(void)
{
    int i;

    for (i = 1; i <= n; i++)
    {
        phi[0][i] = phi[n][i];
        phi[n+1][i] = phi[1][i];
        phi[i][0] = phi[i][n];
        phi[i][n+1] = phi[i][1];
    }
}

/* Laplace phi = -rho; returns the sweeps done */
int
solve(double *resid)
{
    int i, j, it;
    double mean, change, d;

    it = 0;
    do
    {
        wrap_ghosts();
        change = 0.0;
        mean = 0.0;
        /* OMP: parallel for private(i, d) reduction(max:change) reduction(+:mean) */
        for (j = 1; j <= n; j++)
            for (i = 1; i <= n; i++)
            {
                d = 0.25 * (phi[j][i-1] + phi[j][i+1] + phi[j-1][i] + phi[j+1][i]
                            + rho[j-1][i-1]);
                phinew[j][i] = d;
                mean += d;
                d = fabs(d - phi[j][i]);
                if (d > change)
                    change = d;
            }
        /* periodic: the potential floats, pin its mean to zero */
        mean /= (double) n * n;
        /* OMP: parallel for private(i) */
        for (j = 1; j <= n; j++)
            for (i = 1; i <= n; i++)
                phi[j][i] = phinew[j][i] - mean;
        it++;
    } while (change > TOL && it < MAXIT);
    wrap_ghosts();
    *resid = change;
    return it;
}

/* E = -grad phi and the energy in it */
double
field(void)
{
    int i, j;
    double w;

    w = 0.0;
    /* OMP: parallel for private(i) reduction(+:w) */
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
        {
            ex[j][i] = -0.5 * (phi[j+1][i+2] - phi[j+1][i]);
            ey[j][i] = -0.5 * (phi[j+2][i+1] - phi[j][i+1]);
            w += ex[j][i] * ex[j][i] + ey[j][i] * ey[j][i];
        }
    return 0.5 * w;
}

/* field at a point */
void
gather(double x, double y, double *fex, double *fey)
{
    int i = (int) x, j = (int) y;
    int i1 = (i + 1) % n, j1 = (j + 1) % n;
    double fx = x - i, fy = y - j;
    double w00 = (1.0 - fx) * (1.0 - fy), w10 = fx * (1.0 - fy);
    double w01 = (1.0 - fx) * fy, w11 = fx * fy;

    *fex = w00 * ex[j][i] + w10 * ex[j][i1] + w01 * ex[j1][i] + w11 * ex[j1][i1];
    *fey = w00 * ey[j][i] + w10 * ey[j][i1] + w01 * ey[j1][i] + w11 * ey[j1][i1];
}

/* leap-frog push, returns the kinetic energy; momentum goes to px */
double
push(double *px)
{
    long k;
    double side, ke, mom, ax, ay, vx, vy;
    struct particle *p;

    side = (double) n;
    ke = 0.0;
    mom = 0.0;
    /* OMP: parallel for private(p, ax, ay, vx, vy) reduction(+:ke, mom) */
    for (k = 0; k < np; k++)
    {
        p = part + k;
        gather(p->x, p->y, &ax, &ay);
        vx = p->vx - DT * ax;           /* charge to mass is -1 */
        vy = p->vy - DT * ay;
        ke += (p->vx + vx) * (p->vx + vx) + (p->vy + vy) * (p->vy + vy);
        mom += vx;
        p->vx = vx;
        p->vy = vy;
        p->x += DT * vx;
        p->y += DT * vy;
        while (p->x < 0.0)
            p->x += side;
        while (p->x >= side)
            p->x -= side;
        while (p->y < 0.0)
            p->y += side;
        while (p->y >= side)
            p->y -= side;
    }
    *px = mom * fabs(weight);
    return 0.125 * fabs(weight) * ke;
}

int
main(int argc, char **argv)
{
    int step, nsteps, ppc, its;
    long sweeps = 0;
    double wf, wk, px, resid;

    n = argc > 1 ? atoi(argv[1]) : NMAX;
    ppc = argc > 2 ? atoi(argv[2]) : 8;
    nsteps = argc > 3 ? atoi(argv[3]) : 30;
    if (n < 4 || n > NMAX || ppc < 1 || nsteps < 1)
    {
        fprintf(stderr, "usage: plasma [4..%d [ppc [steps]]]\n", NMAX);
        exit(1);
    }

    load(ppc);
    for (step = 1; step <= nsteps; step++)
    {
        deposit();
        its = solve(&resid);
        sweeps += its;
        wf = field();
        wk = push(&px);
        if (step % 5 == 0 || step == nsteps)
            printf("%4d  field %.6e  kinetic %.6e  total %.6e  |px| %s\n", step,
                   wf, wk, wf + wk, fabs(px) < 1.0e-3 * np ? "small" : "LARGE");
    }
    printf("sweeps %ld  residual %.4e\n", sweeps, resid);
    free(part);
    return 0;
}
