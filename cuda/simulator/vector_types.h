// vector_types.h: CUDA's short vectors (float4, uint2, ...) and dim3, with CUDA's sizes and
// alignments.
#ifndef TOCHA_SIMULATOR_VECTOR_TYPES_H
#define TOCHA_SIMULATOR_VECTOR_TYPES_H

namespace simulator {
template <class T> struct Vector1 { T x; };
template <class T> struct alignas(2 * sizeof(T)) Vector2 { T x, y; };
template <class T> struct Vector3 { T x, y, z; };
template <class T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Vector4 { T x, y, z, w; };
} // namespace simulator

using char1 = simulator::Vector1<signed char>;
using char2 = simulator::Vector2<signed char>;
using char3 = simulator::Vector3<signed char>;
using char4 = simulator::Vector4<signed char>;
using uchar1 = simulator::Vector1<unsigned char>;
using uchar2 = simulator::Vector2<unsigned char>;
using uchar3 = simulator::Vector3<unsigned char>;
using uchar4 = simulator::Vector4<unsigned char>;
using short1 = simulator::Vector1<short>;
using short2 = simulator::Vector2<short>;
using short3 = simulator::Vector3<short>;
using short4 = simulator::Vector4<short>;
using ushort1 = simulator::Vector1<unsigned short>;
using ushort2 = simulator::Vector2<unsigned short>;
using ushort3 = simulator::Vector3<unsigned short>;
using ushort4 = simulator::Vector4<unsigned short>;
using int1 = simulator::Vector1<int>;
using int2 = simulator::Vector2<int>;
using int3 = simulator::Vector3<int>;
using int4 = simulator::Vector4<int>;
using uint1 = simulator::Vector1<unsigned int>;
using uint2 = simulator::Vector2<unsigned int>;
using uint3 = simulator::Vector3<unsigned int>;
using uint4 = simulator::Vector4<unsigned int>;
using long1 = simulator::Vector1<long>;
using long2 = simulator::Vector2<long>;
using long3 = simulator::Vector3<long>;
using long4 = simulator::Vector4<long>;
using ulong1 = simulator::Vector1<unsigned long>;
using ulong2 = simulator::Vector2<unsigned long>;
using ulong3 = simulator::Vector3<unsigned long>;
using ulong4 = simulator::Vector4<unsigned long>;
using longlong1 = simulator::Vector1<long long>;
using longlong2 = simulator::Vector2<long long>;
using longlong3 = simulator::Vector3<long long>;
using longlong4 = simulator::Vector4<long long>;
using ulonglong1 = simulator::Vector1<unsigned long long>;
using ulonglong2 = simulator::Vector2<unsigned long long>;
using ulonglong3 = simulator::Vector3<unsigned long long>;
using ulonglong4 = simulator::Vector4<unsigned long long>;
using float1 = simulator::Vector1<float>;
using float2 = simulator::Vector2<float>;
using float3 = simulator::Vector3<float>;
using float4 = simulator::Vector4<float>;
using double1 = simulator::Vector1<double>;
using double2 = simulator::Vector2<double>;
using double3 = simulator::Vector3<double>;
using double4 = simulator::Vector4<double>;

static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int width = 1, unsigned int height = 1, unsigned int depth = 1)
      : x(width), y(height), z(depth) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
