/* Multiplies two f32 matrices on the CPU with the kernel that a table names.  runtime_c TABLES MxNxK
 *
 * Without a row for the problem, the best library of this build multiplies. */
#include <gemmtune/runtime.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(const gemmtune_message* message) {
  fprintf(stderr, "runtime_c: %s\n", message->text);
  return 1;
}

static float* numbers(int64_t count, int64_t period) {
  float* all = malloc((size_t)count * sizeof *all);
  for (int64_t i = 0; i < count; ++i) all[i] = (float)(i % period) - (float)(period / 2);
  return all;
}

/* The largest difference between C and the product in double. */
static double largest_error(const gemmtune_problem* p, const gemmtune_operands* at) {
  const float *a = at->a, *w = at->w, *c = at->c;
  double largest = 0;
  for (int64_t m = 0; m < p->m; ++m)
    for (int64_t n = 0; n < p->n; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < p->k; ++k) sum += (double)a[m * p->k + k] * w[n * p->k + k];
      const double error = sum > c[m * p->n + n] ? sum - c[m * p->n + n] : c[m * p->n + n] - sum;
      if (!(error <= largest)) largest = error;
    }
  return largest;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: runtime_c TABLES MxNxK\n");
    return 2;
  }
  gemmtune_message message;
  gemmtune_problem problem = gemmtune_problem_init();
  char text[256];
  snprintf(text, sizeof text, "%s:f32:f32:f32", argv[2]);
  if (gemmtune_parse_problem(text, &problem, &message) != GEMMTUNE_OK) return complain(&message);

  gemmtune_runtime_options options = gemmtune_runtime_options_init();
  options.tables = argv[1];
  options.device = "cpu";
  gemmtune_runtime* runtime = NULL;
  if (gemmtune_runtime_open(&options, &runtime, &message) != GEMMTUNE_OK) return complain(&message);
  gemmtune_plan* plan = NULL;
  if (gemmtune_plan_problem(runtime, &problem, &plan, &message) != GEMMTUNE_OK) return complain(&message);
  gemmtune_plan_info info = gemmtune_plan_info_init();
  gemmtune_plan_get_info(plan, &info);
  printf("%s (M = %" PRId64 "), %zu bytes of workspace\n", info.kernel_name, info.tuned_m, info.workspace_bytes);

  gemmtune_operands operands = gemmtune_operands_init();
  operands.a = numbers(problem.m * problem.k, 7);
  operands.w = numbers(problem.n * problem.k, 5);
  operands.c = numbers(problem.m * problem.n, 2);
  operands.workspace_bytes = info.workspace_bytes;
  operands.workspace = aligned_alloc(256, (info.workspace_bytes + 256) / 256 * 256);
  if (gemmtune_launch(plan, &operands, NULL, &message) != GEMMTUNE_OK) return complain(&message);
  printf("largest error: %g\n", largest_error(&problem, &operands));

  free((void*)operands.a);
  free((void*)operands.w);
  free(operands.c);
  free(operands.workspace);
  gemmtune_plan_release(plan);
  gemmtune_runtime_close(runtime);
  return 0;
}
