-- utils/dlpack.lua: torch.utils.dlpack, tensors of other libraries without a copy.
local torch = ...

return torch._namespace({
  from_dlpack = torch.from_dlpack,
  to_dlpack = torch.to_dlpack,
  DLDeviceType = {
    kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4, kDLVulkan = 7, kDLMetal = 8, kDLVPI = 9, kDLROCM = 10, kDLROCMHost = 11,
    kDLExtDev = 12, kDLCUDAManaged = 13, kDLOneAPI = 14, kDLWebGPU = 15, kDLHexagon = 16, kDLMAIA = 17,
  },
}, "torch.utils.dlpack")
