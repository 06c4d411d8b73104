#include <stdio.h>
static double A[100];
static void k(void) <%
  for (int i = 0; i < 100; i++) A<:i:> = A<:i:> * 2 + i;
%>
static double t(void) <%
  double T<:100:>;
  for (int i = 0; i < 100; i++) T<:i:> = A<:i:> * 2 + i;
  A<:3:> = T<:2:>;
%>
static void look(void) <% printf("%g\n", A<:3:>); %>
int main(void) <%
  k(); t(); look(); k();
  printf("%g\n", A<:5:>);
%>
