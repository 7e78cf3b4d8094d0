#include "gemmtune/replay/recording.h"

#include "gemmtune/core/files.h"
#include "gemmtune/measure/statistics.h"
#include "gemmtune/replay/xz.h"

namespace gemmtune {
namespace {

bool is_compressed(const std::filesystem::path& path) { return path.extension() == ".xz"; }

Samples scaled(Samples samples, double factor) {
  for (double& sample : samples.us) sample *= factor;
  return samples;
}

std::vector<const RecordedCandidate*> confirmed_of(const RecordedShape& shape) {
  std::vector<const RecordedCandidate*> confirmed;
  for (const auto& one : shape.candidates)
    if (one.outcome == Outcome::ok && !one.confirm.us.empty() && !one.screen_us.empty()) confirmed.push_back(&one);
  return confirmed;
}

}  // namespace

Recording read_recording(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return parse_recording(is_compressed(path) ? decompress_xz(bytes, path.string()) : bytes, path.string());
}

void write_recording(const std::filesystem::path& path, const Recording& recording) {
  const auto text = recording_text(recording);
  write_file_atomically(path, is_compressed(path) ? compress_xz(text) : text);
}

RecordedShape with_all_confirmed(RecordedShape shape) {
  const RecordedShape original = shape;
  const auto models = confirmed_of(original);
  std::size_t next = 0;
  for (auto& one : shape.candidates) {
    if (one.outcome != Outcome::ok || !one.confirm.us.empty()) continue;
    one.confirm = {.us = one.screen_us};
    if (models.empty()) continue;
    const auto& model = *models[next++ % models.size()];
    const double factor = median(one.screen_us).value_or(0) / median(model.screen_us).value_or(1);
    one.confirm = scaled(model.confirm, factor);
  }
  return shape;
}

}  // namespace gemmtune
