// The level of an x86-64 processor, as its psABI defines them: 1 for v2, 2 for v3, 3 for v4.
#include <cpuid.h>

static int has(unsigned found, unsigned wanted) { return (found & wanted) == wanted; }

int processor_level(void) {
  unsigned a, b, c, d, leaf1, leaf7, extended, saved = 0;
  if (!__get_cpuid(1, &a, &b, &leaf1, &d)) return 0;
  if (!has(leaf1, bit_SSE3 | bit_SSSE3 | bit_SSE41 | bit_SSE42 | bit_POPCNT | bit_CMPXCHG16B))
    return 0;
  if (!has(leaf1, bit_AVX | bit_F16C | bit_FMA | bit_MOVBE | bit_OSXSAVE)) return 1;
  if (!__get_cpuid_count(7, 0, &a, &leaf7, &c, &d)) return 1;
  if (!__get_cpuid(0x80000001, &a, &b, &extended, &d)) return 1;
  if (!has(leaf7, bit_AVX2 | bit_BMI | bit_BMI2) || !has(extended, bit_LZCNT)) return 1;
  // What the operating system keeps when threads change: vectors of 256, then of 512 bits.
  __asm__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
  if (!has(saved, 0x06)) return 1;
  return has(saved, 0xe6) && has(leaf7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) ? 3 : 2;
}
