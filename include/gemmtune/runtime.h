/* The C interface of gemmtune's runtime: multiplies with the kernels that tuning has chosen.
 *
 *   open      reads the tables for one device
 *   plan      chooses the kernel for a problem, and compiles and checks it
 *   pack      rearranges weights for the plan's kernel, once; only if the plan asks for it
 *   launch    runs the kernel on a stream: no allocation, no wait, no lock that is held for long
 *
 * Any number of threads may use a runtime and its plans at the same time. No function throws or ends the process. What
 * cannot be done has a status and a message, and has written nothing: the caller then takes its own path. For C++ there
 * is gemmtune/runtime.hpp; docs/runtime.md is the guide.
 *
 * Structs begin with their size, as in gemmtune/dispatch.h. Addresses are the host's on a CPU and the device's on a
 * GPU.
 */
#ifndef GEMMTUNE_RUNTIME_H
#define GEMMTUNE_RUNTIME_H

#include <gemmtune/dispatch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What to run if no row of the tables can be run. */
typedef enum gemmtune_fallback_policy {
  GEMMTUNE_FALLBACK_TO_DEFAULT, /* what the best library or kernel family chooses without tuning */
  GEMMTUNE_NO_FALLBACK          /* nothing: planning answers GEMMTUNE_UNSUPPORTED */
} gemmtune_fallback_policy;

/* When kernels may be compiled. */
typedef enum gemmtune_compile_policy {
  GEMMTUNE_COMPILE_IN_PLAN,   /* gemmtune_plan_problem() compiles what it needs, which can take seconds */
  GEMMTUNE_COMPILE_IN_PREWARM /* only gemmtune_prewarm() does; other problems get GEMMTUNE_NOT_READY */
} gemmtune_compile_policy;

/* What to do with a row that was tuned with another version of its library. */
typedef enum gemmtune_stale_policy {
  GEMMTUNE_DECLINE_STALE, /* the next choice is taken */
  GEMMTUNE_RUN_STALE      /* the row's kernel is used if the library still accepts it */
} gemmtune_stale_policy;

/* The values set by gemmtune_runtime_options_init() leave everything to defaults and environment variables. */
typedef struct gemmtune_runtime_options {
  size_t struct_size;
  const char* tables; /* "a.csv:b.csv"; null: GEMMTUNE_CONFIG_…, and no tables if those are not set either */
  const char* device; /* "cpu", "cuda:1"; null: the first GPU, or else the CPU */
  int64_t workspace_limit_bytes;                /* kernels that need more are not used; 0: no limit */
  int64_t nearest_factor;                       /* as in gemmtune_dispatcher_options */
  int64_t reload_interval_ms;                   /* as there; kernels of changed rows are compiled by the same thread */
  int fallback;                                 /* a gemmtune_fallback_policy */
  int compile;                                  /* a gemmtune_compile_policy */
  int stale;                                    /* a gemmtune_stale_policy */
  void (*say)(const char* line, void* context); /* receives messages, on any thread; null: stderr */
  void* context;
} gemmtune_runtime_options;

static inline gemmtune_runtime_options gemmtune_runtime_options_init(void) {
  gemmtune_runtime_options o;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  return o;
}

typedef struct gemmtune_runtime gemmtune_runtime;

/* Opens a runtime for one device. After a failure, `*runtime` is null: GEMMTUNE_NO_DEVICE if there is no such device,
 * GEMMTUNE_BAD_INPUT for a table that cannot be read. If `options` is null, defaults and environment variables decide
 * everything. The calling thread's current CUDA device does not change. */
GEMMTUNE_API gemmtune_status gemmtune_runtime_open(const gemmtune_runtime_options* options, gemmtune_runtime** runtime,
                                                   gemmtune_message* message);

/* Closes the runtime. No other thread may still use it. Plans that are still held stay valid. Null is allowed. */
GEMMTUNE_API void gemmtune_runtime_close(gemmtune_runtime* runtime);

/* The device's name: "cuda:0". Valid as long as the runtime; "" for null. */
GEMMTUNE_API const char* gemmtune_runtime_device(const gemmtune_runtime* runtime);

/* A kernel that is ready to run for one problem. */
typedef struct gemmtune_plan gemmtune_plan;

/* Gives a plan for the problem, which the caller releases. A repeated call for the same problem only looks the plan up.
 *
 * The problem must be one for this device's memory; its is_packed says whether the weights may be packed. The kernel
 * is the one of the row that the tables have for the problem, prepared for the problem's own M; if that kernel refuses,
 * the second best of the tables; then the declared fallback. gemmtune_plan_get_info() tells which it was.
 *
 * Answers GEMMTUNE_UNSUPPORTED if no kernel can be run, with all reasons in the message, and GEMMTUNE_NOT_READY if the
 * kernel would have to be compiled and may not. */
GEMMTUNE_API gemmtune_status gemmtune_plan_problem(gemmtune_runtime* runtime, const gemmtune_problem* problem,
                                                   gemmtune_plan** plan, gemmtune_message* message);

/* The same, but takes only kernels that read weights packed in this layout (gemmtune_plan_info), so that plans for
 * several M share one copy of the weights. */
GEMMTUNE_API gemmtune_status gemmtune_plan_problem_packed(gemmtune_runtime* runtime, const gemmtune_problem* problem,
                                                          uint64_t packed_layout, gemmtune_plan** plan,
                                                          gemmtune_message* message);

/* One more holder of the plan, who has to release it too. Null is allowed. */
GEMMTUNE_API void gemmtune_plan_retain(gemmtune_plan* plan);
GEMMTUNE_API void gemmtune_plan_release(gemmtune_plan* plan);

typedef struct gemmtune_plan_info {
  size_t struct_size;
  gemmtune_match match;    /* of the kernel that runs; GEMMTUNE_FALLBACK if it is not from a row */
  int64_t tuned_m;         /* the M of the row; 0 for a fallback */
  const char* libtype;     /* the kernel family; texts are valid as long as the plan */
  const char* kernel_name; /* the kernel with all its parameters */
  const char* source;      /* the table, or the rule, that chose the kernel */
  int64_t line;            /* line of the table; 0 for a rule */
  double expected_us;      /* of one launch, from the row; 0: not known */
  const char* notes;       /* why choices before this one were declined, one a line; "": this is the first choice */
  size_t workspace_bytes;  /* that each launch needs */
  size_t packed_bytes;     /* of packed weights; 0: launches read the weights as they are */
  uint64_t packed_layout;  /* plans with equal numbers read each other's packed weights; 0: they are not packed */
  size_t alignment;        /* of A, weights, C, bias and residual, in bytes; workspace and packed weights: 256 */
  size_t scale_alignment;  /* of scales, in bytes */
} gemmtune_plan_info;

static inline gemmtune_plan_info gemmtune_plan_info_init(void) {
  gemmtune_plan_info i;
  memset(&i, 0, sizeof i);
  i.struct_size = sizeof i;
  return i;
}

/* The caller sets the struct size of `info`. */
GEMMTUNE_API gemmtune_status gemmtune_plan_get_info(const gemmtune_plan* plan, gemmtune_plan_info* info);

/* Packs weights for plans whose packed_layout is this plan's. Reads the weights as the problem's layout says, writes
 * packed_bytes bytes to `packed`, and may wait for the stream and allocate: not for stream capture. `w_scale` is null
 * for weights without scales. GEMMTUNE_UNSUPPORTED says that the kernel cannot multiply these weights exactly, such as
 * MXFP4 weights whose exponents spread too far. */
GEMMTUNE_API gemmtune_status gemmtune_pack_weights(const gemmtune_plan* plan, const void* w, const void* w_scale,
                                                   void* packed, void* stream, gemmtune_message* message);

/* The memory of one launch. Tensors that the problem does not have are null. With packed weights, `w` may be null, but
 * `w_scale` may not. C must not overlap any other operand. */
typedef struct gemmtune_operands {
  size_t struct_size;
  const void* a;
  const void* a_scale;
  const void* w;
  const void* w_scale;
  const void* bias;
  const void* residual;
  void* c;
  const void* packed_w;
  uint64_t packed_layout; /* of the plan that packed them; launches of plans with another layout are refused */
  void* workspace;        /* of this launch alone until it has ended on the device */
  size_t workspace_bytes;
} gemmtune_operands;

static inline gemmtune_operands gemmtune_operands_init(void) {
  gemmtune_operands o;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  return o;
}

/* Enqueues one multiplication on the stream: a cudaStream_t (CUstream) of the plan's device, null for the default
 * stream. On a CPU the stream is ignored, and the product is complete when the call returns.
 *
 * It allocates nothing, waits for nothing and may be captured into a CUDA graph. A refusal has enqueued nothing:
 * GEMMTUNE_INVALID_ARGUMENT, GEMMTUNE_MISALIGNED, GEMMTUNE_WORKSPACE_TOO_SMALL, GEMMTUNE_WRONG_PACKING,
 * GEMMTUNE_WRONG_DEVICE. After GEMMTUNE_LAUNCH_FAILED, C is undefined. `message` may be null, which is faster. */
GEMMTUNE_API gemmtune_status gemmtune_launch(const gemmtune_plan* plan, const gemmtune_operands* operands, void* stream,
                                             gemmtune_message* message);

/* Plans these problems and keeps the plans, compiling on several threads at once. `ready` (which may be null) receives
 * how many of them can be launched. Answers GEMMTUNE_OK if all can, or else the first problem's failure. */
GEMMTUNE_API gemmtune_status gemmtune_prewarm(gemmtune_runtime* runtime, const gemmtune_problem* problems, size_t count,
                                              size_t* ready, gemmtune_message* message);

/* Checks now whether tables have changed. If they have, reads them and plans the known problems anew, before it
 * returns. Plans that are held stay valid and unchanged. */
GEMMTUNE_API gemmtune_reload gemmtune_runtime_poll(gemmtune_runtime* runtime);

/* What is quantised: `rows` x `k` row-major elements, and what they become. Scales are row-major without gaps: f32 for
 * each row, each 1x128 or each 128x128 block; E8M0 for each 1x32 block, of GEMMTUNE_E2M1
 * (MXFP4) or GEMMTUNE_E4M3 (MXFP8) only. */
typedef struct gemmtune_quantisation {
  size_t struct_size;
  int from_type; /* GEMMTUNE_BF16, GEMMTUNE_F16 or GEMMTUNE_F32 */
  int to_type;   /* GEMMTUNE_E4M3, GEMMTUNE_E4M3FNUZ, GEMMTUNE_INT8 or GEMMTUNE_E2M1 */
  int scaling;   /* GEMMTUNE_PER_ROW, GEMMTUNE_BLOCK_1X128, GEMMTUNE_BLOCK_128X128 or GEMMTUNE_MX_1X32 */
  int64_t rows, k;
  int64_t leading_dimension; /* elements from one row of the input to the next; 0: k */
} gemmtune_quantisation;

static inline gemmtune_quantisation gemmtune_quantisation_init(void) {
  gemmtune_quantisation q;
  memset(&q, 0, sizeof q);
  q.struct_size = sizeof q;
  return q;
}

/* How many bytes gemmtune_quantise() writes. */
GEMMTUNE_API gemmtune_status gemmtune_quantised_bytes(const gemmtune_quantisation* quantisation, size_t* value_bytes,
                                                      size_t* scale_bytes, gemmtune_message* message);

/* Quantises on the runtime's device: enqueued on the stream, or done on return on a CPU. A scale is a group's largest
 * magnitude divided by the type's largest value, or for E8M0 AITER's "even" rule; values are divided by it and rounded
 * to nearest even. The first call for a pair of types and a scaling compiles a kernel on a GPU: not for stream capture.
 */
GEMMTUNE_API gemmtune_status gemmtune_quantise(gemmtune_runtime* runtime, const gemmtune_quantisation* quantisation,
                                               const void* from, void* values, void* scales, void* stream,
                                               gemmtune_message* message);

/* What a runtime has done. Problems are counted when they are planned for the first time and after each reload. A
 * launch that a CUDA graph replays counts once. */
typedef struct gemmtune_counters {
  size_t struct_size;
  uint64_t exact, padded, nearest, fallback; /* plans by the match of their kernel; padded is fine and coarse */
  uint64_t missed;                           /* problems for which no kernel could be run */
  uint64_t declined;                         /* choices that were passed over: not built, stale, refused */
  uint64_t launches;                         /* that were enqueued */
  uint64_t launches_tuned;                   /* those whose kernel is from a row */
  uint64_t refused;                          /* launches that were not enqueued, or failed */
  uint64_t reloads;
} gemmtune_counters;

static inline gemmtune_counters gemmtune_counters_init(void) {
  gemmtune_counters c;
  memset(&c, 0, sizeof c);
  c.struct_size = sizeof c;
  return c;
}

GEMMTUNE_API gemmtune_status gemmtune_runtime_count(const gemmtune_runtime* runtime, gemmtune_counters* counters);

/* The counters as text, with one line for each kernel that was launched, as GEMMTUNE_SUMMARY=1 prints it when the
 * runtime is closed or the process exits. Returns and writes what gemmtune_explain() does. */
GEMMTUNE_API size_t gemmtune_runtime_summary(const gemmtune_runtime* runtime, char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
