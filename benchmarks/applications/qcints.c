/* qcints.c - RHF on hydrogen clusters, s Gaussians only.
   Integrals over contracted functions are kept in the canonical packed
   array, ij >= kl; ioff[] holds the triangular offsets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define MAXBF 28
#define NPRIM 3
#define MAXTRI (MAXBF*(MAXBF+1)/2)
#define PI 3.14159265358979323846
#define INDEX(i,j) ((i) > (j) ? ioff[i] + (j) : ioff[j] + (i))
#define NBOYS 1600
#define TMAX 32.0

static struct {
  int nbf, nocc;
  double xyz[MAXBF][3];
  double ex[MAXBF][NPRIM], co[MAXBF][NPRIM];
} bas;

static int    ioff[MAXTRI + 1];
static double eri[MAXTRI*(MAXTRI+1)/2];
static double schwarz[MAXTRI];
static double boys[NBOYS+1][4];
static double S[MAXBF][MAXBF], H[MAXBF][MAXBF], F[MAXBF][MAXBF], D[MAXBF][MAXBF], X[MAXBF][MAXBF], C[MAXBF][MAXBF];
static long   nskip, nint;

static void boys_table(void)
{
  int i, m;
  for (i = 0; i <= NBOYS; i++) {
    double t = TMAX*i/NBOYS, term, sum;
    for (m = 0; m < 4; m++) {
      int k;
      term = 1.0/(2*m + 1);
      sum = term;
      for (k = 1; k < 200 && term > 1e-17*sum; k++) {
        term *= 2.0*t/(2*m + 2*k + 1);
        sum += term;
      }
      boys[i][m] = exp(-t)*sum;
    }
  }
}

static double F0(double t)
{
  int i;
  double d;
  if (t >= TMAX - 0.02) return 0.5*sqrt(PI/t);
  i = (int)(t*NBOYS/TMAX + 0.5);
  d = TMAX*i/NBOYS - t;
  return boys[i][0] + d*(boys[i][1] + d*(0.5*boys[i][2] + d*boys[i][3]/6.0));
}

static double dist2(const double *a, const double *b)
{
  double x = a[0]-b[0], y = a[1]-b[1], z = a[2]-b[2];
  return x*x + y*y + z*z;
}

static double contracted(int i, int j, int k, int l)
{
  int p, q, r, s, x;
  double v = 0.0, rij = dist2(bas.xyz[i], bas.xyz[j]), rkl = dist2(bas.xyz[k], bas.xyz[l]);
  for (p = 0; p < NPRIM; p++)
    for (q = 0; q < NPRIM; q++) {
      double a = bas.ex[i][p], b = bas.ex[j][q], ab = a + b, P[3];
      double eab = bas.co[i][p]*bas.co[j][q]*exp(-a*b/ab*rij);
      if (fabs(eab) < 1e-12) continue;
      for (x = 0; x < 3; x++) P[x] = (a*bas.xyz[i][x] + b*bas.xyz[j][x])/ab;
      for (r = 0; r < NPRIM; r++)
        for (s = 0; s < NPRIM; s++) {
          double c = bas.ex[k][r], d = bas.ex[l][s], cd = c + d, Q[3];
          double ecd = bas.co[k][r]*bas.co[l][s]*exp(-c*d/cd*rkl);
          for (x = 0; x < 3; x++) Q[x] = (c*bas.xyz[k][x] + d*bas.xyz[l][x])/cd;
          v += eab*ecd*2.0*pow(PI, 2.5)/(ab*cd*sqrt(ab + cd))*F0(ab*cd/(ab + cd)*dist2(P, Q));
        }
    }
  return v;
}

static void one_electron(void)
{
  int i, j, p, q, n, x;
  for (i = 0; i < bas.nbf; i++)
    for (j = 0; j <= i; j++) {
      double s = 0.0, h = 0.0, r2 = dist2(bas.xyz[i], bas.xyz[j]);
      for (p = 0; p < NPRIM; p++)
        for (q = 0; q < NPRIM; q++) {
          double a = bas.ex[i][p], b = bas.ex[j][q], g = a + b, m = a*b/g, P[3];
          double k = bas.co[i][p]*bas.co[j][q]*exp(-m*r2)*pow(PI/g, 1.5);
          s += k;
          h += k*m*(3.0 - 2.0*m*r2);
          for (x = 0; x < 3; x++) P[x] = (a*bas.xyz[i][x] + b*bas.xyz[j][x])/g;
          for (n = 0; n < bas.nbf; n++) h -= k*2.0*sqrt(g/PI)*F0(g*dist2(P, bas.xyz[n]));
        }
      S[i][j] = S[j][i] = s;
      H[i][j] = H[j][i] = h;
    }
}

static void two_electron(double thresh)
{
  int i, j, k, l, ij, kl;
  for (i = 0; i < bas.nbf; i++)
    for (j = 0; j <= i; j++) schwarz[ioff[i] + j] = sqrt(fabs(contracted(i, j, i, j)));
/* OMP: parallel for private(j,k,l,ij,kl) reduction(+:nskip,nint) schedule(dynamic) */
  for (i = 0; i < bas.nbf; i++)
    for (j = 0; j <= i; j++) {
      ij = ioff[i] + j;
      for (k = 0; k <= i; k++)
        for (l = 0; l <= k; l++) {
          kl = ioff[k] + l;
          if (kl > ij) break;
          if (schwarz[ij]*schwarz[kl] < thresh) {
            eri[ioff[ij] + kl] = 0.0;
            nskip++;
            continue;
          }
          eri[ioff[ij] + kl] = contracted(i, j, k, l);
          nint++;
        }
    }
}

static void fock(void)
{
  int i, j, k, l;
  double g;
/* OMP: parallel for private(j,k,l,g) schedule(dynamic) */
  for (i = 0; i < bas.nbf; i++)
    for (j = 0; j <= i; j++) {
      g = H[i][j];
      for (k = 0; k < bas.nbf; k++)
        for (l = 0; l < bas.nbf; l++) {
          int ij = INDEX(i, j), kl = INDEX(k, l), ik = INDEX(i, k), jl = INDEX(j, l);
          g += D[k][l]*(eri[INDEX(ij, kl)] - 0.5*eri[INDEX(ik, jl)]);
        }
      F[i][j] = F[j][i] = g;
    }
}

/* cyclic Jacobi, a destroyed, eigenvectors in v */
static void jacobi(int n, double a[MAXBF][MAXBF], double v[MAXBF][MAXBF])
{
  int i, p, q, sweep;
  for (p = 0; p < n; p++) for (q = 0; q < n; q++) v[p][q] = (p == q);
  for (sweep = 0; sweep < 30; sweep++) {
    double off = 0.0;
    for (p = 0; p < n; p++)
      for (q = p + 1; q < n; q++) {
        double th, t, c, s, x, y;
        off += a[p][q]*a[p][q];
        if (fabs(a[p][q]) < 1e-14) continue;
        th = (a[q][q] - a[p][p])/(2.0*a[p][q]);
        t = (th >= 0 ? 1.0 : -1.0)/(fabs(th) + sqrt(th*th + 1.0));
        c = 1.0/sqrt(t*t + 1.0);
        s = t*c;
        for (i = 0; i < n; i++) { x = a[i][p]; y = a[i][q]; a[i][p] = c*x - s*y; a[i][q] = s*x + c*y; }
        for (i = 0; i < n; i++) { x = a[p][i]; y = a[q][i]; a[p][i] = c*x - s*y; a[q][i] = s*x + c*y; }
        for (i = 0; i < n; i++) { x = v[i][p]; y = v[i][q]; v[i][p] = c*x - s*y; v[i][q] = s*x + c*y; }
      }
    if (off < 1e-22) break;
  }
}

static void matmul(double a[MAXBF][MAXBF], int ta, double b[MAXBF][MAXBF], int tb, double c[MAXBF][MAXBF])
{
  int i, j, k, n = bas.nbf;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double s = 0.0;
      for (k = 0; k < n; k++) s += (ta ? a[k][i] : a[i][k])*(tb ? b[j][k] : b[k][j]);
      c[i][j] = s;
    }
}

int main(void)
{
  static double t1[MAXBF][MAXBF], t2[MAXBF][MAXBF], w[MAXBF][MAXBF];
  static const double ex[3] = { 3.42525091, 0.62391373, 0.16885540 }, co[3] = { 0.15432897, 0.53532814, 0.44463454 };
  int i, j, k, it, ord[MAXBF];
  double e = 0.0, enuc = 0.0, esum = 0.0;
  bas.nbf = MAXBF;
  bas.nocc = MAXBF/2;
  for (i = 1; i <= MAXTRI; i++) ioff[i] = ioff[i-1] + i;
  for (i = 0; i < bas.nbf; i++) {           /* helix of H2 units */
    double a = 0.8*(i/2), r = 3.0 + (i & 1 ? 1.4 : 0.0);
    bas.xyz[i][0] = r*cos(a); bas.xyz[i][1] = r*sin(a); bas.xyz[i][2] = 0.8*(i/2);
    for (k = 0; k < NPRIM; k++) { bas.ex[i][k] = ex[k]; bas.co[i][k] = co[k]*pow(2.0*ex[k]/PI, 0.75); }
    for (j = 0; j < i; j++) enuc += 1.0/sqrt(dist2(bas.xyz[i], bas.xyz[j]));
  }
  boys_table();
  one_electron();
  two_electron(1e-6);
  memcpy(t1, S, sizeof S);
  jacobi(bas.nbf, t1, w);
  for (i = 0; i < bas.nbf; i++) for (j = 0; j < bas.nbf; j++) t2[i][j] = w[i][j]/sqrt(t1[j][j]);
  matmul(t2, 0, w, 1, X);
  for (it = 0; it < 12; it++) {
    fock();
    for (e = enuc, i = 0; i < bas.nbf; i++) for (j = 0; j < bas.nbf; j++) e += 0.5*D[i][j]*(H[i][j] + F[i][j]);
    matmul(X, 1, F, 0, t1); matmul(t1, 0, X, 0, t2);
    jacobi(bas.nbf, t2, w);
    matmul(X, 0, w, 0, C);
    for (i = 0; i < bas.nbf; i++) {         /* insertion sort of the levels */
      for (j = i; j > 0 && t2[ord[j-1]][ord[j-1]] > t2[i][i]; j--) ord[j] = ord[j-1];
      ord[j] = i;
    }
    for (i = 0; i < bas.nbf; i++) for (j = 0; j < bas.nbf; j++)
      for (D[i][j] = 0.0, k = 0; k < bas.nocc; k++) D[i][j] += 2.0*C[i][ord[k]]*C[j][ord[k]];
  }
  for (k = 0; k < MAXTRI*(MAXTRI+1)/2; k++) esum += fabs(eri[k]);
  printf("integrals %ld skipped %ld sum %.8e\nE(nuc) %.8f E(RHF) %.7f homo %.6f lumo %.6f\n", nint, nskip, esum, enuc, e,
         t2[ord[bas.nocc-1]][ord[bas.nocc-1]], t2[ord[bas.nocc]][ord[bas.nocc]]);
  return 0;
}
