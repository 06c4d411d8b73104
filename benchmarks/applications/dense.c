// dense.c - small dense linear algebra kit (LU, Cholesky, QR on matrix views)
// plus the batch driver we use to qualify new builds.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status { LA_OK = 0, LA_SINGULAR = -1, LA_NOT_SPD = -2, LA_NOMEM = -3, LA_SHAPE = -4 };

struct matrix {
	size_t rows, cols, ld;	// ld: distance between rows
	double *data;
	int owner;
};

#define M(A, i, j)	((A)->data[(size_t)(i) * (A)->ld + (j)])
#define TRY(expr)	do { if ((rc = (expr)) != LA_OK) goto fail; } while (0)

static enum status matrix_new(struct matrix *A, size_t rows, size_t cols)
{
	*A = (struct matrix){ rows, cols, cols, calloc(rows * cols, sizeof(double)), 1 };
	return A->data ? LA_OK : LA_NOMEM;
}

static void matrix_drop(struct matrix *A)
{
	if (A->owner)
		free(A->data);
	memset(A, 0, sizeof *A);
}

static struct matrix view(const struct matrix *A, size_t r0, size_t c0, size_t nr, size_t nc)
{
	return (struct matrix){ nr, nc, A->ld, A->data + r0 * A->ld + c0, 0 };
}

// C -= A * B
static enum status gemm_sub(const struct matrix *A, const struct matrix *B, struct matrix *C)
{
	if (A->cols != B->rows || A->rows != C->rows || B->cols != C->cols)
		return LA_SHAPE;
	/* OMP: parallel for schedule(static) if (C->rows * C->cols > 4096) */
	for (size_t i = 0; i < C->rows; i++)
	{
		double *restrict c = &M(C, i, 0);
		for (size_t k = 0; k < A->cols; k++)
		{
			const double a = M(A, i, k), *restrict b = &M(B, k, 0);
			for (size_t j = 0; j < C->cols; j++)
				c[j] -= a * b[j];
		}
	}
	return LA_OK;
}

static void swap_rows(struct matrix *A, size_t p, size_t q)
{
	double *x = &M(A, p, 0), *y = &M(A, q, 0), *end = x + A->cols;
	if (p == q)
		return;
	for (double t; x != end; *y++ = t)
		t = *x, *x++ = *y;
}

// Unblocked LU of the tall panel at (k0,k0); row exchanges go over all of A.
static enum status lu_panel(struct matrix *A, size_t k0, size_t nb, unsigned *piv)
{
	for (size_t k = k0; k < k0 + nb; k++)
	{
		size_t p = k;
		for (size_t i = k + 1; i < A->rows; i++)
			if (fabs(M(A, i, k)) > fabs(M(A, p, k)))
				p = i;
		piv[k] = (unsigned)p;
		if (fabs(M(A, p, k)) < 1e-300)
			return LA_SINGULAR;
		swap_rows(A, k, p);
		const double inv = 1.0 / M(A, k, k);
		for (size_t i = k + 1; i < A->rows; i++)
		{
			const double f = M(A, i, k) *= inv;
			for (size_t j = k + 1; j < k0 + nb; j++)
				M(A, i, j) -= f * M(A, k, j);
		}
	}
	return LA_OK;
}

static enum status lu_factor(struct matrix *A, unsigned *piv, size_t block)
{
	const size_t n = A->rows;
	enum status rc = LA_OK;
	for (size_t k = 0; k < n; k += block)
	{
		const size_t nb = n - k < block ? n - k : block, rest = n - k - nb;
		TRY(lu_panel(A, k, nb, piv));
		if (rest == 0)
			break;
		struct matrix L11 = view(A, k, k, nb, nb), U12 = view(A, k, k + nb, nb, rest);
		struct matrix L21 = view(A, k + nb, k, rest, nb), A22 = view(A, k + nb, k + nb, rest, rest);
		for (size_t i = 1; i < nb; i++)
			for (size_t p = 0; p < i; p++)
				for (size_t j = 0; j < rest; j++)
					M(&U12, i, j) -= M(&L11, i, p) * M(&U12, p, j);
		TRY(gemm_sub(&L21, &U12, &A22));
	}
fail:
	return rc;
}

static void lu_solve(const struct matrix *LU, const unsigned *piv, double *x)
{
	const ptrdiff_t n = (ptrdiff_t)LU->rows;
	for (ptrdiff_t i = 0; i < n; i++)
	{
		double t = x[piv[i]];
		x[piv[i]] = x[i], x[i] = t;
	}
	for (ptrdiff_t i = 0; i < n; i++)
		for (ptrdiff_t j = 0; j < i; j++)
			x[i] -= M(LU, i, j) * x[j];
	for (ptrdiff_t i = n - 1; i >= 0; i--)
	{
		for (ptrdiff_t j = i + 1; j < n; j++)
			x[i] -= M(LU, i, j) * x[j];
		x[i] /= M(LU, i, i);
	}
}

static enum status chol_factor(struct matrix *A)
{
	for (size_t j = 0; j < A->rows; j++)
		for (size_t i = j; i < A->rows; i++)
		{
			double s = M(A, i, j);
			for (size_t k = 0; k < j; k++)
				s -= M(A, i, k) * M(A, j, k);
			if (i == j && s <= 0)
				return LA_NOT_SPD;
			M(A, i, j) = i == j ? sqrt(s) : s / M(A, j, j);
		}
	return LA_OK;
}

static void chol_solve(const struct matrix *G, double *x)
{
	for (size_t i = 0; i < G->rows; x[i] /= M(G, i, i), i++)
		for (size_t j = 0; j < i; j++)
			x[i] -= M(G, i, j) * x[j];
	for (size_t i = G->rows; i-- > 0; )
	{
		x[i] /= M(G, i, i);
		for (size_t j = 0; j < i; j++)
			x[j] -= M(G, i, j) * x[i];
	}
}

// Householder QR, least squares solution left in b[0..cols-1].
static double qr_least_squares(struct matrix *A, double *b)
{
	const size_t m = A->rows, n = A->cols;
	double resid = 0;
	for (size_t k = 0; k < n; k++)
	{
		double nrm = 0, s;
		for (size_t i = k; i < m; i++)
			nrm += M(A, i, k) * M(A, i, k);
		nrm = sqrt(nrm);
		const double alpha = M(A, k, k) > 0 ? -nrm : nrm, vk = M(A, k, k) - alpha;
		const double beta = -1.0 / (alpha * vk);
		for (size_t j = k + 1; j <= n; j++)	// column n is the right-hand side
		{
			double *col = j < n ? &M(A, 0, j) : b;
			const size_t step = j < n ? A->ld : 1;
			s = vk * col[k * step];
			for (size_t i = k + 1; i < m; i++)
				s += M(A, i, k) * col[i * step];
			col[k * step] -= beta * s * vk;
			for (size_t i = k + 1; i < m; i++)
				col[i * step] -= beta * s * M(A, i, k);
		}
		M(A, k, k) = alpha;
	}
	for (size_t i = n; i < m; i++)
		resid += b[i] * b[i];
	for (size_t i = n; i-- > 0; b[i] /= M(A, i, i))
		for (size_t j = i + 1; j < n; j++)
			b[i] -= M(A, i, j) * b[j];
	return sqrt(resid);
}

static inline double noise(uint32_t *s)
{
	*s = *s * 747796405u + 2891336453u;
	return ((*s >> ((*s >> 28) + 4)) ^ *s) * (2.0 / 4294967296.0) - 1.0;
}

struct job {
	size_t n, extra;
	uint32_t seed;
	enum { JOB_SPD, JOB_LSQ } type;
	struct { enum status rc; double norm, resid; } result;
};

static void run_job(struct job *job)
{
	struct matrix A = { 0 };
	double x[96];
	uint32_t s = job->seed;
	enum status rc;
	TRY(matrix_new(&A, job->n + job->extra, job->n));
	for (size_t i = 0; i < A.rows; i++)
	{
		x[i] = noise(&s);
		for (size_t j = 0; j < A.cols; j++)
			M(&A, i, j) = job->type == JOB_SPD ? exp(-fabs((double)i - (double)j) / 6.0) : noise(&s);
		if (job->type == JOB_SPD)
			M(&A, i, i) += 0.1 + 0.05 * noise(&s);
	}
	if (job->type == JOB_LSQ)
		job->result.resid = qr_least_squares(&A, x);
	else if ((rc = chol_factor(&A)) == LA_OK)
		chol_solve(&A, x);
	for (size_t i = 0; i < job->n; i++)
		job->result.norm += x[i] * x[i];
fail:
	job->result.rc = rc;
	matrix_drop(&A);
}

int main(void)
{
	enum { N = 720, NJOBS = 2400, NRHS = 16 };
	static struct job jobs[NJOBS];
	struct matrix A = { 0 }, B = { 0 }, X = { 0 };
	unsigned *piv = malloc(N * sizeof *piv);
	uint32_t s = 17;
	double worst = 0, sum[2] = { 0, 0 }, resid = 0;
	enum status rc = LA_NOMEM;
	if (!piv)
		goto fail;
	TRY(matrix_new(&A, N, N));
	TRY(matrix_new(&B, N, N));
	TRY(matrix_new(&X, NRHS, N));
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			M(&A, i, j) = M(&B, i, j) = noise(&s);
	TRY(lu_factor(&A, piv, 48));
	/* OMP: parallel for reduction(max:worst) */
	for (int r = 0; r < NRHS; r++)
	{
		for (size_t i = 0; i < N; i++)
			M(&X, r, i) = sin(0.1 * (double)(i * (size_t)(r + 1)));
		lu_solve(&A, piv, &M(&X, r, 0));
		for (size_t i = 0; i < N; i++)
		{
			double e = -sin(0.1 * (double)(i * (size_t)(r + 1)));
			for (size_t j = 0; j < N; j++)
				e += M(&B, i, j) * M(&X, r, j);
			worst = fmax(worst, fabs(e));
		}
	}
	for (unsigned k = 0; k < NJOBS; k++)
		jobs[k] = (struct job){ .n = 24 + k % 37, .type = k % 3 == 0 ? JOB_LSQ : JOB_SPD,
			.extra = k % 3 == 0 ? 30 : 0, .seed = 1000u + k };
	/* OMP: parallel for schedule(dynamic, 8) */
	for (int k = 0; k < NJOBS; k++)
		run_job(&jobs[k]);
	for (int k = 0; k < NJOBS; k++)
	{
		if (jobs[k].result.rc != LA_OK)
			printf("job %d failed: %d\n", k, jobs[k].result.rc);
		sum[jobs[k].type == JOB_LSQ] += jobs[k].result.norm;
		resid += jobs[k].result.resid;
	}
	printf("lu residual %s, |x| %.6g\n", worst < 1e-9 ? "ok" : "BAD", fabs(M(&X, 0, 0)) + fabs(M(&X, 3, 7)));
	printf("spd %.6g lsq %.6g resid %.6g\n", sum[0], sum[1], resid);
fail:
	matrix_drop(&A), matrix_drop(&B), matrix_drop(&X), free(piv);
	return rc != LA_OK;
}
