#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct S { int n; double a[100]; };
static void inc(double *p) { for (int i = 0; i < 100; i++) p[i] = p[i] + i; }
static void f(int t) { struct S s = {t, {t}}; inc(s.a); printf("%f\n", s.a[0] + s.a[4]); }
static void g(int t) { double b[3][100] = {{t}, {t + 1}}; inc(b[1]); inc(*b); printf("%f %f\n", b[0][0] + b[1][4], b[1][0]); }
static void h(int t) { struct S s[2] = {{t, {t}}, {t, {t + 1}}}; inc(s[1].a); printf("%f\n", s[1].a[0] + s[1].a[4]); }
static void k(int t) { struct S s = {t, {t}}, *p = &s; inc(p->a); printf("%f\n", s.a[0] + p->a[4]); }
static void l(int t) { union { double a[100]; char c[800]; } u = {{t}}; inc(u.a); u.c[39] ^= 0x80; printf("%f\n", u.a[0] + u.a[4]); }
static void m(int t) { double v[t + 100]; for (int i = 1; i < t + 100; i++) v[i] = i - t; v[0] = t; inc(v + t); printf("%f\n", v[0] + v[t + 4]); }
int main(void)
{
  for (int t = 0; t < 3; t++) f(t);
  for (int t = 0; t < 3; t++) g(t);
  for (int t = 0; t < 3; t++) h(t);
  for (int t = 0; t < 3; t++) k(t);
  for (int t = 0; t < 3; t++) l(t);
  for (int t = 0; t < 3; t++) m(t);
  return 0;
}
