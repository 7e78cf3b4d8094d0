#include "gemmtune/families/onednn/matmul.h"

#include <omp.h>

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/families/launch_slots.h"

namespace gemmtune::onednn {
namespace {

using dnnl::memory;

/// The library asks OpenMP for the number of threads, both when it plans a kernel and when it runs it. Setting that
/// number stores one variable of the thread. OpenMP builds a new team only if the number differs from that of the last
/// run.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadScope() { omp_set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

memory::data_type library_type(DType type) {
  switch (type) {
    case DType::f32:
      return memory::data_type::f32;
    case DType::bf16:
      return memory::data_type::bf16;
    case DType::f16:
      return memory::data_type::f16;
    case DType::i8:
      return memory::data_type::s8;
    case DType::i32:
      return memory::data_type::s32;
    default:
      fail(ErrorCode::unsupported, "oneDNN's matmul has no type {}", to_string(type));
  }
}

/// A batch of one has two dimensions: more of the library's kernels support two dimensions than three.
memory::dims dims(const MatmulSpec& s, std::int64_t rows, std::int64_t columns) {
  return s.batch == 1 ? memory::dims{rows, columns} : memory::dims{s.batch, rows, columns};
}

memory::dims library_strides(const MatmulSpec& s, const MatrixStrides& strides) {
  return s.batch == 1 ? memory::dims{strides.row, strides.column}
                      : memory::dims{strides.batch, strides.row, strides.column};
}

memory::desc activations(const MatmulSpec& s) {
  return {dims(s, s.m, s.k), library_type(s.operand), library_strides(s, s.a_strides)};
}

memory::desc plain_weights(const MatmulSpec& s) {
  return {dims(s, s.k, s.n), library_type(s.operand), library_strides(s, s.w_strides)};
}

memory::desc any_weights(const MatmulSpec& s) {
  return {dims(s, s.k, s.n), library_type(s.operand), memory::format_tag::any};
}

memory::desc product_description(const MatmulSpec& s) {
  return {dims(s, s.m, s.n), library_type(s.product), library_strides(s, s.product_strides)};
}

/// One row that is used for all rows and batches.
memory::desc bias_description(const MatmulSpec& s) {
  return s.batch == 1 ? memory::desc({1, s.n}, library_type(s.product), {s.n, 1})
                      : memory::desc({1, 1, s.n}, library_type(s.product), {s.n, s.n, 1});
}

dnnl::algorithm library_activation(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return dnnl::algorithm::eltwise_relu;
    case Activation::gelu_tanh:
      return dnnl::algorithm::eltwise_gelu_tanh;
    case Activation::gelu_erf:
      return dnnl::algorithm::eltwise_gelu_erf;
    case Activation::silu:
      return dnnl::algorithm::eltwise_swish;
    default:
      fail(ErrorCode::unsupported, "oneDNN has no activation {}", to_string(activation));
  }
}

/// alpha is ReLU's slope below 0, and the factor of SiLU's exponent.
void append_activation(dnnl::post_ops& operations, Activation activation) {
  const float alpha = activation == Activation::silu ? 1.0F : 0.0F;
#if DNNL_VERSION_MAJOR >= 3
  operations.append_eltwise(library_activation(activation), alpha, 0.0F);
#else
  operations.append_eltwise(1.0F, library_activation(activation), alpha, 0.0F);
#endif
}

/// The library adds the bias itself, before these.
dnnl::primitive_attr attributes_of(const MatmulSpec& s) {
  dnnl::post_ops operations;
  if (s.epilogue.residual) operations.append_binary(dnnl::algorithm::binary_add, product_description(s));
  if (s.epilogue.activation != Activation::none) append_activation(operations, s.epilogue.activation);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(operations);
  return attributes;
}

/// The residual is the second source of the first operation.
constexpr int residual_argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;

dnnl::matmul::primitive_desc plan(const MatmulSpec& s, const dnnl::engine& engine) {
  const auto a = activations(s);
  const auto w = s.weights == WeightLayout::plain ? plain_weights(s) : any_weights(s);
  const auto c = product_description(s);
  const auto attributes = attributes_of(s);
#if DNNL_VERSION_MAJOR >= 3
  if (s.epilogue.bias) return {engine, a, w, bias_description(s), c, attributes};
  return {engine, a, w, c, attributes};
#else
  if (s.epilogue.bias) return {dnnl::matmul::desc(a, w, bias_description(s), c), attributes, engine};
  return {dnnl::matmul::desc(a, w, c), attributes, engine};
#endif
}

dnnl::reorder::primitive_desc plan_reorder(const MatmulSpec& s, const memory::desc& to, const dnnl::engine& engine) {
  const ThreadScope scope(s.reorder_threads);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return {engine, plain_weights(s), engine, to, attributes};
}

dnnl::reorder make_reorder(const MatmulSpec& s, const dnnl::reorder::primitive_desc& planned) {
  const ThreadScope scope(s.reorder_threads);
  return dnnl::reorder(planned);
}

/// An argument list whose memory objects are kept and only change their addresses, so that a run allocates nothing. It
/// serves one thread at a time.
class Arguments {
 public:
  explicit Arguments(const dnnl::engine& engine) : engine_(engine), stream_(engine) {}

  void add(int name, const memory::desc& description) {
    if (description.get_size() == 0) return;  // there is no bias or no scratchpad
    memories_.push_back(memory(description, engine_, DNNL_MEMORY_NONE));
    arguments_.push_back({name, memories_.back().get()});
  }

  void point(int name, const std::byte* address) {
    const auto found = std::ranges::find(arguments_, name, &dnnl_exec_arg_t::arg);
    if (found == arguments_.end()) return;
    // The library uses one kind of pointer for what it reads and for what it writes.
    memories_[static_cast<std::size_t>(found - arguments_.begin())].set_data_handle(const_cast<std::byte*>(address));
  }

  void run(const dnnl::primitive& primitive) const {
    const int count = static_cast<int>(arguments_.size());
    const auto status = dnnl_primitive_execute(primitive.get(), stream_.get(), count, arguments_.data());
    if (status == dnnl_success) dnnl_stream_wait(stream_.get());
    if (status != dnnl_success)
      fail(ErrorCode::unsupported, "oneDNN could not run a primitive: status {}", int{status});
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

std::string refusal(const dnnl::error& error) {
  return fmt::format("oneDNN {}: {} (status {})", library_version(), error.what(), static_cast<int>(error.status));
}

/// Converts the library's exceptions to ours.
template <typename Work>
auto guarded(int threads, const Work& work) {
  const ThreadScope scope(threads);
  try {
    return work();
  } catch (const dnnl::error& error) {
    throw Error(ErrorCode::unsupported, refusal(error));
  }
}

/// The library's reference kernels serve to check its other kernels, and are a thousand times slower.
std::string why_not_worth(const dnnl::matmul::primitive_desc& planned) {
  const std::string_view kernel = planned.impl_info_str();
  return kernel.starts_with("ref") ? fmt::format("oneDNN has only its reference kernel {} for this", kernel) : "";
}

dnnl::matmul::primitive_desc plan_worthwhile(const MatmulSpec& spec, const dnnl::engine& engine) {
  auto planned = plan(spec, engine);
  if (const std::string why = why_not_worth(planned); !why.empty()) throw Error(ErrorCode::unsupported, why);
  return planned;
}

}  // namespace

struct Matmul::State {
  explicit State(const MatmulSpec& s)
      : spec(s),
        planned(plan_worthwhile(s, engine)),
        planned_reorder(plan_reorder(s, planned.weights_desc(), engine)),
        product(planned),
        reorder(make_reorder(s, planned_reorder)),
        arguments([this] { return product_arguments(); }),
        reorder_arguments([this] { return arguments_of_reorder(); }) {}

  Arguments product_arguments() const {
    Arguments list{engine};
    list.add(DNNL_ARG_SRC, planned.src_desc());
    list.add(DNNL_ARG_WEIGHTS, planned.weights_desc());
    list.add(DNNL_ARG_BIAS, planned.bias_desc());
    if (spec.epilogue.residual) list.add(residual_argument, product_description(spec));
    list.add(DNNL_ARG_DST, planned.dst_desc());
    list.add(DNNL_ARG_SCRATCHPAD, planned.scratchpad_desc());
    return list;
  }

  Arguments arguments_of_reorder() const {
    Arguments list{engine};
    list.add(DNNL_ARG_FROM, plain_weights(spec));
    list.add(DNNL_ARG_TO, planned.weights_desc());
    list.add(DNNL_ARG_SCRATCHPAD, planned_reorder.scratchpad_desc());
    return list;
  }

  MatmulSpec spec;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::matmul::primitive_desc planned;
  dnnl::reorder::primitive_desc planned_reorder;
  dnnl::matmul product;
  dnnl::reorder reorder;
  LaunchSlots<Arguments> arguments;
  LaunchSlots<Arguments> reorder_arguments;
};

Matmul::Matmul(const MatmulSpec& spec) : state_(guarded(spec.threads, [&] { return std::make_unique<State>(spec); })) {}
Matmul::~Matmul() = default;
Matmul::Matmul(Matmul&&) noexcept = default;
Matmul& Matmul::operator=(Matmul&&) noexcept = default;

std::size_t Matmul::scratchpad_bytes() const {
  return std::max(state_->planned.scratchpad_desc().get_size(), state_->planned_reorder.scratchpad_desc().get_size());
}

std::size_t Matmul::weight_bytes() const { return state_->planned.weights_desc().get_size(); }

void Matmul::reorder_weights(const std::byte* from, std::byte* to, std::byte* scratchpad) {
  const auto run = [&](Arguments& arguments) {
    arguments.point(DNNL_ARG_FROM, from);
    arguments.point(DNNL_ARG_TO, to);
    arguments.point(DNNL_ARG_SCRATCHPAD, scratchpad);
    arguments.run(state_->reorder);
  };
  guarded(state_->spec.reorder_threads, [&] { state_->reorder_arguments.with(run); });
}

void Matmul::run(const MatmulAddresses& at) {
  const auto run = [&](Arguments& arguments) {
    arguments.point(DNNL_ARG_SRC, at.a);
    arguments.point(DNNL_ARG_WEIGHTS, at.w);
    arguments.point(DNNL_ARG_BIAS, at.bias);
    arguments.point(residual_argument, at.residual);
    arguments.point(DNNL_ARG_DST, at.product);
    arguments.point(DNNL_ARG_SCRATCHPAD, at.scratchpad);
    arguments.run(state_->product);
  };
  guarded(state_->spec.threads, [&] { state_->arguments.with(run); });
}

std::string why_not(const MatmulSpec& spec) {
  try {
    return guarded(spec.threads, [&] {
      const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
      const auto planned = plan(spec, engine);
      if (spec.weights == WeightLayout::blocked) plan_reorder(spec, planned.weights_desc(), engine);
      return why_not_worth(planned);
    });
  } catch (const Error& error) {
    return error.what();
  }
}

std::string library_version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("{}.{}.{} (omp)", version->major, version->minor, version->patch);
}

}  // namespace gemmtune::onednn
