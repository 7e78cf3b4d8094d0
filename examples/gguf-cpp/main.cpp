// Maps one layer of a model in a GGUF file, packs its MXFP4, Q4_0 and Q8_0 weights, and times their products on the
// CPU.
//   gguf_cpp MODEL.gguf LAYER TOKENS…        tables: GEMMTUNE_CONFIG_A16W16
#include <sys/mman.h>

#include <exception>
#include <gemmtune/runtime.hpp>
#include <memory>
#include <new>

#include "layer_call.h"

namespace {

namespace runtime = gemmtune::runtime;

/// Workspaces and packed weights are aligned to 256 bytes. Large ones lie in huge pages, which are read faster.
struct Memory {
  static constexpr std::size_t huge_page = 2 << 20;

  explicit Memory(std::size_t bytes)
      : alignment{bytes < huge_page ? 256 : huge_page}, data(::operator new(bytes + 1, alignment)) {
    if (bytes >= huge_page) madvise(data, bytes, MADV_HUGEPAGE);  // the system may refuse
  }
  ~Memory() { ::operator delete(data, alignment); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::align_val_t alignment;
  void* data;
};

/// As llama.cpp's operator: activations in f32, which each call quantises to int8, and results in f32.
std::string problem_text(const BlockTensor& tensor, const Call& call) {
  const char* weights = tensor.type == BlockType::mxfp4  ? "e2m1/1x32"
                        : tensor.type == BlockType::q4_0 ? "int4/1x32f16"
                                                         : "int8/1x32f16";
  auto text = std::to_string(call.rows) + "x" + std::to_string(tensor.n) + "x" + std::to_string(tensor.k);
  text += std::string(":f32/q8:") + weights + ":f32";
  if (call.experts > 1) text += ":batch=" + std::to_string(call.experts);
  return text + ":packed";
}

class Product {
 public:
  Product(runtime::Runtime& runtime, const BlockTensor& tensor, const Call& call)
      : tensor_(tensor),
        call_(call),
        plan_(runtime.plan(runtime::parse_problem(problem_text(tensor, call)))),
        weights_(rearranged(tensor, call.experts)),
        packed_(plan_.info().packed_bytes),
        workspace_(plan_.info().workspace_bytes),
        a_(activations(call.experts * call.rows * tensor.k)),
        c_(static_cast<std::size_t>(call.experts * call.rows * tensor.n)) {
    pack();
    operands_.a = a_.data();
    operands_.w_scale = weights_.scales.data();
    operands_.c = c_.data();
    operands_.workspace = workspace_.data;
    operands_.workspace_bytes = plan_.info().workspace_bytes;
  }

  void launch() const { plan_.launch(operands_); }

  double error() const {
    const auto last = call_.experts - 1;
    const auto row = last * call_.rows;
    return relative_error(tensor_, last, a_.data() + row * tensor_.k, c_.data() + row * tensor_.n);
  }

  std::string kernel() const { return plan_.info().kernel_name; }

 private:
  /// After packing, the weights' values are not needed any more.
  void pack() {
    const auto info = plan_.info();
    operands_.w = weights_.values.data();
    if (info.packed_bytes == 0) return;
    plan_.pack_weights(weights_.values.data(), weights_.scales.data(), packed_.data);
    operands_.w = nullptr;
    operands_.packed_w = packed_.data;
    operands_.packed_layout = info.packed_layout;
    weights_.values = {};
  }

  const BlockTensor& tensor_;
  Call call_;
  runtime::Plan plan_;
  Weights weights_;
  Memory packed_;
  Memory workspace_;
  std::vector<float> a_;
  std::vector<float> c_;
  runtime::Operands operands_;
};

runtime::Options on_cpu() {
  runtime::Options options;
  options.device = "cpu";
  return options;
}

int run(const std::string& path, std::int64_t layer, const std::vector<std::int64_t>& tokens) {
  const GgufFile file(path);
  runtime::Runtime runtime(on_cpu());
  const auto tensors = file.layer(layer);
  if (tensors.empty()) throw std::runtime_error(path + ": layer " + std::to_string(layer) + " has no such weights");
  double largest = 0;
  for (const auto m : tokens)
    for (const auto& tensor : tensors) {
      const auto call = call_of(tensor, m, file.experts_per_token());
      const Product product(runtime, tensor, call);
      product.launch();
      const auto error = product.error();
      show(tensor, m, call, median_us([&] { product.launch(); }), error, product.kernel());
      largest = std::max(largest, error);
    }
  return largest < 0.02 ? 0 : 1;  // 8-bit activations leave below 1 %
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fprintf(stderr, "usage: gguf_cpp MODEL.gguf LAYER TOKENS...\n");
    return 2;
  }
  std::vector<std::int64_t> tokens;
  for (int i = 3; i < argc; ++i) tokens.push_back(std::max(1LL, std::stoll(argv[i])));
  return run(argv[1], std::stoll(argv[2]), tokens);
} catch (const std::exception& error) {
  std::fprintf(stderr, "gguf_cpp: %s\n", error.what());
  return 1;
}
