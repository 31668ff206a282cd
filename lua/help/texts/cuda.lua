-- cuda.lua: the help on the names of torch.cuda, as in init.lua.
local spaces = {}

spaces["torch.cuda"] = [[
Event: A mark in a stream: record it, wait for it, measure the time between two of them.
current_device: The index of the current GPU.
current_stream: The current stream of a GPU.
default_generators: The generators of random numbers of all GPUs, from 0.
default_stream: The stream of a GPU that is current at first.
device_count: How many GPUs there are.
empty_cache: Gives memory that no tensor uses back to the GPU.
get_device_name: The name of a GPU.
get_device_properties: Name, compute capability, memory and more of a GPU.
init: Starts the GPU now instead of at the first use.
initial_seed: The seed of the current GPU's generator.
ipc_collect: Does nothing: memory is not shared between processes.
is_available: Returns true if there is a GPU.
OutOfMemoryError: The code of errors about memory: err.code == torch.cuda.OutOfMemoryError.
StreamContext = torch.cuda.stream
CUDAGraph(keep_graph=false): Work of a GPU that is captured once, within torch.cuda.graph, and replayed by one call.
amp: The older spellings of torch.amp for CUDA.
clock_rate: The clock of a GPU's processors in MHz, from the driver.
cudaStatus: Numbers of results of the CUDA runtime.
device_memory_used: The bytes of a GPU that all programs use, from the driver.
get_stream_from_external = torch.cuda.ExternalStream
get_sync_debug_mode: What hidden waits for a GPU do: 0 nothing, 1 a warning, 2 an error.
graphs: The functions of torch.cuda that concern graphs, and pools of memory.
has_half: True if the GPU computes in float16; always true.
has_magma: True if MAGMA is there; always false.
is_current_stream_capturing: Returns true if work of the current stream is being captured into a graph.
make_graphed_callables: Makes graphs of the forward and backward of functions or modules, which are called as before.
memory_usage: The percent of the last second in which a GPU's memory was read or written, from the driver.
nvtx: Ranges and marks with names for the tool that watches the process.
power_draw: The milliwatts that a GPU takes, from the driver.
profiler: Begins and ends the recording of a tool that waits for it.
streams: The classes of streams and events.
temperature: The temperature of a GPU in degrees Celsius, from the driver.
utilization: The percent of the last second in which a kernel ran on a GPU, from the driver.
caching_allocator_alloc: The address of memory of a GPU for another library, until caching_allocator_delete.
caching_allocator_delete: Gives memory of caching_allocator_alloc back.
get_allocator_backend: The name of the allocator: "native".
get_per_process_memory_fraction: The part of a GPU's memory that the program may take.
host_memory_stats: The statistics of pinned memory, by PyTorch's names.
host_memory_stats_as_nested_dict: The statistics of pinned memory as tables in tables.
max_memory_cached = torch.cuda.max_memory_reserved
memory: The functions of torch.cuda that concern memory, and the history of requests.
memory_cached = torch.cuda.memory_reserved
memory_snapshot: The segments of memory of all GPUs, each with its blocks.
memory_stats: The statistics of a GPU's memory, by PyTorch's names.
memory_stats_as_nested_dict: The statistics of a GPU's memory as tables in tables.
reset_accumulated_host_memory_stats: Starts the sums of host_memory_stats anew.
reset_accumulated_memory_stats: Starts the sums and counts of memory_stats anew.
reset_peak_host_memory_stats: Starts the peaks of host_memory_stats anew at what is in use now.
set_per_process_memory_fraction: Limits the memory that the program takes from a GPU to a part of all.
is_bf16_supported: Returns true if the GPU computes in bfloat16.
is_initialized: Returns true if a GPU was started.
manual_seed_all: Seeds the generators of all GPUs.
max_memory_allocated: The most bytes that tensors had on a GPU at one time.
max_memory_reserved: The most bytes that were reserved on a GPU at one time.
memory_allocated: The bytes of the tensors that are alive on a GPU.
memory_reserved: The bytes that are reserved on a GPU.
memory_summary: The statistics of a GPU's memory as a table to be printed.
reset_max_memory_allocated = torch.cuda.reset_peak_memory_stats
reset_max_memory_cached = torch.cuda.reset_peak_memory_stats
reset_peak_memory_stats: Starts max_memory_allocated and max_memory_reserved anew at what is in use now.
set_device: Makes a GPU the current one.
set_rng_state_all: Restores the states of all GPUs' generators.
set_stream: Makes a stream the current one.
random: The functions of torch.cuda that concern random numbers.
]]

spaces["torch.cuda.amp"] = [[
custom_bwd = torch.amp.custom_bwd
custom_fwd = torch.amp.custom_fwd
]]
spaces["torch.cuda.nvtx"] = [[
range_end: Ends a range of range_start.
]]
spaces["torch.cuda.streams"] = [[
Event = torch.cuda.Event
ExternalStream = torch.cuda.ExternalStream
Stream = torch.cuda.Stream
]]
spaces["torch.cuda.memory"] = [[
caching_allocator_alloc = torch.cuda.caching_allocator_alloc
caching_allocator_delete = torch.cuda.caching_allocator_delete
empty_cache = torch.cuda.empty_cache
get_allocator_backend = torch.cuda.get_allocator_backend
get_per_process_memory_fraction = torch.cuda.get_per_process_memory_fraction
host_memory_stats = torch.cuda.host_memory_stats
host_memory_stats_as_nested_dict = torch.cuda.host_memory_stats_as_nested_dict
max_memory_allocated = torch.cuda.max_memory_allocated
max_memory_cached = torch.cuda.max_memory_reserved
max_memory_reserved = torch.cuda.max_memory_reserved
mem_get_info = torch.cuda.mem_get_info
memory_allocated = torch.cuda.memory_allocated
memory_cached = torch.cuda.memory_reserved
memory_reserved = torch.cuda.memory_reserved
memory_snapshot = torch.cuda.memory_snapshot
memory_stats = torch.cuda.memory_stats
memory_stats_as_nested_dict = torch.cuda.memory_stats_as_nested_dict
memory_summary = torch.cuda.memory_summary
reset_accumulated_host_memory_stats = torch.cuda.reset_accumulated_host_memory_stats
reset_accumulated_memory_stats = torch.cuda.reset_accumulated_memory_stats
reset_max_memory_allocated = torch.cuda.reset_peak_memory_stats
reset_max_memory_cached = torch.cuda.reset_peak_memory_stats
reset_peak_host_memory_stats = torch.cuda.reset_peak_host_memory_stats
reset_peak_memory_stats = torch.cuda.reset_peak_memory_stats
set_per_process_memory_fraction = torch.cuda.set_per_process_memory_fraction
]]

return spaces
