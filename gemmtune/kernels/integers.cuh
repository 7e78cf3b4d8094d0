// Short names of integer types, for kernels that mostly move bits.
#pragma once

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;
using i64 = long long;
