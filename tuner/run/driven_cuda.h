// A card behind NVIDIA's driver: memory between canaries, kernels from cubins, time from events.
// Its settings (clocks, power, modes) are never touched. The caller ends the process after a
// VariantFault: most of them leave the card's context dead.
#pragma once
#include <map>

#include "run/cuda_card.h"
#include "run/cuda_driver.h"

namespace rooftune::inline run {

class DrivenCuda final : public CudaMachine {
 public:
  DrivenCuda(std::unique_ptr<CudaDriver> driver, CudaCard card);

  const CudaProperties& properties() const override { return card_.properties; }
  void* allocate(std::int64_t bytes) override;
  void release(void* start) noexcept override;
  void upload(void* to, const void* from, std::int64_t bytes) override;
  void download(void* to, const void* from, std::int64_t bytes) override;
  void clear(void* start, std::int64_t bytes) override;
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) override;
  void keep_in_l2(const void* start, std::int64_t bytes) override;
  // The card has barriers of its own.
  void barrier() override {}
  const unsigned char* exchange(unsigned, const void*, int) override { return nullptr; }

  void use(const Task& task) override;
  void drop(const Task& task) override;
  void wait() override;
  double seconds(const std::function<void()>& calls) override;
  void flush() override;
  std::string damage() override;
  std::optional<CardState> state() override;

 private:
  /// What one variant holds.
  struct Variant {
    CudaModule module = nullptr;
    std::map<std::string, CudaFunction> functions;
    std::map<CudaAddress, std::int64_t> memory;  ///< what the variant was given, and its bytes
    bool keeps_in_l2 = false;
  };

  /// Throws VariantFault with the outcome that a failed result means.
  void check(CudaResult result, const std::string& what) const;
  CudaFunction function(const char* kernel);
  void release_all(Variant& variant);

  std::unique_ptr<CudaDriver> driver_;
  CudaCard card_;
  CudaStream stream_ = nullptr;
  CudaEvent begin_ = nullptr, end_ = nullptr;
  CudaFunction flush_kernel_ = nullptr;  ///< null: the driver cannot assemble it
  CudaAddress flushed_ = 0;
  std::map<std::filesystem::path, Variant> variants_;
  Variant* current_ = nullptr;
};

}  // namespace rooftune::inline run
