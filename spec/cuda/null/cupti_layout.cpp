/* cupti_layout.cpp: compiles only if the constants and the records of cupti_api.h agree with the toolkit's header. It is part of
 * tocha_cuda_null if the toolkit has cupti.h. Records are compared up to the last member that is declared here, because CUPTI's
 * newer versions add members at the end. */
#include <cstddef>

#include <cupti.h>

/* Ours has other types, so its functions need other names. */
#define cuptiActivityRegisterCallbacks ours_register_callbacks
#define cuptiActivityEnable ours_enable
#define cuptiActivityDisable ours_disable
#define cuptiActivityFlushAll ours_flush_all
#define cuptiActivityGetNextRecord ours_get_next_record
#define cuptiGetTimestamp ours_get_timestamp
namespace ours {
#include "runtime/cupti_api.h"
}

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 Kernel;
#else
typedef CUpti_ActivityKernel9 Kernel;
#endif
#if CUPTI_API_VERSION >= 120000
typedef CUpti_ActivityMemcpy6 Memcpy;
typedef CUpti_ActivityMemset4 Memset;
#else
typedef CUpti_ActivityMemcpy5 Memcpy;
typedef CUpti_ActivityMemset4 Memset;
#endif

#define SAME_NUMBER(name)                                                                          \
  static_assert(static_cast<int>(ours::name) == static_cast<int>(::name), #name)
SAME_NUMBER(CUPTI_SUCCESS);
SAME_NUMBER(CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME_NUMBER(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME_NUMBER(CUPTI_ACTIVITY_KIND_MEMCPY);
SAME_NUMBER(CUPTI_ACTIVITY_KIND_MEMSET);
SAME_NUMBER(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_NUMBER(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
SAME_NUMBER(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
SAME_NUMBER(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
SAME_NUMBER(CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
SAME_NUMBER(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
SAME_NUMBER(CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
SAME_NUMBER(CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
SAME_NUMBER(CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
SAME_NUMBER(CUPTI_ACTIVITY_MEMORY_KIND_MANAGED);
SAME_NUMBER(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

#define SAME_PLACE(record, member, theirs)                                                         \
  static_assert(offsetof(ours::CUpti_Activity##record, member) == offsetof(record, theirs),        \
                #record "." #member)
#define SAME_MEMBER(record, member)                                                                \
  SAME_PLACE(record, member, member);                                                              \
  static_assert(sizeof(ours::CUpti_Activity##record::member) == sizeof(record::member),            \
                "the size of " #record "." #member)
SAME_MEMBER(Memcpy, kind);
SAME_MEMBER(Memcpy, copyKind);
SAME_MEMBER(Memcpy, srcKind);
SAME_MEMBER(Memcpy, dstKind);
SAME_MEMBER(Memcpy, flags);
SAME_MEMBER(Memcpy, bytes);
SAME_MEMBER(Memcpy, start);
SAME_MEMBER(Memcpy, end);
SAME_MEMBER(Memcpy, deviceId);

SAME_MEMBER(Memset, kind);
SAME_MEMBER(Memset, value);
SAME_MEMBER(Memset, bytes);
SAME_MEMBER(Memset, start);
SAME_MEMBER(Memset, end);
SAME_MEMBER(Memset, deviceId);

SAME_MEMBER(Kernel, kind);
SAME_MEMBER(Kernel, cacheConfig);
SAME_MEMBER(Kernel, sharedMemoryConfig);
SAME_MEMBER(Kernel, registersPerThread);
SAME_MEMBER(Kernel, start);
SAME_MEMBER(Kernel, end);
SAME_MEMBER(Kernel, completed);
SAME_MEMBER(Kernel, deviceId);
SAME_MEMBER(Kernel, contextId);
SAME_MEMBER(Kernel, streamId);
SAME_PLACE(Kernel, grid, gridX);
SAME_PLACE(Kernel, block, blockX);
SAME_MEMBER(Kernel, staticSharedMemory);
SAME_MEMBER(Kernel, dynamicSharedMemory);
SAME_MEMBER(Kernel, localMemoryPerThread);
SAME_MEMBER(Kernel, localMemoryTotal);
SAME_MEMBER(Kernel, correlationId);
SAME_MEMBER(Kernel, gridId);
SAME_MEMBER(Kernel, name);
