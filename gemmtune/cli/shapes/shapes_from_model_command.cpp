#include <nlohmann/json.hpp>

#include "gemmtune/cli/output.h"
#include "gemmtune/cli/shapes/shapes_commands.h"
#include "gemmtune/cli/shapes/shapes_output.h"
#include "gemmtune/core/error.h"
#include "gemmtune/exchange/gguf_shapes.h"
#include "gemmtune/shapes/model_shapes.h"

namespace gemmtune {
namespace {

/// Declares one argument with commas, because the next argument may be the config.
Option declare_sizes(Options& options, const char* name, std::vector<std::int64_t>& sizes) {
  return options.add_option(name, sizes).split_at(',').one_value_each().positive();
}

class ShapesFromModelCommand final : public Command {
 public:
  void declare(Options& options) override {
    options.add_option("model", model_).required();
    declare_sizes(options, "--tp", request_.tensor_parallel);
    options.add_option("--ep", request_.expert_parallel).positive();
    declare_sizes(options, "--m", request_.m).required();
    declare_sizes(options, "--logits-m", request_.logits_m);
    options.add_option("--format", format_);
    options.add_flag("--packed", packed_);
    options.add_flag("--fused", fused_);
    options.add_flag("--unfused", unfused_);
    options.add_option("--mla", latent_form_).one_of({"both", "unpacked", "absorbed"});
    options.add_option("--experts-m", expert_tokens_).one_of({"even", "listed"});
    options.add_option("--experts-as,--experts_as", expert_calls_).one_of({"both", "each", "grouped"});
    output_.declare(options);
  }

  int run() override {
    if (is_gguf_model(model_))
      list_gguf();
    else
      list_config();
    return 0;
  }

 private:
  void list_config() {
    const auto json = read_model_json(model_);
    const auto model = parse_model_config(json, model_);
    const auto format = model_format(json, model, format_);
    auto made = model_shapes(model, format, request());
    print_note("quantised layers are {}\n", format.because);
    write(std::move(made), {model_});
  }

  void list_gguf() {
    const auto model = read_gguf_model(model_);
    auto made = gguf_shapes(model, format_, request());
    if (fused_ || unfused_) print_note("--fused and --unfused change nothing: tensors are listed as they are stored\n");
    std::vector<std::string> inputs;
    for (const auto& path : model.paths) inputs.push_back(path.string());
    write(std::move(made), inputs);
  }

  void write(ModelShapes made, const std::vector<std::string>& inputs) const {
    for (auto& shape : made.shapes) shape.problem.packed = shape.problem.packed || packed_;
    for (const auto& note : made.notes) print_note("{}\n", note);
    output_.write(made.shapes, inputs);
  }

  ModelRequest request() const {
    auto request = request_;
    if (unfused_) request.projections = {Projections::unfused};
    if (unfused_ && fused_) request.projections = {Projections::fused, Projections::unfused};
    if (latent_form_ == "unpacked") request.latent_forms = {LatentForm::unpacked};
    if (latent_form_ == "absorbed") request.latent_forms = {LatentForm::absorbed};
    request.expert_calls.clear();
    if (expert_calls_ != "grouped") request.expert_calls.push_back(ExpertCalls::each);
    if (expert_calls_ != "each") request.expert_calls.push_back(ExpertCalls::grouped);
    if (expert_tokens_ == "listed") request.expert_tokens = ExpertTokens::listed;
    return request;
  }

  std::string model_;
  std::string format_;
  ModelRequest request_;
  bool packed_{};
  bool fused_{};
  bool unfused_{};
  std::string latent_form_{"both"};
  std::string expert_tokens_{"even"};
  std::string expert_calls_{"both"};
  ShapesOutput output_;
};

}  // namespace

std::unique_ptr<Command> make_shapes_from_model_command() { return std::make_unique<ShapesFromModelCommand>(); }

}  // namespace gemmtune
