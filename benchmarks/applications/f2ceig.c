/* f2ceig.f -- translated by f2c (version 19970805) and then edited by hand:
   no libf2c calls left, s_wsfe became printf. */
#include <stdio.h>
#include <math.h>

typedef int integer;
typedef double doublereal;
#define abs_(x) ((x) >= 0 ? (x) : -(x))
#define dmax_(a,b) ((a) >= (b) ? (a) : (b))

static doublereal d_sign(doublereal *a, doublereal *b)
{
    return *b >= 0 ? abs_(*a) : -abs_(*a);
}

doublereal pythag_(doublereal *a, doublereal *b)
{
    doublereal p, q, d__1;
    if ((p = dmax_(fabs(*a),fabs(*b))) == 0.) return p;
    q = (fabs(*a) <= fabs(*b) ? fabs(*a) : fabs(*b));
    d__1 = q / p; return p * sqrt(d__1 * d__1 + 1.);
}

/* householder reduction to tridiagonal form, transformations accumulated */
int tred2_(integer *nm, integer *n, doublereal *a, doublereal *d__,
	doublereal *e, doublereal *z__)
{
    integer a_dim1, a_offset, z_dim1, z_offset, i__1, i__2, i__3;
    doublereal d__1;
    static doublereal f, g, h__, hh, scale;
    static integer i__, j, k, l, ii, jp1;

    z_dim1 = *nm;
    z_offset = 1 + z_dim1;
    z__ -= z_offset;
    --e; --d__;
    a_dim1 = *nm;
    a_offset = 1 + a_dim1;
    a -= a_offset;

    i__1 = *n;
    for (j = 1; j <= i__1; ++j) {
	i__2 = *n;
	for (i__ = j; i__ <= i__2; ++i__)
	    z__[i__ + j * z_dim1] = a[i__ + j * a_dim1];
    }
    i__1 = *n;
    for (ii = 2; ii <= i__1; ++ii) {
	i__ = *n + 2 - ii;
	l = i__ - 1;
	h__ = scale = 0.;
	if (l < 2) goto L130;
	i__2 = l;
	for (k = 1; k <= i__2; ++k)
	    scale += (d__1 = z__[i__ + k * z_dim1], abs_(d__1));
	if (scale != 0.) goto L140;
L130:
	e[i__] = z__[i__ + l * z_dim1];
	goto L290;
L140:
	i__2 = l;
	for (k = 1; k <= i__2; ++k) {
	    z__[i__ + k * z_dim1] /= scale;
	    h__ += z__[i__ + k * z_dim1] * z__[i__ + k * z_dim1];
	}
	f = z__[i__ + l * z_dim1];
	d__1 = sqrt(h__);
	g = -d_sign(&d__1, &f);
	e[i__] = scale * g;
	h__ -= f * g;
	z__[i__ + l * z_dim1] = f - g;
	f = 0.; i__2 = l;
/* OMP: parallel for private(g,k,jp1,i__3) reduction(+:f) schedule(static,16) */
	for (j = 1; j <= i__2; ++j) {
	    z__[j + i__ * z_dim1] = z__[i__ + j * z_dim1] / h__;
	    g = 0.;
	    i__3 = j;
	    for (k = 1; k <= i__3; ++k)
		g += z__[j + k * z_dim1] * z__[i__ + k * z_dim1];
	    jp1 = j + 1;
	    i__3 = l;
	    for (k = jp1; k <= i__3; ++k)
		g += z__[k + j * z_dim1] * z__[i__ + k * z_dim1];
	    e[j] = g / h__;
	    f += e[j] * z__[i__ + j * z_dim1];
	}
	hh = f / (h__ + h__);
	i__2 = l;
	for (j = 1; j <= i__2; ++j) {
	    f = z__[i__ + j * z_dim1];
	    e[j] = g = e[j] - hh * f;
	    i__3 = j;
	    for (k = 1; k <= i__3; ++k)
		z__[j + k * z_dim1] = z__[j + k * z_dim1] - f * e[k] - g * z__[i__ + k * z_dim1];
	}
L290:
	d__[i__] = h__;
    }
    d__[1] = e[1] = 0.;
    i__1 = *n;
    for (i__ = 1; i__ <= i__1; ++i__) {
	l = i__ - 1;
	if (d__[i__] == 0.) goto L380;
	i__2 = l;
/* OMP: parallel for private(g,k,i__3) */
	for (j = 1; j <= i__2; ++j) {
	    g = 0.;
	    i__3 = l;
	    for (k = 1; k <= i__3; ++k)
		g += z__[i__ + k * z_dim1] * z__[k + j * z_dim1];
	    for (k = 1; k <= i__3; ++k)
		z__[k + j * z_dim1] -= g * z__[k + i__ * z_dim1];
	}
L380:
	d__[i__] = z__[i__ + i__ * z_dim1];
	z__[i__ + i__ * z_dim1] = 1.;
	i__2 = l;
	for (j = 1; j <= i__2; ++j)
	    z__[i__ + j * z_dim1] = z__[j + i__ * z_dim1] = 0.;
    }
    return 0;
}

/* ql with implicit shifts */
int tql2_(integer *nm, integer *n, doublereal *d__, doublereal *e,
	doublereal *z__, integer *ierr)
{
    static doublereal c__, f, g, h__, p, r__, s, c2, c3 = 0., s2 = 0., dl1, el1, tst1, tst2;
    static doublereal c_b11 = 1.;
    static integer i__, j, k, l, m, l1, ii, mml;
    integer z_dim1 = *nm, i__1;

    z__ -= 1 + z_dim1;
    --e; --d__;
    *ierr = 0;
    for (i__ = 2; i__ <= *n; ++i__) e[i__ - 1] = e[i__];
    f = tst1 = e[*n] = 0.;
    for (l = 1; l <= *n; ++l) {
	j = 0;
	h__ = fabs(d__[l]) + fabs(e[l]);
	if (tst1 < h__) tst1 = h__;
	for (m = l; m <= *n; ++m) {
	    if ((tst2 = tst1 + fabs(e[m])) == tst1) break;
	}
	if (m == l) goto L220;
L130:
	if (j++ == 30) { *ierr = l; return 0; }
	l1 = l + 1;
	g = d__[l];
	p = (d__[l1] - g) / (e[l] * 2.);
	r__ = pythag_(&p, &c_b11);
	d__[l] = e[l] / (p + d_sign(&r__, &p));
	d__[l1] = e[l] * (p + d_sign(&r__, &p));
	dl1 = d__[l1];
	h__ = g - d__[l];
	for (i__ = l1 + 1; i__ <= *n; ++i__) d__[i__] -= h__;
	f += h__;
	p = d__[m]; el1 = e[l1];
	c2 = c__ = 1.; s = 0.;
	mml = m - l;
	for (ii = 1; ii <= mml; ++ii) {
	    c3 = c2; c2 = c__; s2 = s;
	    i__ = m - ii;
	    g = c__ * e[i__];
	    h__ = c__ * p;
	    r__ = pythag_(&p, &e[i__]);
	    e[i__ + 1] = s * r__;
	    s = e[i__] / r__;
	    c__ = p / r__;
	    p = c__ * d__[i__] - s * g;
	    d__[i__ + 1] = h__ + s * (c__ * g + s * d__[i__]);
	    i__1 = *n;
	    for (k = 1; k <= i__1; ++k) {
		h__ = z__[k + (i__ + 1) * z_dim1];
		z__[k + (i__ + 1) * z_dim1] = s * z__[k + i__ * z_dim1] + c__ * h__;
		z__[k + i__ * z_dim1] = c__ * z__[k + i__ * z_dim1] - s * h__;
	    }
	}
	p = -s * s2 * c3 * el1 * e[l] / dl1;
	e[l] = s * p, d__[l] = c__ * p;
	tst2 = tst1 + fabs(e[l]);
	if (tst2 > tst1) goto L130;
L220:
	d__[l] += f;
    }
    return 0;
}

#define N_ 330
static doublereal a[N_*N_], z__[N_*N_], d__[N_], e[N_];

int main(void)
{
    integer nm = N_, n = N_, ierr, i__, j, k, pass;
    doublereal t, rmax, tr, sd, zs;
    unsigned seed = 12345u;

    for (pass = 1; pass <= 2; ++pass) {
	for (tr = 0., j = 0; j < n; ++j)
	    for (i__ = j; i__ < n; ++i__) {
		seed = seed * 1103515245u + 12345u;
		t = (seed >> 9) / 8388608. - .5 + (i__ == j ? pass * j * .3 : 0.);
		a[i__ + j * nm] = a[j + i__ * nm] = t;
		if (i__ == j) tr += t;
	    }
	tred2_(&nm, &n, a, d__, e, z__);
	tql2_(&nm, &n, d__, e, z__, &ierr);
	rmax = sd = zs = 0.;
/* OMP: parallel for private(i__,k,t) reduction(max:rmax) reduction(+:sd,zs) */
	for (j = 0; j < n; ++j) {
	    sd += d__[j];
	    for (i__ = 0; i__ < n; ++i__) {
		t = -d__[j] * z__[i__ + j * nm];
		for (k = 0; k < n; ++k) t += a[i__ + k * nm] * z__[k + j * nm];
		if (fabs(t) > rmax) rmax = fabs(t);
		zs += fabs(z__[i__ + j * nm]);
	    }
	}
	printf("pass %d ierr %d trace %.8e sum %.8e |z| %.6e resid %s\n", pass, ierr, tr, sd, zs,
		rmax < 1e-9 ? "ok" : "BAD");
    }
    return 0;
}
