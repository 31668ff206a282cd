-- Settings of the whole program: anomaly detection, precision of products, threads, autocast's older names, the default device.
local torch = require "torch"
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.set_anomaly_enabled(true, false)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.set_anomaly_enabled(false)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())

torch.autograd.set_detect_anomaly(true)
print(torch.is_anomaly_enabled())
torch.autograd.set_detect_anomaly(false)
do
  local _ <close> = torch.autograd.detect_anomaly(false)
  print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
end
print(torch.is_anomaly_enabled())

local x = torch.tensor({-1.0, 4.0}, {requires_grad = true})
print(x:sqrt():sum():backward(), x.grad)

print(torch.get_float32_matmul_precision())
torch.set_float32_matmul_precision "high"
print(torch.get_float32_matmul_precision())
torch.set_float32_matmul_precision "highest"
print(torch.get_float32_matmul_precision())

local threads = torch.get_num_threads()
torch.set_num_threads(1)
print(torch.get_num_threads())
torch.set_num_threads(threads)
print(torch.get_num_threads() == threads)

torch.set_default_device "meta"
print(torch.ones(2).device)
torch.set_default_device "cpu"
print(torch.ones(2).device)

torch.set_autocast_cpu_enabled(true)
torch.set_autocast_cpu_dtype(torch.float16)
print(torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype(), torch.get_autocast_dtype "cpu")
torch.set_autocast_cpu_enabled(false)
torch.set_autocast_cpu_dtype(torch.bfloat16)
print(torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype())
torch.set_autocast_gpu_dtype(torch.bfloat16)
print(torch.get_autocast_dtype "cuda")
torch.set_autocast_gpu_dtype(torch.float16)
print(torch.get_autocast_dtype "cuda")
