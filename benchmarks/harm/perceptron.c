/* A small neural network learns sample by sample: every loop is short, and there are very many of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct Layer {
  int    nInputs, nOutputs;
  float *weights;
  float *bias;
  float *output;
  float *delta;
} Layer;

typedef struct Network {
  int   nLayers;
  Layer layers[4];
} Network;

#define WEIGHT(l, o, i) ((l)->weights[(o) * (l)->nInputs + (i)])

static void layerInit(Layer *l, int nInputs, int nOutputs)
{
  l->nInputs = nInputs;
  l->nOutputs = nOutputs;
  l->weights = malloc(sizeof(float) * nInputs * nOutputs);
  l->bias = calloc(nOutputs, sizeof(float));
  l->output = calloc(nOutputs, sizeof(float));
  l->delta = calloc(nOutputs, sizeof(float));
  for (int i = 0; i < nInputs * nOutputs; i++)
    l->weights[i] = ((i * 37 + 11) % 101 - 50) / 150.0f;
}

static void layerForward(Layer *l, const float *input)
{
  for (int o = 0; o < l->nOutputs; o++) {
    float sum = l->bias[o];
    for (int i = 0; i < l->nInputs; i++)
      sum += WEIGHT(l, o, i) * input[i];
    l->output[o] = sum / (1 + fabsf(sum));
  }
}

static void layerBackward(Layer *l, const float *error)
{
  for (int o = 0; o < l->nOutputs; o++) {
    float slope = 1 - fabsf(l->output[o]);
    l->delta[o] = error[o] * slope * slope;
  }
}

static void layerSpread(const Layer *l, float *error)
{
  for (int i = 0; i < l->nInputs; i++) {
    error[i] = 0;
    for (int o = 0; o < l->nOutputs; o++)
      error[i] += WEIGHT(l, o, i) * l->delta[o];
  }
}

static void layerUpdate(Layer *l, const float *input, float rate)
{
  for (int o = 0; o < l->nOutputs; o++) {
    for (int i = 0; i < l->nInputs; i++)
      WEIGHT(l, o, i) += rate * l->delta[o] * input[i];
    l->bias[o] += rate * l->delta[o];
  }
}

static float train(Network *net, const float *sample, const float *target)
{
  float error[64], loss = 0;
  const float *input = sample;
  for (int k = 0; k < net->nLayers; k++) {
    layerForward(&net->layers[k], input);
    input = net->layers[k].output;
  }
  for (int o = 0; o < net->layers[net->nLayers - 1].nOutputs; o++) {
    error[o] = target[o] - input[o];
    loss += error[o] * error[o];
  }
  for (int k = net->nLayers - 1; k >= 0; k--) {
    layerBackward(&net->layers[k], error);
    layerSpread(&net->layers[k], error);
    layerUpdate(&net->layers[k], k ? net->layers[k - 1].output : sample, 0.02f);
  }
  return loss;
}

int main(int argc, char **argv)
{
  int nSamples = argc > 1 ? atoi(argv[1]) : 400, epochs = argc > 2 ? atoi(argv[2]) : 90;
  Network net = {.nLayers = 3};
  double loss = 0;
  struct timespec t0, t1;
  layerInit(&net.layers[0], 16, 32);
  layerInit(&net.layers[1], 32, 24);
  layerInit(&net.layers[2], 24, 4);
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int e = 0; e < epochs; e++) {
    loss = 0;
    for (int s = 0; s < nSamples; s++) {
      float sample[16], target[4];
      for (int i = 0; i < 16; i++)
        sample[i] = (s * (i + 3) % 29) / 29.0f;
      for (int o = 0; o < 4; o++)
        target[o] = 0.8f * (sample[o] - sample[15 - o]);
      loss += train(&net, sample, target);
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  printf("%.3f\n", sqrt(loss / nSamples));
  fprintf(stderr, "%.6f\n", (t1.tv_sec - t0.tv_sec) + 1e-9 * (t1.tv_nsec - t0.tv_nsec));
  return 0;
}
