/* The C interface of gemmtune's dispatcher: looks up in tuned tables which kernel to run for a matrix multiplication.
 *
 * A dispatcher serves one device. Any number of threads may look up at the same time; a lookup takes no lock and
 * allocates nothing. No function throws or ends the process. For C++ there is gemmtune/dispatch.hpp; docs/dispatch.md
 * is the guide.
 *
 * A struct that may grow begins with its size, which its init function sets:
 *
 *   gemmtune_problem problem = gemmtune_problem_init();
 *
 * After a struct has grown, the library still accepts the sizes that earlier headers gave it, and takes the fields that
 * those headers lack as 0. It refuses every other size, such as 0 or the size in a newer header.
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
  GEMMTUNE_INVALID_ARGUMENT = 1, /* a null pointer, an unknown struct size, or no device given */
  GEMMTUNE_BAD_INPUT = 2,        /* a file or text that cannot be parsed; the message says where */
  GEMMTUNE_SYSTEM_ERROR = 3,     /* the operating system refused, or memory ran out */
  GEMMTUNE_INTERNAL_ERROR = 4,
  /* Only functions of gemmtune/runtime.h answer these. */
  GEMMTUNE_NO_DEVICE = 5,           /* there is no such device, or its driver does not start */
  GEMMTUNE_UNSUPPORTED = 6,         /* no kernel can be run for this problem, or not with these weights */
  GEMMTUNE_NOT_READY = 7,           /* a kernel would have to be compiled first */
  GEMMTUNE_MISALIGNED = 8,          /* an address is not aligned as the plan requires */
  GEMMTUNE_WORKSPACE_TOO_SMALL = 9, /* the plan requires more bytes */
  GEMMTUNE_WRONG_PACKING = 10,      /* the weights are not packed, or packed for another kernel */
  GEMMTUNE_WRONG_DEVICE = 11,       /* another device, or another process, than the one that opened the runtime */
  GEMMTUNE_LAUNCH_FAILED = 12       /* the library or the driver refused the launch */
} gemmtune_status;

/* The reason why a call failed, as text. Functions that take a message also accept null. */
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
  GEMMTUNE_TF32, /* only for operands: f32 words of which only 10 mantissa bits are used */
  GEMMTUNE_INT4  /* -8 to 7, two to a byte as E2M1: element 2i in the low nibble; only for weights */
} gemmtune_dtype;

typedef enum gemmtune_scaling {
  GEMMTUNE_UNSCALED,
  GEMMTUNE_PER_TENSOR,
  GEMMTUNE_PER_ROW,       /* one scale for each token of A, or for each channel of the weights */
  GEMMTUNE_BLOCK_1X128,   /* A in "blockscale" formats */
  GEMMTUNE_BLOCK_128X128, /* weights in "blockscale" formats */
  GEMMTUNE_MX_1X32,       /* one E8M0 byte for 32 of K */
  GEMMTUNE_NV_1X16,       /* NVFP4: one E4M3 byte for 16 of K; behind them, at the next multiple of 4 bytes, one f32 */
  GEMMTUNE_F16_1X32,      /* one f16 for 32 of K, as in GGUF's Q4_0 (int4) and Q8_0 (int8) */
  GEMMTUNE_Q8_IN_CALL,    /* A is given as floats without scales; each call quantises it to int8 in blocks of 32 of K */
  GEMMTUNE_MX_32X32,      /* E8M0 scales for each 32 channels x 32 of K: MXFP8 weights */
  GEMMTUNE_FP8_1X128,     /* A is given as floats without scales; each call quantises it to E4M3, 128 of K at a time */
  GEMMTUNE_FP8_ROW,       /* likewise, with one scale for each token */
  GEMMTUNE_E8M0_1X128,    /* one E8M0 byte for 128 of K */
  GEMMTUNE_E8M0_128X128   /* E8M0 scales for each 128 channels x 128 of K */
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
 * To make one, call gemmtune_problem_init() and gemmtune_parse_problem(), then set the sizes. */
typedef struct gemmtune_problem {
  size_t struct_size;
  int64_t m, n, k;
  int64_t batch; /* 1 for a problem that is not batched */
  int a_type;    /* a gemmtune_dtype */
  int a_scaling; /* a gemmtune_scaling */
  int w_type;
  int w_scaling;
  int out_type;
  int has_bias;
  int is_packed; /* whether the weights are, or may be, shuffled in advance */
  int a_major;   /* a gemmtune_major */
  int w_major;
  int activation;                       /* a gemmtune_activation */
  int has_residual;                     /* whether a residual is added; it is stored like C */
  int64_t lda, ldw, ldc;                /* elements from one stored row to the next; 0: no gaps */
  int64_t stride_a, stride_w, stride_c; /* elements from one matrix of the batch to the next; 0: no gaps */
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
  GEMMTUNE_FALLBACK /* no row matched: a rule chose, or there is no choice */
} gemmtune_match;

/* A kernel. Its texts are never null and are valid as long as the answer that contains them. This struct never grows.
 */
typedef struct gemmtune_choice {
  const char* libtype;     /* "asm", "ck", "cpu_tile", … */
  const char* kernel_name; /* "": the library's own heuristic chooses */
  int64_t kernel_id;       /* the library's index of the kernel, only a hint; -1: none */
  int64_t split_k;         /* the value in the table's column */
  double time_us;          /* measured during tuning; 0: not known */
  const char* source;      /* the table or the rule that chose the kernel */
  int64_t line;            /* line of the table; 0 for a rule */
} gemmtune_choice;

/* The answer to a lookup. It is valid until this thread's next lookup with the same dispatcher, and at most as long as
 * the dispatcher exists. */
typedef struct gemmtune_answer {
  size_t struct_size;
  gemmtune_match match;
  int64_t tuned_m; /* the M of the row that was used; 0 for a fallback */
  int has_choice;  /* 0 if neither a row nor a rule gives a kernel */
  gemmtune_choice choice;
  int has_runner_up; /* whether the tables have another kernel for the row's problem; the best of those follows */
  gemmtune_choice runner_up;
  double expected_us; /* of this call: the row's time, or that time · m / tuned_m if the row is for a smaller M */
  int is_scaled;      /* whether expected_us was multiplied by m / tuned_m */
} gemmtune_answer;

static inline gemmtune_answer gemmtune_answer_init(void) {
  gemmtune_answer a;
  memset(&a, 0, sizeof a);
  a.struct_size = sizeof a;
  return a;
}

/* The values set by gemmtune_dispatcher_options_init() leave everything to environment variables (docs/dispatch.md). */
typedef struct gemmtune_dispatcher_options {
  size_t struct_size;
  const char* tables;         /* "a.csv:b.csv"; file names or columns tell the family; null: GEMMTUNE_CONFIG_… */
  const char* gfx;            /* the device as in tables: "gfx950", "sm90"; null: GPU_ARCHS */
  int64_t cu_num;             /* number of CUs or SMs; 0: CU_NUM */
  int64_t nearest_factor;     /* a row's M may differ from M by at most this factor; 0: factor 2; 1: never */
  int64_t reload_interval_ms; /* how often a thread checks for changes, and `tables` may appear later; 0:
                                 GEMMTUNE_RELOAD_INTERVAL, or only gemmtune_dispatcher_poll() does */
  void (*say)(const char* line, void* context); /* receives messages, on any thread; null: stderr */
  void* context;
} gemmtune_dispatcher_options;

static inline gemmtune_dispatcher_options gemmtune_dispatcher_options_init(void) {
  gemmtune_dispatcher_options d;
  memset(&d, 0, sizeof d);
  d.struct_size = sizeof d;
  return d;
}

typedef struct gemmtune_dispatcher gemmtune_dispatcher;

/* The library's version: "0.1.0". */
GEMMTUNE_API const char* gemmtune_version(void);

/* Parses a problem as the command line writes it, such as "64x4096x4096:a4w4". The caller sets the struct size of
 * `problem`. */
GEMMTUNE_API gemmtune_status gemmtune_parse_problem(const char* text, gemmtune_problem* problem,
                                                    gemmtune_message* message);

/* Reads the tables and makes a dispatcher. After a failure, `*dispatcher` is null. If `options` is null, environment
 * variables decide everything. */
GEMMTUNE_API gemmtune_status gemmtune_dispatcher_open(const gemmtune_dispatcher_options* options,
                                                      gemmtune_dispatcher** dispatcher, gemmtune_message* message);

/* Destroys the dispatcher. No other thread may still use it. Null is allowed. */
GEMMTUNE_API void gemmtune_dispatcher_close(gemmtune_dispatcher* dispatcher);

/* Finds the kernel for a problem. The caller sets the struct sizes of `problem` and `answer`. For a problem with
 * invalid fields the function returns GEMMTUNE_OK and an answer without a choice, as for a problem that no table and no
 * rule covers. For a null pointer or an unknown struct size it returns GEMMTUNE_INVALID_ARGUMENT and does not change
 * `answer`. */
GEMMTUNE_API gemmtune_status gemmtune_lookup(const gemmtune_dispatcher* dispatcher, const gemmtune_problem* problem,
                                             gemmtune_answer* answer);

/* Explains the answer to a problem, with one line for each level that was tried. Like snprintf, it returns the length
 * of the whole text and writes as much as fits, with a final NUL. It returns 0 if it fails. */
GEMMTUNE_API size_t gemmtune_explain(const gemmtune_dispatcher* dispatcher, const gemmtune_problem* problem, char* text,
                                     size_t size);

typedef enum gemmtune_reload {
  GEMMTUNE_UNCHANGED,
  GEMMTUNE_RELOADED,
  GEMMTUNE_RELOAD_FAILED /* the old tables stay in use */
} gemmtune_reload;

/* Checks now whether tables have changed, and reads them if they have. */
GEMMTUNE_API gemmtune_reload gemmtune_dispatcher_poll(gemmtune_dispatcher* dispatcher);

#ifdef __cplusplus
}
#endif

#endif
