// Copies trials from one store into another: results of other machines come back this way, and what is already known
// travels to them this way. trials/store.h has the functions for users.
#pragma once

#include <filesystem>
#include <set>

#include "gemmtune/trials/query.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// As TrialStore::absorb(). The connection must be outside of a transaction.
Absorbed absorb_store(Connection& connection, const std::filesystem::path& from, const std::set<Problem>& only);

}  // namespace gemmtune
