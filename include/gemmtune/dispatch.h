/* gemmtune's lookups for programs in C: which kernel to run for a matrix multiplication, from tuned tables.
 *
 * A dispatcher serves one device. Any number of threads may look up at once; a lookup takes no lock and allocates
 * nothing. Nothing here throws or ends the process. For C++: gemmtune/dispatch.hpp. The guide: docs/dispatch.md.
 *
 * Structs that may grow begin with their size, which the caller sets: gemmtune_problem problem =
 * gemmtune_problem_init(); Where a struct grows, later libraries go on taking the sizes of earlier headers, and what
 * those lack is 0. A size that the library does not know (0, or that of a newer header) is refused.
 */
#ifndef GEMMTUNE_DISPATCH_H
#define GEMMTUNE_DISPATCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GEMMTUNE_API __attribute__((visibility("default")))

typedef enum gemmtune_status {
  GEMMTUNE_OK = 0,
  GEMMTUNE_INVALID_ARGUMENT = 1, /* a null pointer, or a device that nobody named */
  GEMMTUNE_BAD_INPUT = 2,        /* a file or a text that does not read; the message says where */
  GEMMTUNE_SYSTEM_ERROR = 3,     /* the system refused */
  GEMMTUNE_INTERNAL_ERROR = 4
} gemmtune_status;

/* Why a call failed, in words. May be left out (null) wherever it is taken. */
typedef struct gemmtune_message {
  char text[1024];
} gemmtune_message;

typedef enum gemmtune_dtype {
  GEMMTUNE_F64,
  GEMMTUNE_F32,
  GEMMTUNE_F16,
  GEMMTUNE_BF16,
  GEMMTUNE_E4M3,
  GEMMTUNE_E4M3FNUZ,
  GEMMTUNE_INT8,
  GEMMTUNE_INT32,
  GEMMTUNE_E2M1,
  GEMMTUNE_E8M0,
  GEMMTUNE_TF32 /* operands only: f32 words of which 10 bits of mantissa count */
} gemmtune_dtype;

typedef enum gemmtune_scaling {
  GEMMTUNE_UNSCALED,
  GEMMTUNE_PER_TENSOR,
  GEMMTUNE_PER_ROW,       /* per token of A, per channel of the weights */
  GEMMTUNE_BLOCK_1X128,   /* A of "blockscale" */
  GEMMTUNE_BLOCK_128X128, /* weights of "blockscale" */
  GEMMTUNE_MX_1X32
} gemmtune_scaling;

/* Which dimension of an operand is contiguous in memory. */
typedef enum gemmtune_major {
  GEMMTUNE_K_MAJOR, /* A is stored [m, k], the weights [n, k] */
  GEMMTUNE_MN_MAJOR /* A is stored [k, m], the weights [k, n] */
} gemmtune_major;

typedef enum gemmtune_activation {
  GEMMTUNE_NO_ACTIVATION,
  GEMMTUNE_RELU,
  GEMMTUNE_GELU_TANH,
  GEMMTUNE_GELU_ERF,
  GEMMTUNE_SILU
} gemmtune_activation;

/* C[batch, m, n] = activation(A[batch, m, k] times W[batch, n, k], plus bias[n], plus residual[batch, m, n]).
 * Start from gemmtune_problem_init() and gemmtune_parse_problem(), and set the sizes. */
typedef struct gemmtune_problem {
  size_t struct_size;
  int64_t m, n, k;
  int64_t batch; /* 1 for plain problems */
  int a_type;    /* a gemmtune_dtype */
  int a_scaling; /* a gemmtune_scaling */
  int w_type;
  int w_scaling;
  int out_type;
  int has_bias;
  int is_packed; /* the weights are, or may be, shuffled ahead */
  int a_major;   /* a gemmtune_major */
  int w_major;
  int activation;                       /* a gemmtune_activation */
  int has_residual;                     /* stored as C is */
  int64_t lda, ldw, ldc;                /* elements from one stored row to the next; 0: rows without gaps */
  int64_t stride_a, stride_w, stride_c; /* elements from one matrix of the batch to the next; 0: without gaps */
} gemmtune_problem;

static inline gemmtune_problem gemmtune_problem_init(void) {
  gemmtune_problem p;
  memset(&p, 0, sizeof p);
  p.struct_size = sizeof p;
  return p;
}

/* How a lookup found its answer. */
typedef enum gemmtune_match {
  GEMMTUNE_EXACT,
  GEMMTUNE_PADDED_FINE,
  GEMMTUNE_PADDED_COARSE,
  GEMMTUNE_NEAREST,
  GEMMTUNE_FALLBACK /* no row: a rule chose, or there is nothing to choose */
} gemmtune_match;

/* A kernel. Texts are never null; they live as long as the answer that they are part of. This struct does not grow. */
typedef struct gemmtune_choice {
  const char* libtype;     /* "asm", "ck", "cpu_tile", … */
  const char* kernel_name; /* "": the library's own heuristic */
  int64_t kernel_id;       /* the library's index: a hint; -1: none */
  int64_t split_k;         /* as the table's column has it */
  double time_us;          /* when it was tuned; 0: not known */
  const char* source;      /* the table, or the rule */
  int64_t line;            /* in the table; 0 for a rule */
} gemmtune_choice;

/* Good until this thread's next lookup with the same dispatcher, and no longer than the dispatcher. */
typedef struct gemmtune_answer {
  size_t struct_size;
  gemmtune_match match;
  int64_t tuned_m; /* 0 for a fallback */
  int has_choice;  /* 0: neither a row nor a rule knows a kernel */
  gemmtune_choice choice;
  int has_runner_up; /* the best other kernel of the same problem, where the tables have one */
  gemmtune_choice runner_up;
  double expected_us; /* of this call: the row's time; times m / tuned_m where the row is for a smaller M */
  int is_scaled;      /* the latter */
} gemmtune_answer;

static inline gemmtune_answer gemmtune_answer_init(void) {
  gemmtune_answer a;
  memset(&a, 0, sizeof a);
  a.struct_size = sizeof a;
  return a;
}

/* As gemmtune_dispatcher_options_init() makes it, all is as the environment says (docs/dispatch.md). */
typedef struct gemmtune_dispatcher_options {
  size_t struct_size;
  const char* tables; /* "a.csv:b.csv", of the families that their names and columns say; null: GEMMTUNE_CONFIG_… */
  const char* gfx;    /* as tables name it: "gfx950", "sm90"; null: GPU_ARCHS */
  int64_t cu_num;     /* 0: CU_NUM */
  int64_t nearest_factor;     /* how far from M a row may be, as a factor; 0: 2; 1: no nearest rows */
  int64_t reload_interval_ms; /* how often a thread looks for changed tables; 0: only gemmtune_dispatcher_poll() does */
  void (*say)(const char* line, void* context); /* gets notes, from any thread; null: they go to stderr */
  void* context;
} gemmtune_dispatcher_options;

static inline gemmtune_dispatcher_options gemmtune_dispatcher_options_init(void) {
  gemmtune_dispatcher_options d;
  memset(&d, 0, sizeof d);
  d.struct_size = sizeof d;
  return d;
}

typedef struct gemmtune_dispatcher gemmtune_dispatcher;

/* "0.1.0" */
GEMMTUNE_API const char* gemmtune_version(void);

/* "64x4096x4096:a4w4" and the like, as the command line takes it. `problem` has its size set. */
GEMMTUNE_API gemmtune_status gemmtune_parse_problem(const char* text, gemmtune_problem* problem,
                                                    gemmtune_message* message);

/* Reads the tables. `*dispatcher` is null after a failure. `options` may be null: all is as the environment says. */
GEMMTUNE_API gemmtune_status gemmtune_dispatcher_open(const gemmtune_dispatcher_options* options,
                                                      gemmtune_dispatcher** dispatcher, gemmtune_message* message);

/* No lookup may be under way. Null is allowed. */
GEMMTUNE_API void gemmtune_dispatcher_close(gemmtune_dispatcher* dispatcher);

/* A problem that makes no sense is answered as one that no table and no rule knows, with GEMMTUNE_OK. `answer` has its
 * size set. GEMMTUNE_INVALID_ARGUMENT, and `answer` unchanged, for a null pointer or a size that the library does not
 * know. */
GEMMTUNE_API gemmtune_status gemmtune_lookup(const gemmtune_dispatcher* dispatcher, const gemmtune_problem* problem,
                                             gemmtune_answer* answer);

/* Why the answer is what it is, a line for each level tried. Like snprintf: returns the length of the whole text, and
 * writes what fits with a final NUL. 0 where it failed. */
GEMMTUNE_API size_t gemmtune_explain(const gemmtune_dispatcher* dispatcher, const gemmtune_problem* problem, char* text,
                                     size_t size);

typedef enum gemmtune_reload {
  GEMMTUNE_UNCHANGED,
  GEMMTUNE_RELOADED,
  GEMMTUNE_RELOAD_FAILED /* the old tables go on serving */
} gemmtune_reload;

/* Looks for changed tables now. */
GEMMTUNE_API gemmtune_reload gemmtune_dispatcher_poll(gemmtune_dispatcher* dispatcher);

#ifdef __cplusplus
}
#endif

#endif
