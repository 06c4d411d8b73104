/* Spheres with mirrors, one ray per pixel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 4
#define BALLS 9

typedef struct { float x, y, z; } Vec;
typedef struct { Vec centre; float radius; Vec colour; float shine; } Ball;
typedef struct { Vec from, to; } Ray;

static Ball scene[BALLS];
static const Vec light = {-0.48f, 0.64f, -0.6f};

static Vec vec(float x, float y, float z) { Vec v = {x, y, z}; return v; }
static Vec plus(Vec a, Vec b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static Vec minus(Vec a, Vec b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static Vec times(Vec a, float s) { return vec(a.x * s, a.y * s, a.z * s); }
static float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec unit(Vec a) { return times(a, 1 / sqrtf(dot(a, a))); }

static float meet(const Ball *ball, Ray ray)
{
  Vec d = minus(ball->centre, ray.from);
  float along = dot(d, ray.to), off = dot(d, d) - along * along, r2 = ball->radius * ball->radius;
  if (along < 0 || off > r2)
    return -1;
  return along - sqrtf(r2 - off);
}

static const Ball *first(Ray ray, float *distance)
{
  const Ball *found = NULL;
  int i;
  *distance = 1e30f;
  for (i = 0; i < BALLS; i++) {
    float t = meet(&scene[i], ray);
    if (t > 1e-3f && t < *distance) {
      *distance = t;
      found = &scene[i];
    }
  }
  return found;
}

static Vec trace(Ray ray, int depth)
{
  float t, lit;
  const Ball *ball = first(ray, &t);
  Vec at, normal, colour;
  Ray on;
  if (!ball)
    return times(vec(0.5f, 0.7f, 1), 0.5f + 0.5f * ray.to.y);
  at = plus(ray.from, times(ray.to, t));
  normal = unit(minus(at, ball->centre));
  lit = dot(normal, light);
  colour = times(ball->colour, 0.1f + (lit > 0 ? lit : 0));
  if (depth == 0 || ball->shine == 0)
    return colour;
  on.from = at;
  on.to = minus(ray.to, times(normal, 2 * dot(normal, ray.to)));
  return plus(times(colour, 1 - ball->shine), times(trace(on, depth - 1), ball->shine));
}

static void render(Vec *pixel, int w, int h, float turn)
{
  int x, y;
  for (y = 0; y < h; y++)
    for (x = 0; x < w; x++) {
      Ray ray;
      ray.from = vec(sinf(turn), 0.11f, -3);
      ray.to = unit(vec((x - 0.5f * w) / h, (0.5f * h - y) / h, 1));
      pixel[y * w + x] = trace(ray, DEPTH);
    }
}

int main(int argc, char **argv)
{
  int h = argc > 1 ? atoi(argv[1]) : 240, w = h * 4 / 3, frames = argc > 2 ? atoi(argv[2]) : 40, f, i;
  Vec *pixel = malloc(sizeof(Vec) * w * h);
  double sum = 0;
  struct timespec t0, t1;
  for (i = 0; i < BALLS; i++) {
    scene[i].centre = vec(i % 3 - 1.03f, i / 3 - 0.97f, 0.31f * (i % 2));
    scene[i].radius = 0.35f + 0.03f * i;
    scene[i].colour = vec(0.2f + 0.08f * i, 1 - 0.1f * i, 0.5f);
    scene[i].shine = i % 3 * 0.3f;
  }
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (f = 0; f < frames; f++) {
    render(pixel, w, h, 0.05f * f);
    for (i = 0; i < w * h; i += 7)
      sum += pixel[i].x + 2 * pixel[i].y + 3 * pixel[i].z;
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%.5e\n", sum);
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}
