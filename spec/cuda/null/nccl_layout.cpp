/* nccl_layout.cpp: compiles only if the constants and the configuration of distributed/interface.h agree with NCCL's own header. It
 * is part of tocha_cuda_null if nccl.h is there. The configuration is compared up to the last member that is declared here, because newer
 * versions add members at the end. */
#include <cstddef>

#include <nccl.h>

/* Ours are macros or other types there. */
static constexpr int undefined = NCCL_CONFIG_UNDEF_INT;
static constexpr size_t id_bytes = NCCL_UNIQUE_ID_BYTES;
static constexpr ncclConfig_t configuration = NCCL_CONFIG_INITIALIZER;
static constexpr int no_color = NCCL_SPLIT_NOCOLOR;
#undef NCCL_CONFIG_UNDEF_INT
#undef NCCL_SPLIT_NOCOLOR
#undef NCCL_UNIQUE_ID_BYTES
#define ncclGetErrorString ours_get_error_string
#define ncclGetLastError ours_get_last_error
#define ncclGetVersion ours_get_version
#define ncclGetUniqueId ours_get_unique_id
#define ncclCommInitRankConfig ours_init
#define ncclCommGetAsyncError ours_get_async_error
#define ncclCommFinalize ours_finalize
#define ncclCommDestroy ours_destroy
#define ncclCommAbort ours_abort
#define ncclRedOpCreatePreMulSum ours_create_sum
#define ncclRedOpDestroy ours_destroy_sum
#define ncclGroupStart ours_group_start
#define ncclGroupEnd ours_group_end
#define ncclAllReduce ours_all_reduce
#define ncclBroadcast ours_broadcast
#define ncclReduce ours_reduce
#define ncclAllGather ours_all_gather
#define ncclReduceScatter ours_reduce_scatter
#define ncclSend ours_send
#define ncclRecv ours_recv
#define ncclCommInitRankScalable ours_init_scalable
#define ncclCommSplit ours_split
#define ncclAlltoAll ours_all_to_all
namespace ours {
#include "../../../cuda/distributed/interface.h"
}

#define SAME_NUMBER(name)                                                                          \
  static_assert(static_cast<int>(ours::name) == static_cast<int>(::name), #name)
SAME_NUMBER(ncclSuccess);
SAME_NUMBER(ncclUnhandledCudaError);
SAME_NUMBER(ncclSystemError);
SAME_NUMBER(ncclInternalError);
SAME_NUMBER(ncclInvalidArgument);
SAME_NUMBER(ncclInvalidUsage);
SAME_NUMBER(ncclRemoteError);
SAME_NUMBER(ncclInProgress);
SAME_NUMBER(ncclSum);
SAME_NUMBER(ncclProd);
SAME_NUMBER(ncclMax);
SAME_NUMBER(ncclMin);
SAME_NUMBER(ncclAvg);
SAME_NUMBER(ncclNumOps);
SAME_NUMBER(ncclInt8);
SAME_NUMBER(ncclUint8);
SAME_NUMBER(ncclInt32);
SAME_NUMBER(ncclUint32);
SAME_NUMBER(ncclInt64);
SAME_NUMBER(ncclUint64);
SAME_NUMBER(ncclFloat16);
SAME_NUMBER(ncclFloat32);
SAME_NUMBER(ncclFloat64);
SAME_NUMBER(ncclBfloat16);
#if NCCL_VERSION_CODE >= 22400
SAME_NUMBER(ncclFloat8e4m3);
SAME_NUMBER(ncclFloat8e5m2);
#endif
SAME_NUMBER(ncclScalarHostImmediate);
static_assert(sizeof(ours::ncclRedOp_t) == sizeof(::ncclRedOp_t), "a reduction");
static_assert(sizeof(ours::ncclUniqueId) == sizeof(::ncclUniqueId) &&
                  id_bytes == ours::NCCL_UNIQUE_ID_BYTES,
              "an id");
static_assert(undefined == ours::NCCL_CONFIG_UNDEF_INT, "a number that is not set");
static_assert(no_color == ours::NCCL_SPLIT_NOCOLOR, "no color");

#define SAME_MEMBER(member)                                                                        \
  static_assert(offsetof(ours::ncclConfig_t, member) == offsetof(::ncclConfig_t, member) &&        \
                    sizeof(ours::ncclConfig_t::member) == sizeof(::ncclConfig_t::member),          \
                #member)
SAME_MEMBER(size);
SAME_MEMBER(magic);
SAME_MEMBER(version);
SAME_MEMBER(blocking);
SAME_MEMBER(cgaClusterSize);
SAME_MEMBER(minCTAs);
SAME_MEMBER(maxCTAs);
SAME_MEMBER(netName);
SAME_MEMBER(splitShare);
static_assert(configuration.magic == NCCL_CONFIG_MAGIC, "the magic number");
