// What became of memory: inputs that must be as they were, and guards around outputs.

/// Adds up a bijection of each word that depends on where it stands: a single changed word changes the sum.
extern "C" __global__ void fingerprint(const unsigned char* bytes, std::int64_t count, unsigned long long* sum) {
  const Counter places(0, Tensor::a);
  unsigned long long here = 0;
  for (std::int64_t word = blockIdx.x * blockDim.x + threadIdx.x; word * 8 < count; word += gridDim.x * blockDim.x) {
    unsigned long long value = 0;
    if (word * 8 + 8 <= count) {
      value = reinterpret_cast<const unsigned long long*>(bytes)[word];
    } else {
      for (std::int64_t i = word * 8; i < count; ++i) value = value << 8 | bytes[i];
    }
    value = (value ^ places.bits(word)) * 0xbf58476d1ce4e5b9ULL;
    here += (value ^ value >> 29) * 0x94d049bb133111ebULL;
  }
  for (int step = 16; step > 0; step /= 2) here += __shfl_xor_sync(0xffffffffU, here, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, here);
}

/// A block to each of the guards, which must hold what `intact` does. Byte by byte: the guard behind a buffer begins
/// where the buffer ends, which may be anywhere.
extern "C" __global__ void count_broken_guards(const unsigned char* const* guards, const unsigned char* intact,
                                               int bytes, unsigned* broken) {
  const unsigned char* guard = guards[blockIdx.x];
  int changed = 0;
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) changed |= guard[i] ^ intact[i];
  if (changed != 0) atomicAdd(broken, 1U);
}
