/*
 *  geodlist - transformations over a list of geodetic points
 *             (everything lives in three common-block-like structures)
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define MAXPT  75000
#define MAXREG 12
#define MAXV   64
#define PI     3.14159265358979323846
#define D2R    (PI/180.0)

struct {
    int    n;
    double lat[MAXPT], lon[MAXPT], h[MAXPT];
    double east[MAXPT], north[MAXPT];
    double x[MAXPT], y[MAXPT], z[MAXPT];
    double dist[MAXPT], azi[MAXPT];
    int    zone[MAXPT], reg[MAXPT], ord[MAXPT];
} pts;

struct { double a, f, b, e2, ep2, k0; int noconv; } ell;

struct {
    int    nreg;
    int    first[MAXREG+1];
    double px[MAXREG*MAXV], py[MAXREG*MAXV];
    double area[MAXREG];
    int    count[MAXREG];
} rg;

static unsigned int lseed = 20011u;
static double rnd(void)
{
    lseed = 1664525u * lseed + 1013904223u;
    return lseed / 4294967296.0;
}

static void set_ellipsoid(double a, double finv)
{
    ell.a = a;  ell.f = 1.0/finv;  ell.b = a*(1.0 - ell.f);
    ell.e2  = ell.f*(2.0 - ell.f);
    ell.ep2 = ell.e2/(1.0 - ell.e2);
    ell.k0  = 0.9996;  ell.noconv = 0;
}

static void geo2xyz(double lat, double lon, double h, double *x, double *y, double *z)
{
    double s = sin(lat), c = cos(lat);
    double rn = ell.a/sqrt(1.0 - ell.e2*s*s);
    *x = (rn + h)*c*cos(lon);
    *y = (rn + h)*c*sin(lon);
    *z = (rn*(1.0 - ell.e2) + h)*s;
}

static int xyz2geo(double x, double y, double z, double *lat, double *lon, double *h)
{
    double p = sqrt(x*x + y*y), la, last, rn = ell.a;
    int it = 0;
    la = atan2(z, p*(1.0 - ell.e2));
    do {
        last = la;
        rn = ell.a/sqrt(1.0 - ell.e2*sin(la)*sin(la));
        la = atan2(z + ell.e2*rn*sin(la), p);
    } while (fabs(la - last) > 1e-12 && ++it < 20);
    *lat = la;  *lon = atan2(y, x);  *h = p/cos(la) - rn;
    return it;
}

static void utm(double lat, double lon, int *zone, double *e, double *n)
{
    double e2 = ell.e2, e4 = e2*e2, e6 = e4*e2;
    double lon0, s = sin(lat), c = cos(lat), t, cc, a, m, rn;
    *zone = (int)floor((lon/D2R + 180.0)/6.0) + 1;
    lon0 = (6.0*(*zone) - 183.0)*D2R;
    rn = ell.a/sqrt(1.0 - e2*s*s);
    t = s*s/(c*c);  cc = ell.ep2*c*c;  a = (lon - lon0)*c;
    m = ell.a*((1 - e2/4 - 3*e4/64 - 5*e6/256)*lat - (3*e2/8 + 3*e4/32 + 45*e6/1024)*sin(2*lat)
        + (15*e4/256 + 45*e6/1024)*sin(4*lat) - (35*e6/3072)*sin(6*lat));
    *e = 500000.0 + ell.k0*rn*(a + (1 - t + cc)*a*a*a/6
        + (5 - 18*t + t*t + 72*cc - 58*ell.ep2)*pow(a, 5)/120);
    *n = ell.k0*(m + rn*(s/c)*(a*a/2 + (5 - t + 9*cc + 4*cc*cc)*pow(a, 4)/24
        + (61 - 58*t + t*t + 600*cc - 330*ell.ep2)*pow(a, 6)/720));
}

/* Vincenty inverse; counts the pairs that fail to converge in ell.noconv */
static double vincenty(double la1, double lo1, double la2, double lo2, double *az)
{
    double u1 = atan((1 - ell.f)*tan(la1)), u2 = atan((1 - ell.f)*tan(la2));
    double su1 = sin(u1), cu1 = cos(u1), su2 = sin(u2), cu2 = cos(u2);
    double l = lo2 - lo1, lam = l, lamp, sl, cl, ss = 0, cs = 1, sg = 0, sa, c2a = 1, c2m = 0, c;
    double us, aa, bb, ds;
    int it = 0;
    do {
        sl = sin(lam);  cl = cos(lam);
        ss = sqrt((cu2*sl)*(cu2*sl) + (cu1*su2 - su1*cu2*cl)*(cu1*su2 - su1*cu2*cl));
        if (ss == 0.0) { *az = 0.0; return 0.0; }
        cs = su1*su2 + cu1*cu2*cl;
        sg = atan2(ss, cs);
        sa = cu1*cu2*sl/ss;
        c2a = 1 - sa*sa;
        c2m = c2a > 1e-14 ? cs - 2*su1*su2/c2a : 0.0;
        c = ell.f/16*c2a*(4 + ell.f*(4 - 3*c2a));
        lamp = lam;
        lam = l + (1 - c)*ell.f*sa*(sg + c*ss*(c2m + c*cs*(-1 + 2*c2m*c2m)));
    } while (fabs(lam - lamp) > 1e-12 && ++it < 60);
    if (it >= 60)
/* OMP: atomic */
        ell.noconv++;
    us = c2a*(ell.a*ell.a - ell.b*ell.b)/(ell.b*ell.b);
    aa = 1 + us/16384*(4096 + us*(-768 + us*(320 - 175*us)));
    bb = us/1024*(256 + us*(-128 + us*(74 - 47*us)));
    ds = bb*ss*(c2m + bb/4*(cs*(-1 + 2*c2m*c2m)));
    *az = atan2(cu2*sin(lam), cu1*su2 - su1*cu2*cos(lam));
    return ell.b*aa*(sg - ds);
}

static int inside(double x, double y, const double *vx, const double *vy, int nv)
{
    int i, j, c = 0;
    for (i = 0, j = nv - 1; i < nv; j = i++)
        if ((vy[i] > y) != (vy[j] > y) && x < (vx[j] - vx[i])*(y - vy[i])/(vy[j] - vy[i]) + vx[i])
            c = !c;
    return c;
}

static int cmp_lon(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    if (pts.lon[i] != pts.lon[j]) return pts.lon[i] < pts.lon[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

static double cross3(int o, int a, int b)
{
    return (pts.lon[a]-pts.lon[o])*(pts.lat[b]-pts.lat[o]) - (pts.lat[a]-pts.lat[o])*(pts.lon[b]-pts.lon[o]);
}

int main(void)
{
    int i, r, v, nh, t, nv, itmax = 0;
    double dmax = 0, dmin = 1e30, ssum = 0, esum = 0, nsum = 0, track = 0, la, lo, h, d, ha = 0;
    static int hull[2*MAXPT+2];

    set_ellipsoid(6378137.0, 298.257223563);
    pts.n = MAXPT;
    for (i = 0; i < pts.n; i++) {
        pts.lat[i] = (35.0 + 25.0*rnd())*D2R;
        pts.lon[i] = (-10.0 + 40.0*rnd())*D2R;
        pts.h[i] = 2500.0*rnd();
    }
    for (rg.nreg = 0, nv = 0; rg.nreg < MAXREG; rg.nreg++) {
        rg.first[rg.nreg] = nv;
        for (v = 0; v < 24 + 3*rg.nreg; v++, nv++) {
            double ang = 2*PI*v/(24 + 3*rg.nreg), rad = (1.5 + 3.0*rnd())*D2R;
            rg.px[nv] = (-5.0 + 10.0*(rg.nreg % 4))*D2R + rad*cos(ang);
            rg.py[nv] = (39.0 + 8.0*(rg.nreg/4))*D2R + rad*sin(ang);
        }
    }
    rg.first[MAXREG] = nv;

/* OMP: parallel for private(la,lo,h,d,t) reduction(max:dmax,itmax) */
    for (i = 0; i < pts.n; i++) {
        geo2xyz(pts.lat[i], pts.lon[i], pts.h[i], &pts.x[i], &pts.y[i], &pts.z[i]);
        t = xyz2geo(pts.x[i], pts.y[i], pts.z[i], &la, &lo, &h);
        if (t > itmax) itmax = t;
        d = fabs(la - pts.lat[i]) + fabs(lo - pts.lon[i]);
        if (d > dmax) dmax = d;
    }
/* OMP: parallel for reduction(+:esum,nsum) */
    for (i = 0; i < pts.n; i++) {
        utm(pts.lat[i], pts.lon[i], &pts.zone[i], &pts.east[i], &pts.north[i]);
        esum += pts.east[i];  nsum += pts.north[i];
    }
/* OMP: parallel for reduction(+:ssum) reduction(min:dmin) */
    for (i = 0; i < pts.n; i++) {
        pts.dist[i] = vincenty(48.2*D2R, 16.37*D2R, pts.lat[i], pts.lon[i], &pts.azi[i]);
        ssum += pts.dist[i];
        if (pts.dist[i] < dmin) dmin = pts.dist[i];
    }
/* OMP: parallel for private(d) reduction(+:track) */
    for (i = 1; i < pts.n; i += 3)
        track += vincenty(pts.lat[i-1], pts.lon[i-1], pts.lat[i], pts.lon[i], &d);
/* OMP: parallel for private(r) */
    for (i = 0; i < pts.n; i++) {
        pts.reg[i] = -1;
        for (r = 0; r < rg.nreg; r++)
            if (inside(pts.lon[i], pts.lat[i], rg.px + rg.first[r], rg.py + rg.first[r], rg.first[r+1] - rg.first[r])) {
                pts.reg[i] = r;
                break;
            }
    }
    for (i = 0; i < pts.n; i++)
        if (pts.reg[i] >= 0) rg.count[pts.reg[i]]++;
    for (r = 0; r < rg.nreg; r++)
        for (v = rg.first[r]; v < rg.first[r+1]; v++) {
            t = v + 1 < rg.first[r+1] ? v + 1 : rg.first[r];
            rg.area[r] += 0.5*(rg.px[v]*rg.py[t] - rg.px[t]*rg.py[v]);
        }
    /* monotone chain hull */
    for (i = 0; i < pts.n; i++) pts.ord[i] = i;
    qsort(pts.ord, pts.n, sizeof(int), cmp_lon);
    for (nh = 0, i = 0; i < pts.n; hull[nh++] = pts.ord[i++])
        while (nh >= 2 && cross3(hull[nh-2], hull[nh-1], pts.ord[i]) <= 0) nh--;
    for (t = nh + 1, i = pts.n - 2; i >= 0; hull[nh++] = pts.ord[i--])
        while (nh >= t && cross3(hull[nh-2], hull[nh-1], pts.ord[i]) <= 0) nh--;
    for (i = 1; i < nh; i++)
        ha += 0.5*(pts.lon[hull[i-1]]*pts.lat[hull[i]] - pts.lon[hull[i]]*pts.lat[hull[i-1]]);
    printf("roundtrip %s iter %d\nutm %.8e %.8e\n", dmax < 1e-11 ? "ok" : "bad", itmax, esum, nsum);
    printf("vincenty sum %.8e min %.6e track %.8e noconv %d\nhull %d area %.8e\n", ssum, dmin, track, ell.noconv, nh - 1, ha);
    for (r = 0; r < rg.nreg; r++) printf("%d:%d(%.5f) ", r, rg.count[r], rg.area[r]);
    printf("\n");
    return 0;
}
