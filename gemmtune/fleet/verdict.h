// What the end of a shard's job means: whether its results count, and whose fault it was. A pure function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gemmtune {

/// How a job ended, as far as the head knows.
struct JobEnd {
  enum class Kind : std::uint8_t {
    exited,   // with `exit_code`
    lost,     // its processes are gone, and it left no exit code: killed, or the disk was full
    refused,  // the host took the shard not at all
    waiting,  // it did not begin: another job uses the device
    silent,   // the host cannot be reached any more
  };
  Kind kind{Kind::exited};
  int exit_code{};
  std::string why{};     // the last words of the log or of ssh
  std::int64_t right{};  // candidates that were right
  std::int64_t died{};   // candidates that crashed or hung
  std::int64_t free_disk_kb{-1};
  bool is_out_of_time{};  // its budget ended before all shapes were done
};

enum class JobVerdict : std::uint8_t {
  done,            // the results count
  stopped,         // by its user or its budget; what it measured counts, and the rest is to be done
  shards_fault,    // no other host would do better
  hosts_fault,     // another host may do better; what it measured counts
  hosts_bad_word,  // likewise, and nothing that it measured counts. Or the candidates are at fault, which a calibration
                   // of the device tells
};

std::string_view to_string(JobVerdict verdict);

struct Judgement {
  JobVerdict verdict{JobVerdict::done};
  std::string why{};
  bool sets_aside{};  // the device is not used again, after one such failure
};

Judgement judge(const JobEnd& end);

/// The same once it is known that the candidates are at fault that crashed or hung there, and not the host.
Judgement judge_trusted(const JobEnd& end);

}  // namespace gemmtune
