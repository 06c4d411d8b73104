# ruff: noqa: E501
"""Loop nests with a purpose: what the analyser should see through, and what only looks like it.

`‹a¦b¦c›` stands for one of its alternatives; `$V`, `$C`, `$S`, `$T` for a random value, condition, statement and target.
The right variant comes first, often twice; the others are its near misses.
"""

from __future__ import annotations

import random
import re

_CHOICE = re.compile(r"‹([^‹›]*)›")

FOR = "for (‹i = 0¦i = 0¦int i = 0¦i = 1¦i = m›; i ‹<¦<¦<¦<=¦!=› ‹n¦n¦n¦6¦m¦n - 1›; ‹i++¦i++¦++i¦i += 2¦i += ‹1¦3››)"
DOWN = "for (i = ‹n - 1¦n¦m›; i ‹>= 0¦> 0¦>= 1¦> m›; ‹i--¦i--¦i -= 2›)"
ANY = f"‹{FOR}¦{FOR}¦{FOR}¦{DOWN}›"
INNER = "for (‹j = 0¦j = 0¦int j = 0¦j = 1¦j = i›; j < ‹m¦m¦4¦n¦i¦i + 1›; j++)"
FULL = "for (i = 0; i < n; i++)"
ACROSS = "for (j = 0; j < ‹n¦m›; j++)"

INDUCTION = (
    f"k = ‹0¦0¦1¦m¦x›; {ANY} {{ ‹p¦ga›[k] = $V; ‹k++¦k += 2¦k = k + 1¦k += m¦if ($C) k++¦k *= 2¦k = 3 - k¦k -= 1›; }}",
    f"k = ‹0¦-1¦m›; {ANY} {{ ‹k++¦k += 2¦k = k + m¦if ($C) k++›; ‹p[k] = $V¦$T = q[k]¦p[k] = q[k - 1]¦p[k] = p[k + 1]›; }}",
    f"k = 0; {FULL} {{ {INNER} {{ p[k] = ‹$V¦q[k]¦p[k + 1]›; ‹k++¦k++¦if (j) k++¦k += i›; }} ‹¦k = 0;¦k += 2;› }}",
    f"{FULL} {{ k = ‹i¦i * 2¦x¦0›; ‹k++¦k += 2¦if ($C) k++›; p[k] = $V; }}",
    f"{ANY} p[‹x++¦++x¦x--¦k++›] = $V;",
    f"{ANY} {{ ga[c++] = $V; ‹¦gb[c] = i;¦if ($C) c--;¦if ($C) continue; c++;› }}",
    f"{ANY} {{ ‹*w++ = $V¦*w = $V; w++¦*++w = $V¦w[1] = $V; w += 2¦w[0] = w[1]; w += ‹2¦1›¦if ($C) *w++ = $V›; }}",
    f"{ANY} ‹s += *cw++¦p[i] = *cw++¦*w++ = *cw++¦{{ s += cw[0]; cw += ‹2¦m¦i› ; }}¦if (*cw++ > 2) s++›;",
    "for (w = p; w < p + ‹n¦m›; ‹w++¦w += 2›) ‹*w = $V¦s += *w¦*w = w[1]¦w[-1] = *w›;",
    "for (i = 0, j = ‹n - 1¦m›; i < ‹j¦n›; i++, ‹j--¦j++¦j += 2›) { ‹p[i] = q[j]¦p[j] = q[i]¦p[i] = p[j]¦t = p[i]; p[i] = p[j]; p[j] = t›; }",
    f"u = ‹0¦1¦3›; {FULL} {{ ‹p[u] = $V; u += 2¦p[u - 1] = $V; u++¦p[i] = u; u -= 1¦gc[u] = i; u += 3›; }}",
    f"d = 0; {FULL} {{ ‹r[i] = d; d += 2¦d += 0.5; r[i] = d¦d = d * 2; r[i] = d¦d = i * 0.5; r[i] = d›; }}",
)

WHILE = (
    "i = ‹0¦0¦1¦m›; while (i < n) { ‹p[i] = $V¦s += q[i]¦$S›; ‹i++¦i += 2¦i = i + 1¦if ($C) i++; else i += 2¦i += gb[3] + 1›; }",
    "i = 0; while (i < ‹n¦m›) { ‹i++; p[i] = $V¦i += 2; p[i] = q[i]¦p[i++] = $V¦if ($C) continue; i++; p[i] = 1›; ‹¦i++;¦if ($C) break;› }",
    "i = 0; do { ‹p[i] = $V¦s += q[i]¦$S›; ‹i++¦i += 2›; } while (i < n);",
    "i = 0; do { ‹p[i] = $V¦p[i] = p[i + 1]›; } while (‹++i < n¦i++ < n¦++i <= m›);",
    "k = ‹n¦m›; while (‹k-- > 0¦k--¦--k > 0¦k > 0›) { p[k] = $V; ‹¦¦k -= 1;› }",
    "i = 0; for (;;) { if (i ‹>= n¦> n¦== n›) break; p[i] = $V; i++; }",
    "for (i = 0; i < n; ) { p[i] = $V; ‹i++¦i += 2¦i += m¦if ($C) i++; i++›; }",
    "i = 0; while (1) { if (i >= n) ‹break¦return i›; s += q[i]; i++; }",
    "while (‹i < n && q[i] > 2¦q[i]¦i < n && p[i] < 5›) ‹i++¦{ p[i] = 7; i++; }›;",
    "for (k = ‹1¦n›; k ‹< 64¦> 0›; k ‹*= 2¦/= 2¦<<= 1¦>>= 1›) p[k] = $V;",
)

CALLS = (
    f"{ANY} ‹put(&p[i], $V)¦put(p + i, q[i])¦put(‹&s¦p¦&p[i / 2]¦&ga[q[i]]›, $V)›;",
    f"{ANY} ‹p[i] = get(q + i)¦p[i] = get(&p[i])¦p[i] = get(p + i + 1)¦s += get(q + i)›;",
    f"{ANY} store(‹p, i¦p, i¦ga, i + 3¦gm[i], 2¦p, i / 2¦p, 3¦q, i›, ‹$V¦q[i]¦p[i]¦p[i + 1]›);",
    f"{ANY} ‹add(&s, q[i])¦add(&p[i], q[i])¦add(&ga[q[i]], 1)¦add(p, i)¦s = s + total(q, ‹i¦m¦n›)›;",
    f"{ANY} p[i] = total(‹q, m¦q, i¦p, i¦q + i, 3¦p + i, ‹2¦0››);",
    f"{ANY} ‹fill(gm[i], ‹m¦4›, $V)¦fill(p + ‹4 * i¦i¦m * i›, ‹4¦1¦m¦2›, i)›;",
    f"{ANY} p[i] = ‹twice(i)¦clamp(q[i])¦peek(i)¦tally(i)¦factorial(i % 5)¦count()¦even(i % 6)¦largest(q[i], m)›;",
    f"{ANY} ‹swap(&p[i], &q[i])¦swap(&p[i], &p[i + 1])¦swap(&s, &p[i])¦swap(&p[2 * i], &p[2 * i + 1])›;",
    f"{ANY} {{ gk = i; p[i] = peek(‹0¦i›); }}",
    f"{ANY} {{ if ($C) tally(1); p[i] = ‹gk¦$V›; }}",
    f"{ANY} ‹memset(&p[‹4 * i¦i¦2 * i›], 0, ‹16¦4¦4 * m›)¦memcpy(&p[4 * i], &q[‹4 * i¦i›], ‹16¦4¦20›)¦memcpy(gm[i], gm[i + 1], 16)¦memcpy(A[i], gm[i], sizeof(gm[0]))›;",
    f"{ANY} {{ int y = 0; ‹add(&y, q[i])¦put(&y, q[i])¦store(&y, 0, i)›; p[i] = y; }}",
    f"{ANY} ‹both(&p[i], &ga[i], $V)¦both(&p[i], &p[i + 1], 1)¦s = both(&gb[i], &gb[i], q[i])›;",
    f"{ANY} ‹move(&gp[i], 1)¦move(gp, i)¦move(&gs, 1)¦s += norm(&gp[i])¦gp[i].x = norm(&gp[i + 1])›;",
    f"{ANY} r[i] = ‹sqrt(e[i])¦fmax(e[i], r[i])¦pow(e[i], 2)¦mean(e, ‹m¦3›)¦mean(e + i, 2)¦mean(r, 2)›;",
    f'{ANY} {{ ‹printf("%d", i)¦if ($C) putchar(48)¦s = rand()¦t = i›; p[i] = 1; }}',
)

PRIVATE = (
    f"{FULL} {{ for (j = 0; j < ‹4¦m¦n›; j++) la[j] = q[i + j]; for (j = 0; j < ‹4¦m¦n¦5¦m + 1›; j++) ‹s += la[j]¦p[i] += la[j]¦ga[j] = la[j]›; }}",
    f"{FULL} {{ ‹¦if ($C) ›for (j = 0; j < 4; j++) la[j] = $V; p[i] = la[‹2¦i % 4¦3¦4¦m¦j - 1›]; }}",
    f"{FULL} {{ la[0] = ‹$V¦q[i]›; ‹la[1] = la[0]¦for (j = 1; j < m; j++) la[j] = la[j - 1] + 1¦if ($C) la[1] = 3›; p[i] = la[‹1¦0¦m - 1¦2›]; }}",
    f"{FULL} {{ memset(la, 0, ‹sizeof la¦sizeof(la)¦8¦m * sizeof(int)›); for (j = 0; j < m; j++) la[q[j]]++; p[i] = la[‹2¦1¦3›]; }}",
    f"{FULL} {{ memcpy(la, q + i, ‹3 * sizeof(int)¦16¦m * 4›); p[i] = la[0] + la[‹2¦1¦3›]; }}",
    f"{FULL} {{ int y[‹8¦m + 1¦20›]; ‹¦if ($C) y[3] = 1;› {ACROSS} y[j] = q[j] + i; p[i] = y[‹0¦j - 1¦3›]; }}",
    f"{FULL} {{ for (j = 0; j < 3; j++) for (k = 0; k < ‹3¦m›; k++) lb[j][k] = i + ‹j¦k¦$V›; s += lb[1][‹2¦1¦m - 1¦3›]; }}",
    f"{FULL} {{ for (j = 0; j < ‹m¦4›; j++) lb[i][j] = $V; for (j = 0; j < m; j++) p[j + 9 * i] = lb[‹i¦0¦j›][j]; }}",
    f"{FULL} {{ la[i] = $V; p[i] = la[‹i¦i - 1¦0¦i + 1›]; }}",
    f"{FULL} {{ la[‹0¦i % 2¦x›] = $V; ‹p[i]¦$T› = la[‹0¦i % 2¦x¦1›]; }} ‹¦s = la[0];¦p[0] += la[3];›",
    f"{FULL} {{ for (j = 0; j < m; j++) ga[j] = $V; for (j = 0; j < ‹m¦m¦m - 1¦n›; j++) p[i] += ga[j]; }}",
    f"{FULL} {{ int z[4] = {{ ‹0¦i, 1¦q[i], q[i + 1]› }}; for (j = 0; j < 4; j++) ‹z[j] += q[j]¦z[j] = z[(j + 1) % 4]›; p[i] = z[‹3¦i % 4¦0›]; }}",
    f"{FULL} {{ double v[4]; for (j = 0; j < 4; j++) ‹¦if ($C) ›v[j] = e[i + j]; r[i] = v[0] + v[‹3¦1¦j - 1›]; }}",
)

FLATTENED = (
    "for (i = 0; i < ‹m¦n›; i++) for (j = 0; j < ‹n¦n¦m¦n + 1¦n - 1›; j++) ‹p¦q›[i * n + j] = ‹$V¦q[i * n + j]¦p[i * n + j + 1]¦q[j * n + i]›;",
    "for (i = ‹1¦0›; i < m; i++) for (j = ‹0¦1›; j < n; j++) p[i * n + j] = p[(i - 1) * n + ‹j¦j - 1¦j + 1›];",
    "for (j = 0; j < n; j++) for (i = ‹0¦1›; i < m; i++) p[i * n + j] = ‹p[(i - 1) * n + j]¦p[i * n + j] + 1¦$V›;",
    "for (i = 0; i < 3; i++) for (j = 0; j < m; j++) for (k = 0; k < ‹n¦m›; k++) p[(i * m + j) * n + k] = ‹$V¦k›;",
    "for (i = 0; i < n; i++) for (j = 0; j < ‹8¦m¦9›; j++) p[i * 8 + j] ‹= $V¦+= q[j]¦+= i›;",
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) p[i * (m ‹¦+ 1¦- 1›) + ‹j¦j¦2 * j›] = $V;",
    "for (i = 0; i < n; i++) for (j = 0; j < n; j++) p[‹j * n + i¦i * m + j¦i + j * m›] = $V;",
    "for (i = 0; i < n; i++) for (j = 0; j < ‹i¦n¦n - i›; j++) p[i * n + j] = p[‹j * n + i¦i * n + n - 1 - j¦i * n + j›];",
    "for (k = 0; k < n * m; k++) ‹p[k] = q[k / m]¦gm[k / 8][k % 8] = k¦p[k % m] += 1¦p[k] = k % n¦p[k / ‹m¦n›] += q[k]›;",
    "for (i = 0; i < n; i++) { w = p + i * ‹m¦m¦n¦1›; for (j = 0; j < ‹m¦m¦m + 1¦n›; j++) w[j] = $V; }",
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) { ‹s = 0; ¦›for (k = 0; k < 4; k++) s += q[i * 4 + k] * q[k * m + j]; p[i * m + j] = s; }",
    "for (i = 0; i < n; i++) { k = i * ‹m¦n¦3›; for (j = 0; j < ‹m¦3›; j++) p[k + j] = $V; }",
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) V[i][j] = ‹$V¦V[i][j + 1]¦V[j][i]¦V[i ‹- 1¦› + 1][j]›;",
)

WRAPPED = (
    "for (k = 0; k < n * m; k++) { int u = ‹k¦k + 1¦k - n¦2 * k¦k / 2› % ‹m¦n¦m + 1›, v = ‹k¦k + 1¦k - n¦2 * k› / ‹m¦n¦m + 1›; if (v >= 0 && v < 15 && u >= 0 && u < 15) ‹gm[v][u] = k¦gm[u][v] = k¦gm[v][0] = u¦gm[v][u / 2] = k¦gm[v][u] = gm[v][u + 1]¦p[v * m + u] = k¦p[v * n + u] = q[k]¦ga[v * 8 + u] = k›; }",
    "for (k = 0; k < ‹m * n¦n¦6›; k++) { for (i = k / m * ‹2¦3›; i < k / m * 2 + 2 && i < 16; i++) for (j = k % m * ‹3¦2¦4›; j < k % m * 3 + ‹3¦4› && j < ‹16¦n›; j++) ‹gm[i][j] = k¦gm[j][i] = k¦p[i * n + j] = k¦gm[i][j] = gm[i][j + 1]›; }",
    f"{FULL} p[‹i¦(i + 1) % n¦i % m›] = ‹q¦q¦p¦w›[‹(i + 1) % n¦(i + n - 1) % n¦i % m¦i / m¦(i + 1) & m¦q[i] & 3›];",
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) p[i * m + j] = ‹q¦w¦w¦p›[‹(i + 1) % n¦(i + n - 1) % n¦i› * m + ‹(j + 1) % m¦(j + m - 1) % m¦j›];",
    "for (i = 0; i < n; i++) for (j = 0; j < m; j++) { k = ‹i == 0 ? i : i - 1¦i < n - 1 ? i + 1 : i¦i < 1 ? 0 : i¦j == 0 ? i : i - 1›; p[i * m + j] = ‹q¦w¦w¦p›[k * m + j]; }",
    "for (i = 0; i < 3; i++) for (j = 0; j < m; j++) for (k = 0; k < ‹n¦m›; k++) { u = k + j * n + i * n * m; t = ‹k == 0 ? u : u - 1¦i == 0 ? u : u - n * m¦j == 0 ? u : u - n›; ‹p[u] = q[t]¦p[u] = p[t]¦w[u] = p[u] + p[t]¦p[t] = i›; }",
    "for (i = ‹2¦1›; i < ‹4¦m›; i++) for (j = 0; j < m; j++) { for (k = 1; k <= 2; k++) s += ‹q¦w¦p›[(unsigned long)(i - k) * m + j]; p[(unsigned long)i * m + j] = s; }",
    "for (i = 0; i < n; i++) { if (i == ‹m¦3¦k›) continue; for (j = 0; j < m; j++) p[i * m + j] ‹+=¦=› p[‹m¦3¦k¦i¦(i + 1)› * m + j]; }",
    "for (i = 0; i < 3; i++) for (j = 0; j < ‹m¦2›; j++) { w = p + (i * ‹m¦3¦m + 1› + j) * ‹n¦m›; for (k = 0; k < ‹n¦m¦n - 1›; k++) w[k] ‹=¦+=› ‹k¦q[k]¦w[k + 1]¦w[k + m * n]›; }",
    "for (i = 0; i < ‹m¦3›; i++) for (j = 0; j < ‹m¦4›; j++) for (k = 0; k < 3; k++) p[(i * m + j) * ‹n¦m¦4› + k] = ‹$V¦q[j * 3 + k]¦p[(i * m + j + 1) * n + k]›;",
)

PIXELS = (  # elements of a few cells in rows of whose lengths nothing is known
    "for (i = 0; i < ‹3¦n›; i++) for (j = 0; j < ‹m¦m¦3¦2›; j++) { w = p + i * ‹n¦n¦k¦3 * m› + j * ‹m¦3¦2¦k›; w[0] = $V; ‹w[1] = ‹$V¦w[0]¦q[j]›;¦w[m] = 1;¦› ‹w[2] = ‹i & 1 ? j : 3¦$V›;¦w[j] = i;¦› }",
    "for (i = 0; i < ‹3¦n›; i++) for (j = 0; j < ‹m¦3›; j++) for (k = ‹0¦1›; k < ‹2¦3¦m›; k++) p[i * ‹n¦x¦4 * m› + j * ‹m¦2¦x› + k] ‹= $V¦+= q[j]›;",
    "for (j = 0; j < ‹m¦3›; j++) for (i = 0; i < 3; i++) { p[i * ‹n¦x› + j * ‹m¦2¦x›] = $V; p[i * ‹n¦x› + j * ‹m¦2› + ‹1¦1¦m›] = ‹i¦p[i * n + j * m]›; }",
)

LED = (  # pointers that are set inside, to what stays or moves
    "for (i = 0; i < ‹vp->len¦m¦n›; i++) { struct W *z = ‹vp¦&vp[0]¦&vp[k & 1]¦&vp[i & 1]¦&vp[1]¦&vp[q[i] & 1]›; ‹¦z->len = m;¦vp[0].len = m;¦z = vp;¦if ($C) z = &vp[1];› for (j = 0; j < ‹m¦z->len¦vp->len¦3›; j++) z->a[i * ‹z->len¦vp->len¦m¦n› + j] ‹=¦+=› ‹j¦z->b[j]¦q[i]›; ‹¦¦¦z->len = 3;¦z++;¦vp[0].len = i & 3;¦vp->a = p;¦vp[1].b = z->a;› }",
    "for (i = 0; i < ‹vp->len¦m¦n›; i++) { const struct W *y = ‹vp¦&vp[1]›, *z = ‹y¦y - (k & 0)¦vp›; int *u = z->‹a¦a¦b›, t = ‹z¦vp¦y›->len; for (j = 0; j < ‹m¦t¦y->len¦3›; j++) u[i * ‹t¦m¦y->len› + j] ‹=¦+=› ‹j¦z->b[j]¦t›; ‹¦¦vp->len = t;¦vp[1].len = m;› }",
    "for (i = 0; i < ‹3¦m›; i++) for (j = 0; j < 3; j++) { struct W *z; z = ‹vp¦&vp[j & 1]¦&vp[1]›; ‹z->a[i * z->len + j]¦z->a[j * z->len + i]¦z->a[i * vp->len + j]› = $V; ‹¦z->len ^= ‹0¦1›;› }",
)

STEP = "‹m¦m¦n¦m + 1¦2 * m¦kt[1]›"
STRIDED = (
    f"for (i = 0; i < ‹n¦m›; i++) for (k = i; k < ‹n * m¦n + m¦12›; k += {STEP}) ‹p¦q¦w›[k] ‹= $V¦+= i¦= p[k] + 1¦= q[k + n]›;",
    f"for (i = ‹0¦m›; i < n * 3; i += {STEP}) for (j = 0; j < ‹m¦m / 2¦m + 1¦n›; j++) p[i + j] = ‹$V¦p[i + j + m / 2]¦p[i + j + m]¦q[i + j]›;",
    f"for (i = 0; i < n * 2; i += {STEP}) for (k = i; k < i + ‹m¦m¦n¦m + 1›‹ && k < n * 2¦›; k++) p[k] = ‹$V¦p[k] + 1¦p[k + m]¦q[k]›;",
    "for (i = 0; i < n; i += m) for (j = 0; j < n; j += ‹m¦n›) for (k = i; k < ‹i + m¦n› && k < n; k++) for (c = j; c < ‹j + m¦n› && c < n; c++) p[k * ‹n¦n¦m› + c] = ‹k¦c¦q[c * n + k]¦p[c * n + k]›;",
    f"for (i = n * 2; i ‹>¦>=› ‹0¦m›; i -= {STEP}) p[i] = ‹$V¦p[i + m]¦p[i - 1]›;",
    "for (u = 0; u < ‹n¦n + m›; u += ‹m¦2¦n›) for (k = 0; k < ‹m¦2›; k++) p[u + k] = ‹k¦p[u + k + m]¦q[u]›;",
)
COLOURS = (
    "for (i = 1; i < ‹n¦7›; i++) for (j = 1 + ‹(i + m) % 2¦((i + m) & 1)¦((i ^ m) & 1)¦(i + m) % 3¦(m - i) % 2¦i % 2›; j < ‹7¦n›; j += ‹2¦2¦3›) p[i * ‹8¦8¦n¦m› + j] = ‹p[(i - 1) * 8 + j]¦p[(i + 1) * 8 + j]¦p[i * 8 + j + 1]¦p[i * 8 + j - 1] + p[(i - 1) * 8 + j]¦p[(i - 1) * 8 + j - 1]›;",
    "for (i = 1; i < ‹n¦7›; i++) for (j = 1; j < 7; j++) { if (‹(i + j + m) % 2¦(i + j) % 2 != m % 2¦((i + j) & 1) == (m & 1)¦(i - j) % 2¦(i + m) % 2›) continue; p[i * 8 + j] = ‹p[(i - 1) * 8 + j]¦p[i * 8 + j + 1]¦p[(i + 1) * 8 + j] + p[i * 8 + j - 1]¦p[(i - 1) * 8 + j + 1]›; }",
)
UNSIGNED = (
    "for (u = 0; u < ‹n¦un›; u++) for (v = 0; v < ‹3¦m¦4›; v++) ‹p¦w¦gu›[u * ‹3¦m¦4› + v] = ‹v¦u¦q[v]¦p[u * 3 + v + 1]›;",
    "for (u = ‹0¦1›; u < n; u++) { v = u * ‹3¦m›; for (k = 0; k < ‹3¦m¦2›; k++) p[v ‹+¦- 1 +› k] = ‹k¦q[v]¦p[v + k + 3]›; }",
    "for (u = 0; u < n; u++) p[‹un + u¦u + 3u¦u - un¦(u + 1) * 2 - 2¦n - 1 - u›] = ‹u¦q[u + un]¦q[u * 2]¦p[u]›;",
)
TABLES = (
    f"{FULL} for (k = kt[‹0¦1¦m›]; k < kt[‹2¦3¦n¦1›]; k++) p[i * ‹8¦kt[2]¦kt[1]¦m› + k] = ‹k¦q[k]¦p[i * 8 + k + 8]›;",
    f"{FULL} for (j = 0; j < 4; j++) for (k = kt[j]; k < kt[j + 1]; k++) p[i * ‹8¦16¦7¦m› + k] = ‹j¦i¦q[k]›;",
    "for (i = 1; i < 7; i++) for (j = 1; j < 7; j++) for (k = 0; k < 4; k++) ‹p[i * 8 + j] += q[(i + kd[k]) * 8 + j + kd[(k + 1) & 3]]¦p[(i + kd[k]) * 8 + j] = i¦p[i * 8 + j + kd[k]] = j¦A[i][j] = A[i + kd[k]][j]›;",
)

EXTREMES = (
    f"s = ‹q[0]¦0¦-9¦x›; {FULL} if (q[i] ‹>¦<¦>=¦<=› s) {{ s = ‹q[i]¦q[i]¦i¦q[i] + 1›; k = ‹i¦i¦i + 1¦q[i]¦j›; ‹¦¦p[i] = 1;¦c++;› }}",
    f"{FULL} {{ if (q[i] ‹>¦<¦>=› s) {{ k = i; ‹s = q[i]¦s = q[i]¦t = q[i]¦›; }} ‹¦¦p[i] = s;¦p[i] = k;› }}",
    f"{FULL} {{ t = ‹q[i]¦q[i] * 2¦$V›; if (t > s) {{ s = t; k = i; }} ‹¦p[i] = t;› }}",
    f"{FULL} {INNER} if (A[i][j] ‹>¦<› s) {{ s = A[i][j]; k = ‹i¦i * m + j¦j›; ‹¦c = j;¦c = i + j;› }}",
    f"{ANY} ‹s = q[i] > s ? q[i] : s¦s = s < q[i] ? s : q[i]¦s = s > q[i] ? q[i] : s + 1¦s = q[i] > s ? s : $V›;",
    f"{ANY} ‹if (s < q[i]) s = q[i]¦if (!(s > q[i])) s = q[i]¦if (q[i] < s) ; else s = q[i]¦if (q[i] > s) s = q[i]; else if ($C) s--¦if (q[i] > s) s += q[i]›;",
    f"{ANY} ‹d = fmax(d, e[i])¦d = fmin(e[i], d)¦d = fmax(d, d + e[i])¦if (e[i] > d) d = e[i]¦if (e[i] < d) {{ d = e[i]; k = i; }}›;",
    f"{ANY} {{ if (q[i] > s) s = q[i]; if (q[i] < ‹t¦t¦s›) t = q[i]; }}",
    f"{ANY} {{ if (q[i] > s) {{ ‹t = s¦x = s›; s = q[i]; }} else if (q[i] > t) t = q[i]; }}",
    f"{ANY} if (ga[‹3¦i % 2¦q[i]¦0›] < q[i]) ga[‹3¦i % 2¦q[i]¦1›] = q[i];",
    f"{ANY} if (abs(q[i]) > s) {{ s = ‹abs(q[i])¦q[i]›; k = i; }}",
    f"k = ‹0¦-1›; {FULL} if (‹q[i] > q[k + (k < 0)]¦q[i] == 3¦k < 0 && q[i] > 2¦q[i] > 2›) k = i;",
)

SCALARS = (
    f"{ANY} {{ t = ‹$V¦q[i]›; p[i] = t‹ + 1¦ * t¦›; ‹¦t = 0;› }}",
    f"{ANY} {{ p[i] = t; t = ‹q[i]¦$V¦i¦i + 1›; }}",
    f"{ANY} {{ if ($C) t = ‹q[i]¦i›; ‹else t = 2;¦¦else if ($C) t = 4;¦else t++;› p[i] = t; }}",
    f"{ANY} {{ s = q[i]; t = s + ‹1¦x¦t›; x = ‹t¦s¦x›; p[i] = x; }}",
    f"{ANY} {{ switch (q[i]‹¦ % 3› ) {{ case 0: t = 1; ‹break;¦› case 1: t = ‹2¦t + 1›; ‹break;¦› ‹default: t = 3;¦¦default: ;› }} p[i] = t; }}",
    f"{ANY} {{ if ($C) goto next; t = i; p[i] = ‹t¦$V›; next: ‹;¦p[i + 60] = t;¦s = t;› }}",
    f"{ANY} {{ if ($C) ‹continue¦continue¦break¦goto out›; p[i] = $V; }} out: ;",
    f"{FULL} {{ int t = ‹$V¦q[i]›; ‹¦if ($C) t++;› p[i] = t; s = t; }}",
    f"{FULL} {{ for (j = 0; j < ‹m¦3›; j++) t = ‹q[j]¦i›; p[i] = t; }}",
    f"{FULL} {{ ‹t = 0; ¦›{INNER} t += ‹q[j]¦A[i][j]¦i›; p[i] = t; }}",
    f"{ANY} {{ static int y; ‹y = i¦y += i¦p[i] = y; y = q[i]›; p[i] ‹=¦+=› y; }}",
    f"{ANY} {{ gk = ‹$V¦q[i]¦i›; ‹p[i] = gk¦if ($C) p[i] = gk¦gz = gk›; }}",
    f"{ANY} {{ ‹int *v = &t; ¦›*‹w¦&t¦&s› = ‹i¦$V›; p[i] = ‹t¦s›; }}",
    f"{ANY} ‹c = i¦c = 7¦c = q[i]¦if ($C) c = 1¦c = c ‹|¦&¦^¦+¦-› q[i]¦c = q[i] - c¦c -= q[i]¦c = -c›;",
    f"{FULL} {{ t = p[i]; p[i] = p[‹n - 1 - i¦i + 1¦i + 20¦n + i›]; p[‹n - 1 - i¦i + 1¦i + 20¦n + i›] = t; }}",
    f"{FULL} {{ s = t; t = q[i]; p[i] = s‹¦ + t›; }}",
)

REDUCTIONS = (
    f"{ANY} s ‹+=¦-=¦*=¦&=¦|=¦^=› ‹q[i]¦$V¦q[i] * q[i + 1]¦s¦i›; ‹¦p[0] = s;›",
    f"{ANY} {{ s += q[i]; ‹t *= 2¦t += s¦s -= t¦s *= 2¦p[i] = s¦if (s > 9) p[i] = 1¦t ^= q[i]¦t += q[i]›; }}",
    f"{ANY} s = ‹s + q[i]¦q[i] + s¦s + q[i] + 1¦q[i] - s¦s * q[i] + 1¦(s + q[i]) % 7¦s - q[i] + $V¦2 * s + q[i]¦$V + s + $V›;",
    f"{FULL} {INNER} ‹s += A[i][j]¦ga[i] += A[i][j]¦ga[j] += A[i][j]¦ga[j] += ga[i]¦gb[i + j] += q[i]¦ga[3] += q[j]¦*p += q[j]¦gs.x += q[j]¦gp[i].x += q[j]¦gp[j].v[i] += 1›;",
    f"{ANY} ‹ga[q[i]]++¦ga[q[i]] += i¦ga[q[i]] += ga[q[i + 1]]¦ga[q[i]] = i¦p[q[i]] = ‹p[q[i]] + 1¦i›¦ga[gb[i]] |= 4¦++gm[q[i]][2]¦ga[q[i]] *= 2›;",
    f"{FULL} for (j = 0; j < 4; j++) for (k = 0; k < m; k++) A[i][j] += gm[i][k] * ‹gm[k][j]¦gx[k][j]¦A[k][j]¦q[k]›;",
    f"{ANY} ‹s = s && q[i]¦s = s || q[i] > 3¦s = q[i] && s¦if (q[i]) s = 1¦s |= q[i] == 2¦s &= q[i] != 2¦if (!q[i]) s = 0›;",
    f"{ANY} if ($C) ‹s += q[i]¦s++¦s--¦s += 1, t += 2¦s = s + 1¦s += s›;",
    f"{FULL} {{ d += ‹e[i]¦e[i] * r[i]¦d¦q[i]›; ‹¦¦r[i] = d;¦dd += d;› }}",
    f"{ANY} gt += ‹gd[i]¦r[i] * 2¦gt¦q[i]›;",
    f"{ANY} ‹gs.x += q[i]¦gs.v[2] += q[i]¦gs.v[i] += gs.v[‹2¦i›]¦gk += q[i]¦*q += i¦q[0] += q[i]¦p[m] += q[i]¦p[m] += p[i]›;",
)

ARRAYS = (
    f"{ANY} p[i] = ‹q[i]¦q[i + 1] + q[i - 1]¦p[i] * 2¦p[i + 1]¦p[i - 1]¦p[i + m]¦p[i - m]¦p[i + n]¦p[0]¦p[m]¦p[n - 1 - i]›;",
    f"{ANY} p[‹2 * i¦2 * i + 1¦i + m¦i + n¦-i¦n - i¦i / 2¦i % 4¦i * i¦i & 3¦i ^ 1›] = p[‹2 * i + 1¦2 * i¦i¦i + 1¦3 * i¦m›] + $V;",
    f"{FULL} {INNER} A[i][j] = ‹$V¦A[i][j + 1]¦A[i + 1][j]¦A[i - 1][j + 1]¦A[j][i]¦A[i][0]¦gm[i][j]¦A[i][j] * 2›;",
    f"{FULL} {INNER} A[‹i¦j¦i + j¦i + 1¦2 * i›][‹j¦i¦j + 1¦0¦j % 2›] = ‹$V¦gm[j][i]¦A[i][j]›;",
    f"{FULL} {{ {INNER} p[j] = ‹q[j]¦p[j] + i¦p[j + 1]¦i›; ‹¦q[i] = p[‹i¦0¦m›];› }}",
    f"{FULL} {{ p[i] = $V; q[i] = ‹p[i]¦p[i - 1]¦p[i + 1]¦p[m]›; }}",
    f"{FULL} {{ ga[i + 1] = ‹q[i]¦ga[i]¦gb[i]›; gb[i] = ‹ga[i + 1]¦ga[i]¦ga[i + 2]›; }}",
    f"{ANY} ‹p[q[i]] = i¦p[i] = q[gb[i]]¦p[gb[i]] = q[i]¦p[clamp(i)] = i¦ga[gc[i]] = p[i]¦p[i] = p[q[i]]›;",
    f"{ANY} if (‹$C¦i < m¦i != m¦i % 2¦q[i] > 2¦i > 2 && i < 5¦p[i]› ) p[i] = ‹$V¦p[i + 1]¦p[i - 1]¦p[m]›; ‹¦else p[i] = p[i + 1];¦else q[i] = 1;›",
    f"{ANY} {{ p[‹i¦x¦m¦0›] = $V; ‹s = p[i]¦q[i] = p[x]¦p[i] = 1¦ga[i] = p[‹i¦m›]›; }}",
    "for (i = m; i < ‹m + n¦n + n¦m + 2›; i++) p[i] = p[i ‹- m¦- n¦+ n¦- 2›];",
    "for (i = 0; i < n; i++) { p[i] = ‹p[i + n]¦p[i + m]¦p[2 * n - i]¦p[i - ‹n¦m¦gk›]›; }",
    "for (‹unsigned ¦long ¦short ¦unsigned char ¦char ›i = ‹0¦1¦m›; i < n; i++) p[‹i¦i - 1¦i + 1¦(unsigned char)(i + 250)¦i * m›] = $V;",
    "for (unsigned i = n; i ‹> 0¦-- > 0¦>= 1›; ‹i--¦›) p[‹i¦i - 1¦u - i›] = $V;",
    "for (unsigned long i = un - ‹0ul¦2ul¦9ul›; i ‹< un¦!= un¦< 6ul¦< un + 2ul›; i++) p[i‹¦ + 1¦ - un + 9›] = ‹$V¦p[i]›;",
    "for (unsigned long i = un; i > un - ‹1ul¦3ul¦9ul›; i--) p[i‹¦ - 1¦ - un + 9›] = ‹$V¦q[i]›;",
    "for (unsigned long i = ‹0¦1› - ‹0ul¦1ul¦un›; i < ‹5¦un + 1ul›; i++) p[i‹¦ + 2›] ‹=¦+=› ‹$V¦q[i]›;",
    "for (unsigned i = ‹0¦0¦1¦m¦u›; i + ‹1¦2¦m› ‹<¦<=› ‹n¦un¦m›; ‹i++¦i++¦i += 2¦i += 3›) p[‹i¦i + 1¦i + 2›] = ‹$V¦q[i + 1]¦p[i + 2]›;",
    f"{FULL} gx[i][‹i¦2¦m›] = gx[‹i¦i + 1¦m›][‹i¦2¦0›] + e[i];",
    f"{FULL} {{ r[i] = e[‹i¦i + 1›]; ‹e[i] = r[i]¦e[i + 1] = 2¦r[i + 1] = 1¦›; }}",
)

STRUCTURES = (
    f"{ANY} gp[i].‹x¦y› = ‹gp[i].y¦gp[i + 1].x¦gp[i].x + 1¦gs.x¦gp[0].y¦$V›;",
    f"{ANY} gs.v[i] = ‹gs.v[i + 1]¦gs.x¦$V¦gp[i].v[i]¦gs.v[2]›;",
    f"{ANY} sp[i].x = ‹sp[i].y¦sp[i + 1].y¦sp[i + 1].x¦sp->x¦gp[i].x¦q[i]›;",
    f"{ANY} sp->v[i] = ‹$V¦sp->v[i + 1]¦sp->x¦q[i]›; ‹¦sp->x = 3;›",
    "for (i = 0; i < ‹vp->len¦n¦sp->x›; i++) ‹vp->a[i] = vp->b[i]¦vp->a[i] = $V¦s += vp->a[i]¦vp->a[i] = vp->a[i + 1]¦vp->a[i] = vp->len¦vp->len = 3›;",
    f"{ANY} {{ ‹w = vp->a¦int *z = vp->b¦struct S *z = &gp[i]¦struct S z = gp[i]›; ‹w[i] = 1¦p[i] = 2¦vp->b[i] = q[i]›; }}",
    f"{FULL} {{ struct S *z = ‹&gp[i]¦gp + i¦&sp[i]¦gp¦&gp[i / 2]›; z->x = $V; ‹¦z->y = z->x;¦s += z->y;¦z[1].x = 1;› }}",
    f"{FULL} {INNER} rows[i][j] = ‹$V¦rows[i][j + 1]¦rows[j][i]¦q[j]¦rows[i + 1][j]›;",
    f"{FULL} {{ int *z = rows[‹i¦0¦i / 2›]; {INNER} z[j] = ‹$V¦z[j + 1]¦q[j]›; }}",
    f"{FULL} {INNER} rows[‹i¦i¦i + 1¦j¦q[i]›][‹j¦j¦i›] = ‹$V¦cols[i][j]¦cols[j][i]¦rows[i][‹j¦0›] + cols[j][‹i¦1›]¦rows[0][j]›;",
    f"{ANY} {{ int *z = rows[‹i¦i + 1¦2›], *y = ‹cols¦cols¦rows›[‹i¦0¦i + 1›]; {INNER} z[j] ‹=¦=¦+=› ‹y[j]¦y[j + 1]¦y[0]¦p[j]›; }}",
    f"{FULL} {INNER} ‹s += rows[i][j] * cols[j][i]¦p[i] += rows[j][i]¦rows[j][0] += cols[i][j]¦rows[i][0] += cols[i][j]¦lines[i][j] = r[i]›;",
    f"{FULL} for (j = 0; j < ‹i¦m - i¦m›; j++) {{ t = rows[i][j]; rows[i][j] = ‹rows¦cols›[j][i]; ‹rows¦cols›[j][i] = t; }}",
    f"{FULL} {INNER} lines[i][j] = ‹lines[i][j + 1]¦lines[i - 1][j]¦e[i]¦r[j]¦gd[j]¦q[i]¦lines[0][0]›;",
    f"{FULL} {{ if ($C) ‹rows[i] = cols[i]¦rows[i]++¦cols = rows¦w = rows[i]›; {INNER} rows[i][j] = ‹cols[i][j]¦$V¦w[j]›; }}",
    f"w = rows[‹0¦1¦m›]; {FULL} {INNER} ‹rows[i][j] = w[j]¦rows[i + 1][j] = w[j]¦w[j] = rows[i][j]¦cols[i][j] = w[j] + rows[i][j]›;",
    f"{ANY} {{ gp[i].v[‹i¦2¦m›] = $V; ‹gp[i].x¦p[i]› = gp[‹i¦i + 1¦0›].v[‹2¦i¦0›]; }}",
    f"{ANY} {{ struct S z; z.x = ‹q[i]¦$V›; ‹z.y = 1¦if ($C) z.y = 2¦z.y = z.x›; p[i] = z.x + z.‹y¦x›; }}",
    f"{ANY} {{ gs.x = ‹i¦q[i]›; p[i] = gs.‹x¦y›; ‹¦gs.y = gs.x;› }}",
    f"{ANY} gp[i] = ‹gp[i + 1]¦gs¦sp[i]¦gp[i]›;",
    f"{ANY} {{ int (*z)[16] = ‹gm¦A¦gm + 1›; z[i][‹2¦i¦m›] = ‹$V¦z[i + 1][2]¦gm[i][2]›; }}",
    f"{FULL} {{ w = ‹p + i¦&p[i]¦i > 2 ? p : q¦p¦gm[i]¦&ga[i]›; ‹*w¦w[0]¦w[1]¦w[i]› = $V; }}",
    f"{FULL} {{ if ($C) w = q; w[i] = ‹$V¦p[i]¦q[i]›; }}",
)

ENDS = (
    "for (i = ‹5¦0¦m›; i != ‹3¦m› && i < n; i++) p[i] = ‹$V¦p[i + 1]¦p[i - 1]›;",
    "k = 0; for (i = ‹5¦0¦m›; i != 3 && k < ‹n¦6›; i++) { p[i] = ‹$V¦p[i - 1]›; k++; }",
    f"{FULL} {{ for (j = ‹5¦4¦0›; j != ‹3¦6›; j++) {{ if (j >= ‹9¦m + 7›) ‹break¦goto on›; p[j] = ‹i¦p[j + 1] + i¦$V›; }} on: ; }}",
    f"{FULL} for (uc = ‹100¦250¦0›; uc < ‹300¦256¦n›; uc++) {{ if (uc == ‹5¦103¦255›) break; ga[‹i¦uc & 7¦i * 3 + (uc & 3)›] = i + uc; }}",
    "k = 0; for (far = ‹4294967290u¦4294967289u¦0›; far < ‹4294967295u¦un¦7› && k < ‹10¦n›; far += ‹3¦2¦1¦5›) { ga[‹far & 7¦k¦far % 5›] ‹=¦+=› ‹k¦far & 3›; k++; }",
    "uc = ‹250¦0›; k = 0; while (‹uc < 256 && k < 40¦k < n && uc <= 255¦uc < 253 && k < 20›) { ga[uc & ‹63¦15›] = k; uc++; k++; }",
    "uc = ‹250¦0¦200›; for (i = 0; i < ‹n¦20¦m›‹¦ && uc < 256¦ && uc < 255›; i++, ‹uc++¦uc--›) ga[uc & ‹63¦15›] = $V;",
    f"{FULL} {{ k = 0; do {{ if ($C) continue; la[0] = ‹i¦-1 - i¦$V›; }} while (k++ < 3 && la[0] > ‹2¦i - 3›); p[i] = ‹k¦la[0]›; }}",
    f"{FULL} {{ k = 0; do {{ if ($C) ‹continue¦break›; t = i; }} while (k++ < 3 && t > 2); p[i] = k; }}",
    f"x = m > 0 ? m : ‹1¦2›; {FULL} for (j = 0; j < 8; j += x) {{ la[j] = i; if (j > 0) p[i * 8 + j] = la[‹j - 1¦j¦0›]; }}",
    f"{FULL} for (j = 0; j < 4; j++) for (k = 0; k < 8; k++) {{ if (‹j == 3¦j›) s += la[k]; la[k] = i; if ($C) break; }}",
    f"{FULL} {{ la[0] = q[i]; la[1] = 2; p[i] = la[0] + la[1]; }} for (j = ‹la[0]¦0›; j < ‹n¦la[0]¦9›; j++) {{ ‹la[0] = 1; ¦›la[1] = j; s += la[1]; }}",
    f"{FULL} if (q[‹i¦i + 1›] > q[uc]) uc = ‹i¦i¦i + 250¦i & 7›; p[0] = uc;",
    f"{FULL} {{ int y[8]; for (j = 0; j < 8; j++) y[j] = q[i + j]; if (y[i & 7] > y[k]) k = i & 7; }} p[0] = k;",
    f"{FULL} p[i + kc] = ‹p[i]¦p[i + 3]¦$V›;",
    f"{FULL} if (i ‹>¦<› ku) p[‹0¦i›] = i; else p[i] = ku & 7;",
    f"{FULL} s = s ‹&&¦||› ‹twice(q[i])¦tally(i)¦60 / (q[i] + 1) > 4¦q[q[i] & 7]›;",
    f"{FULL} if (q[i] > s ‹&& tally(i)¦&& p[i] > 2¦&& 60 / (q[i] + 1) > 4›) s = q[i];",
    f"{FULL} p[i + (~‹i¦un¦gc[i]› & 3)] = ‹i¦$V›;",
)

# Sizes that a pointer might reach: `p` is `q` plus something in some of the calls.
SIZES = "‹q[0]¦q[1]¦gn¦gk¦q[m]¦vp->len¦gb[3]¦sp->x›"
KEPT = (
    f"for (i = 0; i < ‹n¦{SIZES}›; i++) ‹p¦ga¦w›[i ‹+¦*› {SIZES}] = ‹$V¦q[i]¦{SIZES}›;",
    f"for (i = 0; i < ‹n¦{SIZES}›; i++) for (j = 0; j < ‹m¦{SIZES}›; j++) p[i * ‹m¦{SIZES}› + j] = ‹$V¦{SIZES}›;",
    f"{FULL} {{ p[i] = $V; ga[i * {SIZES}] = i; ‹gb[i + {SIZES}] = 1¦s += {SIZES}¦x = {SIZES}; gb[i] = x›; }}",
    f"{FULL} {{ if ($C) p[i] = $V; ‹¦if ($C) put(p + i, i);› ga[i * {SIZES} ‹+¦-¦/› {SIZES}] = i; }}",
    f"{FULL} {{ for (j = 0; j < {SIZES}; j++) p[i + j * 8] = j; ga[i ‹+¦*¦%› {SIZES}] = ‹{SIZES}¦i¦j›; }}",
    f"{FULL} {{ ‹gk¦gn¦q[0]› = ‹3¦2¦i›; p[i] = $V; ga[‹gk¦gn¦q[0]› * i] = i; }}",
    f"{FULL} {{ for (j = 0; j < ‹m¦{SIZES}›; j++) {{ p[i * {SIZES} + j] = j; ga[i * {SIZES} + j] = i; }} }}",
)
LENGTH = "‹ip->n¦ip->m¦q[0]¦gn¦vp->len¦m›"
BYTES = (
    f"for (i = 0; i < ‹n¦{LENGTH}›; i++) ‹bytes¦ip->bytes›[i * ‹1¦{LENGTH}›] = ‹$V¦i¦bytes[i]¦ip->bytes[i]›;",
    f"for (i = 0; i < ‹n¦{LENGTH}›; i++) for (j = 0; j < ‹m¦{LENGTH}›; j++) ‹bytes¦ip->bytes›[i * ‹8¦{LENGTH}› + j] = ‹i¦j¦7¦bytes[j]›;",
    f"{FULL} {{ unsigned char *z = ‹bytes¦ip->bytes› + i * ‹m¦{LENGTH}›; for (j = 0; j < ‹m¦{LENGTH}›; j++) z[j] = ‹j¦z[j] + 1›; }}",
    f"{FULL} {{ bytes[i] = i; ‹p[i] = i¦ga[i] = {LENGTH}¦s += {LENGTH}¦vp->a[i] = i¦ip->bytes[i] = 1¦rows[i][0] = 2¦*p = 3›; }}",
    f"{FULL} {{ if ($C) ‹bytes[i] = 1¦bytes++¦ip->n = 3¦bytes = ip->bytes›; ‹ga[i * {LENGTH}] = i¦bytes[i + 1] = 2›; }}",
)

# `room` overlaps no other object: what is of another type elsewhere is apart from it by C's rule.
PITCH = f"‹4 * m¦4 * m¦8¦16¦2 * m¦m¦{LENGTH}›"
KIND = "‹int¦int¦short¦unsigned char¦float›"
VIEWS = (
    f"for (i = 0; i < ‹n¦3›; i++) for (j = 0; j < ‹m¦m¦4¦n›; j++) (({KIND} *)(room + i * {PITCH}))[j] = ‹i¦j¦(({KIND} *)(room + i * {PITCH}))[j] + 1¦(({KIND} *)(room + (i + 1) * {PITCH}))[j]¦q[j]›;",
    f"{FULL} {{ {KIND} *z = ({KIND} *)(void *)(room + ‹i * {PITCH}¦i * {PITCH} + 4¦(i + 1) * {PITCH}›); for (j = 0; j < ‹m¦4¦2›; j++) z[j] ‹=¦+=› ‹j¦q[j]¦z[j + m]¦room[j]›; }}",
    f"{FULL} *({KIND} *)(room + ‹4¦2¦1¦8¦m¦-4› * i) = ‹i¦*({KIND} *)(room + ‹4¦2¦8› * i ‹+¦-› ‹2¦4¦0›)¦room[i]¦((int *)room)[i + m]›;",
    f"{FULL} ((‹short¦unsigned char¦float› *)‹gd¦e¦gu›)[‹i¦2 * i¦2 * i + 1¦i + m¦4 * i›] = ‹i¦gd[i]¦e[i]¦gu[i]¦((short *)gd)[2 * i]›;",
)

WIDE = "‹m¦m¦4¦lp->len¦n¦n - 1›"
LANES = (
    f"{FULL} for (j = 0; j < {WIDE.replace('lp->len', '7')}; j++) pages[‹i¦i¦j¦i + 1¦5 - i›][‹j¦j¦i›] ‹=¦+=› ‹i¦j¦pages[i][j]¦pages[‹i¦j¦0›][j + 1]¦bytes[j]›;",
    f"{FULL} {{ unsigned char *z = pages[‹i¦i¦i / 2¦2›]; for (j = 0; j < ‹m¦4¦n›; j++) ‹z¦z¦bytes¦ip->bytes›[j + ‹0¦0¦m * i›] = ‹j¦pages[‹i¦0›][j]¦z[j + 1]¦i›; ‹¦¦pages[i] = z;¦pages[i]++;› }}",
    f"{FULL} for (j = ‹0¦0¦1›; j < {WIDE}; j++) lp->‹back¦lane›[‹j¦j¦j + 1¦i¦2›][‹i¦i¦j¦i + 1›] ‹=¦=¦+=› ‹lp->lane[j][i]¦lp->lane[‹7 - j¦j + 1¦2›][‹i¦i + 1¦j›]¦lp[‹i¦1›].lane[0][j]¦i¦p[i]›;",
    f"{FULL} {{ int *z = lp->‹lane[i]¦lane[2]¦back[i]¦back[i / 2]›; for (j = 0; j < {WIDE}; j++) z[j] ‹=¦+=› ‹j¦q[j]¦lp->back[‹i¦j¦0›][j]¦lp->len›; ‹¦¦lp->len = i;¦lp->lane[0] = z;¦lp[i].len++;› }}",
    f"for (i = 0; i < ‹4¦m›; i++) for (j = 0; j < {WIDE}; j++) lp->plane[‹i¦i¦7 - i¦0›][j] ‹=¦+=› ‹i¦lp->plane[‹i¦0¦3›][j]¦lp->lane[i][j]¦lp->len›;",
    f"{FULL} {{ s = 0; for (j = 0; j < {WIDE}; j++) s += lp->lane[j][i]; ‹p¦lp->back[0]¦lp->lane[5]¦gu›[i] = s; }}",
    f"{FULL} for (j = 0; j < {WIDE}; j++) lp[‹i¦i¦i + 1¦0›].back[j][‹i¦j›] = ‹lp[i].lane[j][i]¦lp[0].lane[j][i]¦lp[i].back[j][i + 1]¦i›;",
)

TRUTH = "‹!m¦!m¦m == 0¦i < m¦!i¦(i & 1) == 0¦i % 2 != m % 2¦m && n¦i > 2 || !m¦j >= i¦!(q[i] > 2)¦(n < m) + (m < 3)›"
TRUTHS = (
    f"{FULL} for (j = 0; j < 8; j++) gm[{TRUTH}][j] = ‹gm[‹!!m¦m != 0¦m¦1¦0¦i >= m¦i % 2 == m % 2›][j + ‹0¦1›]¦j¦i›;",
    f"{ANY} p[‹i¦2 * i¦i * m› + ‹1¦8¦n› * ({TRUTH.replace('j >= i', 'i > n')})] ‹=¦+=› ‹i¦p[i + ‹0¦1¦n› * !m]¦q[{TRUTH.replace('j >= i', 'i > n')}]›;",
    f"k = ‹!m¦n > 3¦m›; {FULL} {{ for (j = 0; j < m; j++) gm[k][j + i * ‹0¦m¦3›] = gm[‹!k¦1 - k¦k›][j]; ‹¦k = !k;› }}",
)

SIDE = "(‹‹m¦k¦n› % 2¦(‹m¦k¦n› + 1) % 2¦‹m¦x¦gk› & 1¦(‹m¦x› + 1) & 1¦~x & 1¦‹!m¦!k¦n == 4¦m > 2›¦1 - (m & 1)¦m ^ 1¦(m & 1) ^ 1¦‹m¦x› & 1 ? 0 : 1¦‹m¦m + 2¦m + 1› % 3¦i & 1¦u % 2¦(u + 1) % 2›)"
BUFFERS = (
    f"{FULL} gm[{SIDE}][i] ‹=¦=¦+=› gm[{SIDE}][‹i¦i + 1¦i + 1¦0›] ‹+ 1¦+ i›;",
    f"{FULL} ‹rows¦rows¦pages¦lp->lane›[{SIDE}][i] ‹=¦+=› ‹rows¦rows¦cols¦lp->lane›[{SIDE}][‹i¦i + 1¦0›];",
    f"{FULL} p[{SIDE} * ‹n¦n¦8¦m› + i] ‹=¦+=› p[{SIDE} * ‹n¦8› + i + ‹0¦1¦m›];",
    f"for (i = 0; i < ‹m¦m - 1¦2›; i++) for (j = 0; j < ‹n¦n - 1¦m›; j++) p[‹({SIDE} * m + i) * n + j¦{SIDE} * n * m + i * n + j› ‹¦¦+ 1›] = ‹p[({SIDE} * m + i) * n + j]¦p[{SIDE} * n * m + i * n + j + 1]¦p[{SIDE} * n * m + (i + 1) * n + j]›;",
    f"w = ‹gm[{SIDE}]¦rows[{SIDE}]¦p + {SIDE} * ‹n¦16››; cw = ‹gm[{SIDE}]¦rows[{SIDE}]¦p + {SIDE} * ‹n¦16››; {FULL} w[i] = cw[i + ‹0¦1›] + i;",
    f"for (k = 0; k < ‹4¦m›; k++) {FULL} ‹gm[{SIDE}][i] = gm[{SIDE}][i + ‹0¦1›]¦p[{SIDE} * n + i] = p[{SIDE} * n + ‹i¦i + 1›]¦rows[{SIDE}][i] = rows[{SIDE}][i + 1]›;",
)

SIDES = "‹m¦m¦2¦3¦n›"
TILES = (
    f"for (i = 0; i < ‹9¦n¦m * 3¦gk› / {SIDES}; i++) for (j = 0; j < {SIDES}; j++) p[i * {SIDES} + j] ‹=¦+=› ‹i¦p[i * {SIDES} + j + 1]¦q[j]¦p[(i + 1) * {SIDES} + j]›;",
    f"for (i = 0; i < ‹6¦n¦gk› / {SIDES}; i++) for (k = 0; k < ‹n¦n¦n¦m + 3¦gk› / {SIDES}; k++) for (j = 0; j < {SIDES}; j++) for (c = 0; c < {SIDES}; c++) p[(i * {SIDES} + j) * ‹n¦n¦m + 3¦gk¦8› + k * {SIDES} + c] = ‹c¦q[k]¦p[(i * m + j) * n + k * m + c + 1]¦p[(i * m + j + 1) * n + k * m + c]›;",
    "for (i = 0; i < ‹n¦8¦m›; i += ‹2¦4¦3›) for (j = 0; j < ‹n¦8¦m›; j += ‹2¦4¦3›) for (k = 0; k < ‹2¦4¦3›; k++) for (c = 0; c < ‹2¦4¦3›; c++) p[(i + k) * ‹n¦n¦m¦8¦gk› + j + c] = ‹c¦p[(i + k) * n + j + c + 1]¦q[k * 4 + c]›;",
    "for (i = 0; i < n; i++) for (j = 0; j < ‹n - m + 1¦n - m¦m - n + 4›; j++) p[i * (‹n - m + 1¦n - m¦m - n + 4›) + j] = ‹j¦q[i + j]¦p[i * (n - m + 1) + j + 1]›;",
    "for (i = 0; i < 3; i++) for (j = 0; j < ‹n - m + 1¦n - 2›; j++) for (k = 0; k < ‹m - 1¦n - m + 1¦m›; k++) p[(i * (‹n - m + 1¦n - 2›) + j) * (‹m - 1¦n - m + 1›) + k] = ‹k¦p[(i * (n - 2) + j) * (m - 1) + k + 1]›;",
    "for (i = ‹64¦40¦m¦0›; i < ‹n * 30¦80¦n›; i++) p[i] = p[i - ‹64¦40¦20¦m›] + ‹i¦q[i & 7]›;",
)

VIA = "‹gm¦gm¦A¦rows›"
PIVOTS = (
    "k = ‹0¦1¦m¦n - 1›; for (i = ‹0¦0¦1›; i < n; i++) for (j = 0; j < ‹n¦m›; j++) if (gm[i][k] + gm[k][j] ‹<¦<¦<¦<=¦>› gm[i][j]) gm[‹i¦i¦i¦j¦k›][j‹¦¦¦ + 1›] = ‹gm[i][k] + gm[k][j]¦i¦gm[k][j]›;",
    f"k = ‹0¦1¦m›; for (i = 0; i < ‹n¦m›; i++) {{ t = {VIA}[i][‹k¦k¦0›]; if (t ‹> 4¦== 2›) continue; for (j = 0; j < n; j++) {{ s = t + {VIA}[‹k¦k¦i›][j]; if (‹s < {VIA}[i][j]¦{VIA}[i][j] > s¦$C && s < {VIA}[i][j]›) {{ {VIA}[i][j] = s; ‹gm[i][j] = ‹k¦gm[k][j]›; ¦›}} ‹¦¦else gm[i][j] = 3;› }} }}",
    "for (k = 0; k < ‹m¦2›; k++) for (i = 0; i < ‹m¦n¦3›; i++) for (j = 0; j < n; j++) if (p[i * n + k] + p[k * n + j] ‹<¦<¦>¦<=› p[i * n + j]) ‹p[i * n + j] = p[i * n + k] + p[k * n + j]¦p[i * n + j]--¦{ p[i * n + j] = k; ga[i] = p[k * n + j]; }›;",
    "k = ‹0¦1›; for (i = 0; i < 6; i++) for (j = 0; j < 6; j++) if (gx[i][k] + gx[k][j] ‹<¦>› gx[i][j]) gx[i][j] = gx[i][k] + gx[k][j];",
)

VALUES = (
    f"{ANY} gp[‹i¦i¦i + 1¦0›] = shifted(‹gp[i]¦gp[i]¦gp[i + 1]¦gs¦sp[i]›, ‹q¦&gk¦q + i¦&gp[i].y¦&gp[3].x¦p›);",
    f"{ANY} {{ struct S z = ‹gp[i]¦gs¦sp[i]›; ‹z = shifted(z, q)¦z.x = weigh(z, m)¦z = shifted(z, &z.y)›; ‹gp[i] = z¦p[i] = z.x + z.v[1]¦gp[i] = shifted(z, p + i)›; }}",
    f"{ANY} ‹p[i]¦s¦gp[i].y› ‹=¦+=› weigh(‹gp[i]¦gp[i]¦gp[i + 1]¦gs¦sp[2]›, ‹i¦m¦gp[i].x¦q[i]›);",
)
HANDLES = (
    f"{FULL} for (k = 0; k < ‹m¦4›; k++) vp[‹k¦k¦k¦i¦0›].a[‹i¦i¦k¦i + 1›] ‹=¦=¦+=› ‹k¦vp[k].a[i]¦vp[k].b[i]¦vp[0].a[i]¦q[i]›;",
    f"{FULL} {{ int *z = vp[‹i¦i¦i / 2¦2›].‹a¦b›; for (j = 0; j < ‹m¦4›; j++) z[‹j¦j¦i› ] ‹=¦+=› ‹j¦z[j + 1]¦vp[‹i¦j¦0›].a[‹j¦i›]¦q[j]›; }}",
    "for (k = 0; k < ‹m¦4›; k++) for (i = 0; i < ‹n¦vp->len›; i++) vp[‹k¦k¦i›].a[‹i¦i¦k›] ‹=¦+=› ‹i¦vp[k].b[i]¦k¦vp[k].a[i + 1]›;",
    f"{FULL} {{ s = 0; for (k = 0; k < ‹m¦5›; k++) {{ s += vp[k].a[i]; vp[k].‹b¦a›[i] = ‹s¦k›; }} ‹¦p[i] = s;¦gb[i] = s;› }}",
    "for (k = 0; k < ‹m¦4›; k++) for (i = ‹0¦0¦1›; i < ‹vp[k].len¦vp[k].len¦vp[k].len - 1¦q[k]¦gb[k]›; i++) ‹vp[k].a[i]¦rows[k][i]› ‹=¦+=› ‹i¦vp[k].b[i]¦vp[k].a[i]¦rows[k][i]¦vp[k].a[i + 1]¦vp[k].len›;",
    "for (k = 0; k < ‹m¦4›; k++) { struct W *z = &vp[k]; for (i = ‹z->len - 1¦q[k]¦z->len›; i >= 0; i--) ‹z->a[i] = ‹i¦z->b[i]›¦s += z->a[i]¦z->a[z->len - 1 - i] = z->b[i]¦rows[k][i] = z->b[i]›; }",
)

TRI = "‹i * (i + 1) / 2¦i * (i + 1) / 2¦i * (i - 1) / 2¦(i * (i + 1) >> 1)¦i * i¦i * (i + 1) / 3¦i * (i + 2) / 2¦i * n - i * (i - 1) / 2¦i * (2 * n - i - 1) / 2¦(i + m) * (i + m + 1) / 2¦(n - i) * (n - i - 1) / 2¦-i * (i + 1) / 2 + 70¦i * (i + 1) * (i + 2) / 6›"
BELOW = "j = ‹0¦0¦1¦i¦m›; j ‹<¦<=› ‹i¦i¦i¦i + 1¦2 * i¦n - i¦m¦n›; j++"
TRIANGLES = (
    f"for (i = ‹0¦0¦1¦-4›; i < ‹n¦7›; i++) for ({BELOW}) p[{TRI} + ‹j¦j¦j¦j - i¦2 * j¦m›] ‹=¦=¦+=› ‹j¦i¦q[{TRI} + j]¦p[{TRI} + j]›;",
    f"for (i = ‹n - 1¦6¦n›; i ‹>=¦>› 0; i--) for ({BELOW}) p[{TRI} + ‹j¦j¦j¦j - i›] ‹=¦+=› ‹j¦q[{TRI}]¦p[{TRI} + j]›;",
    f"for (i = ‹0¦1›; i < ‹n¦7›; i‹++¦++¦ += 2›) {{ w = p + ({TRI}); for ({BELOW}) w[j] ‹=¦+=› ‹j¦q[j]¦w[j + 1]¦w[j - i]›; }}",
    f"for (i = 0; i < ‹n¦7›; i++) for ({BELOW}) p[‹i >= j¦i > j¦j < m› ? {TRI} + j : j * (j + 1) / 2 + i] ‹=¦+=› ‹j¦i›;",
    "for (u = ‹0¦1›; u < ‹n¦un¦7u›; u++) for (v = 0; v ‹<¦<=› u; v++) p[u * (u ‹+¦-› 1) / 2 + v] = ‹v¦q[v]¦p[u * (u + 1) / 2 + v + 1]›;",
    "for (unsigned long a = ‹0¦1›; a < n; a++) for (unsigned long b = 0; b ‹<¦<=› a; b++) p[a * (a ‹+¦-› 1) / 2 + b] = ‹b¦q[b]¦p[a * (a + 1) / 2 + b + 1]›;",
    f"for (i = 0; i < ‹m¦4›; i++) for (j = 0; j <= i; j++) for (k = 0; k ‹<=¦<› ‹j¦i›; k++) p[{TRI} + ‹j * (j + 1) / 2¦j * j¦j› + k] = ‹k¦q[k]›;",
    f"for (i = 0; i < ‹n¦7›; i++) {{ if (‹i < 2¦$C¦i == m›) continue; for ({BELOW}) if (‹j != 1¦$C¦1›) p[{TRI} + j] ‹=¦+=› ‹j¦p[{TRI} + j]›; }}",
)

ASKED = (
    "‹signs(q[i], &t)¦ask(‹q[i]¦i¦q[j]›, &t)¦ask(q[i], &t)¦told(q[i], &t)¦late(q[i], &t, &s)¦late(i, &s, &t)›"
)
SAID = f"‹{ASKED}¦{ASKED}¦!{ASKED}¦{ASKED} ‹> 0¦== 1¦!= 0¦< 0¦>= 0¦== -1¦<= 1¦>= 0u¦< 1u¦> 1u› ¦{ASKED} && q[i] > 1¦q[i] > 2 || {ASKED}¦!({ASKED} && {ASKED})¦{ASKED} || {ASKED}›"
OUTCOMES = (
    f"{ANY} {{ ‹if ({SAID}) p[i] = t; else p[i] = ‹2¦t››; ‹¦¦t = 3;¦s = 2;› }}",
    f"{ANY} {{ if ({SAID}) ‹continue¦continue¦break›; p[i] = ‹t¦t + s¦s›; }}",
    f"{ANY} {{ int r = {ASKED}; ‹if (‹r¦!r¦r > 0¦r < 0¦r == 2¦0 == r›) continue;¦if (r) s++; else t = 2;¦c = r;¦› p[i] = ‹t¦s¦r›; }}",
    f"{FULL} {{ s = 0; for (j = 0; j < ‹m¦4›; j++) {{ if ({SAID}) ‹break¦continue¦s++›; s += t; }} p[i] = s; }}",
    f"{FULL} {{ {ASKED}; p[i] = ‹t¦s›; }}",
    f"{FULL} {{ k = 0; while (‹k < 4 && {ASKED}¦{ASKED} > k›) {{ p[i] += t; k++; }} ‹¦t = 1;› }}",
)
WVALUE = "‹part(&vp[‹i¦0›], ‹i * m¦i¦0¦m›)¦part(vp, i * m)¦halves(‹p¦q¦p + i * m›, ‹m¦4›)¦(struct W){ .a = p + i * m, .len = m }¦(struct W){ p + i * ‹m¦4›, q }¦vp[i]¦{ .a = p + ‹i * m¦i›, .b = q, .len = ‹m¦3› }›"
WHOLES = (
    f"{FULL} {{ struct W z = {WVALUE}; ‹¦¦z.len = 3;¦if ($C) z = vp[0];› for (j = 0; j < ‹m¦z.len¦4›; j++) z.‹a¦a¦b›[‹j¦j¦i› ] ‹=¦+=› ‹j¦z.a[j + 1]¦z.len¦q[j]›; }}",
    f"for (i = 0; i < ‹m¦4›; i++) {{ struct W y = {WVALUE}, z = y; ‹¦memset(&y, 0, sizeof y);¦y = {WVALUE.replace('¦{ .a = p + ‹i * m¦i›, .b = q, .len = ‹m¦3› }', '')};› for (k = 0; k < 3; k++) for (j = 0; j < ‹z.len¦y.len¦m›; j++) z.a[k * ‹n¦m¦8› + j] = ‹j¦k¦y.len›; }}",
)
PADDED = "struct ‹{ int d[2]; int len, *a; } z = { ‹0, 8, ¦{ 0, 8 }, 8, ›‹m¦3›¦{ char d[4]; int len; int *a; } z = { ‹'a'¦\"ab\"¦{ 1 }›, ‹8¦m›¦{ unsigned k : 3; int : 5; int len; int *a; } z = { 1, ‹8¦m›¦{ union { struct { int x, y; } s; long w; } d; int len; int *a; } z = { ‹0, 8¦{ { 0, 8 } }, 8›› };"
MORE_WHOLES = (
    f"{FULL} {{ {PADDED} for (j = 0; j < ‹8¦m¦4›; j++) p[i * z.len + j] ‹=¦+=› ‹j¦i¦z.len›; }}",
    f"{FULL} {{ struct W y = vp[i], x2 = vp[0], z = ‹q[i] > 2 ? y : x2¦i < m ? y : x2¦y›; for (j = 0; j < ‹m¦4›; j++) z.a[j] ‹=¦+=› ‹j¦z.b[j]¦z.len›; }}",
)
OFFSETS = "‹kt[{0}]¦kt[{0}]¦gb[{0}]¦q[{0}]¦gc[{0}]¦sp[{0}].x¦2 * {0}›"
NUMBERS = "‹kq¦kq¦kq¦ku2¦ku2¦kx¦kt¦q¦gb›"
INDIRECT = (  # cells that data chooses: numbers that are distinct, and some that are not
    f"{ANY} ‹p¦ga¦gd¦gc›[{NUMBERS}[i]‹¦¦¦ + 1¦ + i¦ * 2›] = ‹$V¦q[i]¦p[i]¦p[kq[i]]›;",
    f"{ANY} {{ k = {NUMBERS}[i]; ‹p¦ga›[k] = ‹ga[k] * 3 + i¦p[k] - q[i]¦p[k + 1]¦q[k]›; }}",
    f"{FULL} {{ k = 3 * {NUMBERS}[i]; ga[k] = i; ga[k + ‹1¦2¦3›] = ‹ga[k + 2]¦q[i]¦ga[k + 1]›; }}",
    f"{FULL} for (j = 0; j < ‹4¦3¦5¦m›; j++) ga[{NUMBERS}[i] * ‹4¦5¦m¦3› + j] = ‹j¦q[j]¦ga[kq[i] * 4 + j] + i›;",
    f"{FULL} for (j = 0; j < ‹m¦4›; j++) ‹A¦gm›[{NUMBERS}[i]][j] = ‹j¦i¦q[j]¦A[kq[i]][j] * 2 + i›;",
    f"{FULL} for (k = 0; k < ‹kl[i]¦kl[i]¦kx[i]¦m¦kl[i + 1]›; k++) ‹ga¦p¦gc›[‹kt[i]¦kt[i]¦kq[i]¦2 * i› + k] = ‹k¦i¦q[k]¦ga[kt[i] + k] + i›;",
    f"{FULL} if (‹kl[i] > 0¦$C¦m > 2¦i > 0›) p[{NUMBERS}[i]] = ‹i¦$V¦p[kq[i]] + 1›;",
    f"for (j = 0; j < 3; j++) for (i = kt[j]; i < kt[j + 1]; i++) ga[{NUMBERS}[i]] = ‹j¦i¦ga[kq[i]] * 2 + i›;",
    f"{FULL} for (k = 0; k < 3; k++) {{ ‹¦if ($C)¦if (m > 2)› gm[k][{NUMBERS}[i]] = i; ‹¦if ($C)¦if (i > 1)› ‹gm[‹3¦k¦m›][{NUMBERS}[i]] = k¦A[k][i] = gm[k][kq[i]]¦gm[{NUMBERS}[i]][k] = 2›; }}",
    f"{FULL} {{ ‹s = p[{NUMBERS}[i]‹¦ + kl[i]¦ - 1›]; ¦›‹¦if ($C)¦if (kl[i] > 1)› for (k = 0; k < ‹kl[i]¦kl[i]¦m›; k++) p[{NUMBERS}[i] + k] = ‹k¦i¦s¦p[kt[i] + k]›; ‹¦q[i] = p[{NUMBERS}[i]];› }}",
    f"{ANY} ‹p[i] = q[{NUMBERS}[i]]¦p[kt[i]] = q[kq[i]]¦s += q[{NUMBERS}[i]]¦p[i] = p[kq[i] + 40]›;",
    f"{FULL} for (k = kt[i]; k < kt[i + 1]; k++) ‹ga¦p›[k] = ‹q[i]¦p[k + 40]¦ga[k] + q[i]¦q[kq[i]]›;",
)
SEGMENTS = (
    f"{FULL} for (k = {OFFSETS.format('i')}; k ‹<¦<¦<=› ‹{OFFSETS.format('‹i + 1¦i + 1¦i + 2¦i›')}¦sp[i].y¦gb[i + 1] + m›; k++) ‹p¦p¦w¦ga›[k] ‹=¦+=› ‹k¦i¦q[k]¦p[k - 1]¦p[k] + 1›;",
    f"for (i = 0; i < ‹4¦m¦n›; i++) {{ ‹¦¦if ($C) continue;¦gb[i + 1]++;› w = p + {OFFSETS.format('i')}; for (j = 0; j < {OFFSETS.format('i + 1')} - {OFFSETS.format('i')}; j++) w[j] = ‹j¦i¦w[j] + 1¦w[j + 1]›; }}",
    "for (i = ‹n¦4› - 1; i >= 0; i--) for (k = gb[i]; k < gb[‹i + 1¦i + 1¦i›]; k++) p[k] ‹=¦+=› ‹i¦k¦p[k + 1]›;",
)

OPTION = "‹0¦0¦&t¦&t¦&s¦&p[i]¦&p[i + 1]¦&ga[i]¦w¦(int *)0›"
OPTIONAL = (
    f"{ANY} {{ p[i] = ‹maybe¦unless¦ours¦handed›(q[i], {OPTION}); ‹¦p[i] += t;¦t = 2;¦s += t;› }}",
    f"{ANY} {{ ‹if ($C) ¦›s ‹+=¦=› either(q[i], {OPTION}, {OPTION}); p[i] = ‹t¦s¦i›; }}",
    f"{FULL} {{ int y, *z = ‹0¦&y¦&t¦p›; ‹¦if ($C) z = &y;› if (‹z¦!z¦z != 0¦z == 0¦z && $C›) ‹*z = i¦p[i] = i¦continue›; p[i] = ‹y¦t¦i›; }}",
    f"{FULL} {{ for (j = 0; j < ‹4¦m›; j++) p[i] += ‹maybe¦unless¦ours›(j, {OPTION}); ‹gb[i] = t¦p[i] += t¦t = i›; }}",
)
LOW, HIGH = "4 * i", "4 * i + ‹3¦3¦3¦4›"
CLAMP = f"‹limit(‹q[j]¦q[j] - 2¦j * m›, {LOW}, {HIGH})¦within(‹q[j]¦q[i] + j›, {LOW}, {HIGH})¦wrapped(q[j], 4) + {LOW}¦{LOW} + (int)least(q[j], ‹3¦3¦4›)›"
CUT = (
    f"if (k ‹<¦<=¦>› {LOW}) k = ‹{LOW}¦{LOW}¦4 * i - 1›; ‹¦else ›if (‹k¦k¦q[j]› ‹>¦>=¦<› {HIGH}) k = {HIGH};"
)
LIMITED = (
    f"for (i = 0; i < ‹4¦n›; i++) for (j = 0; j < ‹m¦4›; j++) {{ k = ‹q[j]¦q[j]¦q[i] + j¦j - 2›; {CUT} p[k] ‹=¦+=› ‹i¦j¦p[k]¦q[k]›; }}",
    f"for (i = 0; i < ‹4¦n›; i++) for (j = 0; j < m; j++) {{ k = {CLAMP}; ‹¦k++;¦k = k - 1;› p[k] ‹=¦+=› ‹i¦j¦p[k] + 1›; }}",
    f"for (i = 0; i < 4; i++) for (j = 0; j < m; j++) {{ int e = {CLAMP}; for (k = {CLAMP}; k ‹<=¦<=¦<› e; k++) p[k] ‹=¦+=› ‹i¦j¦q[k]›; }}",
    "for (i = 0; i < ‹4¦m›; i++) { c = 4 * i + ‹4¦4¦5›; if (c ‹>¦>=¦<› ‹n¦m¦24›) c = ‹n¦m¦24›; for (k = 4 * i; k < c; k++) p[k] ‹=¦+=› ‹i¦k¦p[k]›; }",
    "for (i = 0; i < ‹4¦m›; i++) { u = ‹n¦m¦24› - 4 * i; if (u > ‹4¦4¦5›) u = ‹4¦4¦5›; w = p + 4 * i; while (‹u--¦u-- > 1›) *w++ ‹=¦+=› ‹i¦u¦3›; }",
)
SELECTED = (
    "for (i = 0; i < ‹4¦m›; i++) { k = ‹4 * i¦4 * i + 1¦i›; for (j = ‹1¦0›; j ‹<¦<¦<=› 4; j++) if (‹p[4 * i + j] > p[k]¦q[j] > 1›) k = ‹4 * i + j¦4 * i + j - 1¦j›; p[k] ‹=¦+=› ‹i¦p[k]¦3›; }",
    "for (i = 0; i < ‹4¦m›; i++) { w = p + 4 * i; k = 0; for (j = ‹3¦4›; j >= 0; j--) { if (w[j] > w[k]) k = ‹j¦j¦j + 1¦3 - j›; ‹¦k++;› } w[k] ‹=¦+=› ‹i¦k¦w[0]›; }",
    "for (i = 0; i < 2; i++) { w = p + 2 * m * i; k = 0; for (j = 0; j < ‹2¦2¦3›; j++) for (c = 0; c < m; c++) if (w[j * m + c] ‹>¦<› w[k]) k = j * m + c; w[k] ‹=¦+=› ‹i¦k¦1›; }",
    "for (i = 0; i < m; i++) { k = i; for (j = i + 1; j < ‹m¦4¦n›; j++) if (p[j] ‹>¦<› p[k]) ‹k = j;¦{ k = j; break; }¦{ if (q[j]) k = j; else k = i; }› q[i] ‹=¦+=› ‹k¦p[k]›; }",
)
PACKED = (
    "for (i = 0; i < ‹4¦m›; i++) { w = p + 4 * i; k = ‹0¦1›; for (j = ‹0¦1›; j ‹<¦<¦<=› 4; j++) ‹if (q[j] > i) w[k++] = j;¦if (q[j] > 1) { w[k] = i; k += ‹1¦1¦2›; }¦{ if (q[j] & 1) continue; w[k++] = i; }¦if (q[j]) w[k++] = 1; else if (j == 2) k = ‹k¦j¦0›;› ‹¦w[k] = 0;¦if (k) w[k - 1] = ‹k¦i›;¦for (c = 0; c < k; c++) w[c] += i;› }",
    "for (i = 0; i < m; i++) { k = i * ‹8¦4›; for (j = 0; j < ‹8¦n›; j++) if (q[j] > ‹1¦i›) p[k++] = ‹j¦i¦q[j]›; q[i + 40] = k ‹¦- i * 8›; }",
)
GRIDS = (
    "{ int (*v)[8] = g3[‹gk & 1¦!gk¦1¦m & 1›], (*u)[8] = g3[‹0¦gk & 1¦!gk¦1›]; for (i = 0; i < ‹n¦m¦5›; i++) for (j = 0; j < ‹n¦m¦8›; j++) v[i ‹¦+ 1›][j] ‹=¦+=› ‹u[i][j]¦u[i + 1][j] + 1¦u[i ? i - 1 : 0][j]¦v[0][j] + i¦i›; }",
    "{ int (*v)[8] = g3[‹k & 1¦1›]; for (i = 0; i < ‹n¦12›; i++) ‹v[i][‹0¦3¦m›] = i;¦v[i / 2][i & 1] = i;¦{ w = v[i]; w[‹0¦m¦8›] = i; }› }",
)
PLACED = (
    f"{FULL} {{ sp[i].x = ‹0¦i¦sp[i].x›; for (j = 0; j < ‹m¦4›; j++) place(&sp[‹i¦i¦i / 2¦0›], ‹q[j]¦i + j›); }}",
    f"{FULL} {{ k = ‹q[i] & 3¦i & 3¦2›; memmove(sp[‹i¦i¦0›].v + k ‹+ 1¦›, sp[i].v + k, ‹(7 - k) * sizeof(int)¦k * 4¦m * sizeof(int)›); }}",
    f"{FULL} {{ memset(p + i * m * ‹2¦k¦1›, 0, sizeof(int) * m * ‹2¦k¦1¦3›); ‹¦p[i * m] = i;¦p[i * m + m] = i;› }}",
)

SHAPES = (
    *(
        INDUCTION,
        WHILE,
        CALLS,
        PRIVATE,
        FLATTENED,
        EXTREMES,
        SCALARS,
        REDUCTIONS,
        REDUCTIONS,
        ARRAYS,
        ARRAYS,
        ARRAYS,
    ),
    *(STRUCTURES, SCALARS, ENDS, KEPT, BYTES, WRAPPED, WRAPPED),
    *(
        STRIDED,
        STRIDED,
        PIXELS,
        LED,
        COLOURS,
        UNSIGNED,
        TABLES,
        VIEWS,
        VIEWS,
        TRUTHS,
        LANES,
        LANES,
        BUFFERS,
        BUFFERS,
        TILES,
        TRIANGLES,
        OUTCOMES,
        WHOLES,
        MORE_WHOLES,
        SEGMENTS,
        *(INDIRECT, INDIRECT),
        OPTIONAL,
        LIMITED,
        LIMITED,
        PLACED,
        SELECTED,
        *(PACKED, GRIDS),
        PIVOTS,
        HANDLES,
        VALUES,
    ),
)


def expanded(source: random.Random, text: str) -> str:
    """The text with every choice made."""
    while True:
        match = _CHOICE.search(text)
        if match is None:
            return text
        text = text[: match.start()] + source.choice(match[1].split("¦")) + text[match.end() :]


def shape(source: random.Random) -> str:
    """A nest in which `$V`, `$C`, `$S` and `$T` are left to fill."""
    return expanded(source, source.choice(source.choice(SHAPES)))
