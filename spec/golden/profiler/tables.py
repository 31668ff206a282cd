"""Tables of a profile with given times, as PyTorch lays them out. Writes tables.expected, which spec/lua/profiler_spec.lua reads.

python spec/golden/profiler/tables.py
"""
import os

from torch.autograd.profiler_util import EventList, FunctionEventAvg

ROWS = [
    ("aten::addmm", 6, 1203.5, 1203.5, 8064, 8064),
    ("forward", 1, 12210.25, 154.75, 26440, 0),
    ("aten::a_name_that_is_longer_than_the_fifty_five_columns_that_it_gets", 300, 2.5e6, 1.5e6, -3 << 20, 5 << 30),
    ("aten::t", 6, 7.0, 7.0, 0, 0),
]


def event(key, count, total, own, memory, own_memory):
    e = FunctionEventAvg()
    e.key, e.count, e.is_legacy, e.node_id, e.input_shapes = key, count, True, -1, ""
    e.self_cpu_time_total, e.cpu_time_total = own, total
    e.cpu_memory_usage, e.self_cpu_memory_usage = memory, own_memory
    return e


events = EventList([event(*row) for row in ROWS], profile_memory=True)
asked = [{"sort_by": name} for name in ("self_cpu_time_total", "cpu_time_total", "cpu_time", "cpu_memory_usage", "self_cpu_memory_usage", "count")]
asked += [{"row_limit": 2}, {"sort_by": "count", "header": "A header"}, {"sort_by": "count", "max_name_column_width": 12}]
with open(os.path.join(os.path.dirname(__file__), "tables.expected"), "w") as f:
    f.write("\f\n".join(events.table(**words) for words in asked))
    f.write("\f\n" + repr(events[0]) + "\n")
