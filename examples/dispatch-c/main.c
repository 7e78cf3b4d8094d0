/* Which kernels would serve one layer at growing numbers of tokens?  dispatch_c TABLES GFX CU_NUM N K FORMAT */
#include <gemmtune/dispatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const match_names[] = {"exact", "padded_fine", "padded_coarse", "nearest", "fallback"};

static int complain(const gemmtune_message* message) {
  fprintf(stderr, "dispatch_c: %s\n", message->text);
  return 1;
}

static void show(int64_t m, const gemmtune_answer* answer) {
  printf("M = %-6" PRId64 " %-14s ", m, match_names[answer->match]);
  if (!answer->has_choice)
    printf("no row, and no rule for this problem\n");
  else if (answer->match == GEMMTUNE_FALLBACK) /* the kernel's name is empty: the library chooses it */
    printf("no row: call %s, which chooses the kernel itself (%s)\n", answer->choice.libtype, answer->choice.source);
  else
    printf("%s %s, %.4g us, %s:%" PRId64 "\n", answer->choice.libtype, answer->choice.kernel_name, answer->expected_us,
           answer->choice.source, answer->choice.line);
}

int main(int argc, char** argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: dispatch_c TABLES GFX CU_NUM N K FORMAT\n");
    return 2;
  }
  gemmtune_message message;
  gemmtune_problem problem = gemmtune_problem_init();
  char text[256];
  snprintf(text, sizeof text, "1x%sx%s:%s", argv[4], argv[5], argv[6]);
  if (gemmtune_parse_problem(text, &problem, &message) != GEMMTUNE_OK) return complain(&message);

  gemmtune_dispatcher_options options = gemmtune_dispatcher_options_init();
  options.tables = argv[1];
  options.gfx = argv[2];
  options.cu_num = strtoll(argv[3], NULL, 10);
  gemmtune_dispatcher* dispatcher = NULL;
  if (gemmtune_dispatcher_open(&options, &dispatcher, &message) != GEMMTUNE_OK) return complain(&message);

  for (problem.m = 1; problem.m <= 16384; problem.m *= 4) {
    gemmtune_answer answer = gemmtune_answer_init();
    if (gemmtune_lookup(dispatcher, &problem, &answer) == GEMMTUNE_OK) show(problem.m, &answer);
  }
  gemmtune_dispatcher_close(dispatcher);
  return 0;
}
