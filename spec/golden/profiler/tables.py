"""Tables of a profile with given times, as PyTorch lays them out. Writes tables.expected, which spec/lua/profiler_spec.lua reads.

python spec/golden/profiler/tables.py
"""
import os

from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEventAvg

ROWS = [
    ("aten::addmm", 6, 1203.5, 1203.5, 8064, 8064),
    ("forward", 1, 12210.25, 154.75, 26440, 0),
    ("aten::a_name_that_is_longer_than_the_fifty_five_columns_that_it_gets", 300, 2.5e6, 1.5e6, -3 << 20, 5 << 30),
    ("aten::t", 6, 7.0, 7.0, 0, 0),
]
GPU = [(2500.5, 2500.5, 4096, 4096), (3e6, 0.0, 5000, 0), (1.25e6, 1.25e6, -2048, 1 << 21), (0.0, 0.0, 0, 0)]


def event(key, count, total, own, memory, own_memory, gpu=None):
    e = FunctionEventAvg()
    e.key, e.count, e.is_legacy, e.node_id, e.input_shapes = key, count, True, -1, ""
    e.device_type = DeviceType.CPU
    e.self_cpu_time_total, e.cpu_time_total = own, total
    e.cpu_memory_usage, e.self_cpu_memory_usage = memory, own_memory
    if gpu:
        e.use_device = "cuda"
        e.device_time_total, e.self_device_time_total, e.device_memory_usage, e.self_device_memory_usage = gpu
    return e


events = EventList([event(*row) for row in ROWS], profile_memory=True)
asked = [{"sort_by": name} for name in ("self_cpu_time_total", "cpu_time_total", "cpu_time", "cpu_memory_usage", "self_cpu_memory_usage", "count")]
asked += [{"row_limit": 2}, {"sort_by": "count", "header": "A header"}, {"sort_by": "count", "max_name_column_width": 12}]
on_gpu = EventList([event(*row, gpu) for row, gpu in zip(ROWS, GPU)], profile_memory=True)
gpu_asked = [{}, {"sort_by": "self_cuda_time_total"}, {"sort_by": "cuda_time"}, {"sort_by": "self_device_memory_usage"}]
with open(os.path.join(os.path.dirname(__file__), "tables.expected"), "w") as f:
    f.write("\f\n".join(events.table(**words) for words in asked))
    f.write("\f\n" + "\f\n".join(on_gpu.table(**words) for words in gpu_asked))
    f.write("\f\n" + repr(events[0]) + "\n\f\n" + repr(on_gpu[0]) + "\n")
