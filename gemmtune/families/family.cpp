#include "gemmtune/families/family.h"

namespace gemmtune {

void PreparedGemm::pack_weights(const Operands&, std::byte*, Stream&) {}

}  // namespace gemmtune
