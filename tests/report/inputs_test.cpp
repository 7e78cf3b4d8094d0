#include "gemmtune/report/inputs.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/report/comparison.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

class Inputs : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_.path() / name).parent_path());
    write_file_atomically(folder_.path() / name, text);
  }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_;
};

TEST_F(Inputs, AFolderStandsForWhatIsInIt) {
  write("b/deep/profile.CSV", "M,N,K,us,kernelName\n");
  write("a.csv", "M,N,K\n");
  write("notes.txt", "M,N,K,us,kernelName\n");
  { auto store = TrialStore::open(at("s.trials.db")); }
  const auto files = input_files({folder_.path().string()});
  EXPECT_EQ(files, (std::vector<fs::path>{at("a.csv"), at("b/deep/profile.CSV"), at("s.trials.db")}));
  EXPECT_EQ(input_files({at("notes.txt").string()}).size(), 1U) << "whatever is named is read";
  EXPECT_THROW(static_cast<void>(input_files({at("none").string()})), Error);
}

TEST_F(Inputs, KindsAreToldByContent) {
  write("a.csv", "M,N,K,us,kernelName\n1,2,4,5,asm_x\n");
  write("b.csv", "M,N,K,triton_us\n1,2,4,5\n");
  write("c.csv", "M,N,K\n1,2,4\n");
  { auto store = TrialStore::open(at("s.trials.db")); }
  const auto readings = read_inputs(input_files({folder_.path().string()}), {});
  EXPECT_EQ(readings.sources,
            (std::vector<std::string>{at("a.csv").string(), at("b.csv").string(), at("s.trials.db").string()}));
  EXPECT_EQ(readings.without_times, std::vector<std::string>{at("c.csv").string()});
  EXPECT_TRUE(is_store(at("s.trials.db")));
  EXPECT_FALSE(is_store(at("a.csv")));
}

TEST_F(Inputs, StoresGiveTrialsAndTheLatestResults) {
  {
    auto store = TrialStore::open(at("s.trials.db"));
    store.add(invented_problem(), invented_evaluation(), invented_context());
    for (const double us : {5.0, 4.0})
      store.add_result(store.begin_run("gemmtune tune", 1),
                       {.problem = invented_problem(), .winner = "toy", .time_us = us});
  }
  write("a.csv", "M,N,K,us,kernelName\n");
  const auto contents = contents_of_stores(input_files({folder_.path().string()}));
  EXPECT_EQ(contents.trials.size(), 1U);
  ASSERT_EQ(contents.results.size(), 1U);
  EXPECT_EQ(contents.results[0].time_us, 4);
}

TEST_F(Inputs, MixedOnesMeetOnTheirShapes) {
  write("a16w16.csv",
        "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio\n"
        "x86-64-avx2,8,64,4096,512,False,torch.bfloat16,torch.bfloat16,False,False,onednn,-1,0,9,onednn_bf16,0\n");
  write("bench.csv", "M,N,K,torch_us\n64,4096,512,30\n");
  {
    auto store = TrialStore::open(at("s.trials.db"));
    store.add(invented_problem(), invented_evaluation(), invented_context());
  }
  write("list.csv", "M,N,K\n1,2,3\n");
  write("broken.csv", "");
  const auto readings = read_inputs(input_files({folder_.path().string()}), {});
  const auto comparison = compare(readings.measurements);
  ASSERT_EQ(comparison.shapes.size(), 1U);
  EXPECT_EQ(comparison.backends, (std::vector<std::string>{"onednn", "torch", "toy"}));
  EXPECT_EQ(readings.sources.size(), 3U);
  EXPECT_EQ(readings.without_times, std::vector<std::string>{at("list.csv").string()});
  ASSERT_FALSE(readings.notes.empty());
  EXPECT_NE(readings.notes.front().find("broken.csv"), std::string::npos);
}

}  // namespace
}  // namespace gemmtune
