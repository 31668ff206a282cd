-- help/texts/init.lua: the help on names that have no place for a `---` comment: constants, classes, functions made in a loop,
-- attributes. One line a name, "name: text", or "name(parameters): text" if torch._define does not have the parameters; "name =
-- torch.other" for another name of a function. Lines that begin with blanks are the name's paragraph: shapes, dtypes, errors.
local torch = ...
local spaces = {}

spaces["torch"] = [[
Event(device?, enable_timing=false, blocking=false, interprocess=false): A point in a stream of an accelerator, torch.cuda.Event.
OutOfMemoryError: The code of errors about memory: err.code == torch.OutOfMemoryError.
Stream(device?, priority=0): A stream of an accelerator, torch.cuda.Stream.
nn: Modules, their containers, initializers (nn.init) and functions (nn.functional): what neural networks are made of.
linalg: Linear algebra: decompositions, solvers, norms.
special: Special functions of mathematics, by their names in SciPy.
distributed: Training in many processes: groups of ranks, collectives, stores (docs/distributed.md).
optim: Optimizers, and the schedulers of their learning rates (optim.lr_scheduler).
ops: Operators that programs and modules in C have defined, by namespace: torch.ops.image.blur (docs/embedding.md).
multiprocessing: Functions of this program in processes of their own: spawn, Process (docs/launching.md).
autograd: Gradients: autograd.grad, backward, functions with a derivative of one's own (autograd.Function), and hooks.
utils: Data loading (utils.data), checkpointing (utils.checkpoint), files (utils.safetensors, utils.tensorboard), benchmarks (utils.benchmark).
serialization: torch.save and torch.load, on files and on strings (load_bytes, save_bytes), and Python's types in them (docs/files.md).
are_deterministic_algorithms_enabled: Returns true if use_deterministic_algorithms(true) was called last.
is_deterministic_algorithms_warn_only_enabled: Returns true if use_deterministic_algorithms(true, {warn_only = true}) was called last.
use_deterministic_algorithms: Asks for algorithms that give the same bits on each run; on the CPU all do, on GPUs all but the gradient of grid_sample.
Tensor(sizes... or data): The class of all tensors. Called, it gives an uninitialized float32 tensor of these sizes, or one that holds the data; torch.tensor is the usual way.
FloatTensor(sizes... or data): The old constructor of float32 tensors.
DoubleTensor(sizes... or data): The old constructor of float64 tensors.
HalfTensor(sizes... or data): The old constructor of float16 tensors.
LongTensor(sizes... or data): The old constructor of int64 tensors.
IntTensor(sizes... or data): The old constructor of int32 tensors.
ShortTensor(sizes... or data): The old constructor of int16 tensors.
CharTensor(sizes... or data): The old constructor of int8 tensors.
ByteTensor(sizes... or data): The old constructor of uint8 tensors.
BoolTensor(sizes... or data): The old constructor of bool tensors.
Size(table): The sizes of a tensor as one value, counted from 0: x.shape[0]; it compares by value, and numel() is the product.
tensor(data, *, dtype?, device?, requires_grad=false, pin_memory=false): A tensor with a copy of the data: numbers, tables of numbers, a tensor, an array.
  Nested tables are rows, which must all be of the same length. Integers make int64, fractions the default dtype (float32), true and false bool; dtype = ... decides otherwise. The data goes into a table of its own if keywords follow: torch.tensor({1, 2}, {dtype = torch.float64}).
as_tensor(data, *, dtype?, device?): A tensor of the data, without a copy where that is possible.
asarray(obj, *, dtype?, device?, copy?, requires_grad?): A tensor of a tensor, an array, numbers or tables of numbers, without a copy if possible.
  copy = true asks for a copy, copy = false for none: then it is an error if one is needed. requires_grad is that of obj if it is not given.
range(start, end, step=1, *, out?, dtype?, device?, requires_grad=false): The old arange, which counts its end, too: use torch.arange.
GradScaler = torch.amp.GradScaler
from_numpy(ndarray): A tensor that shares its memory with an array of torch.numpy.
bfloat16: The dtype of 16-bit numbers with the range of float32 and 8 bits of precision.
bool: The dtype of truth values, one byte each.
double = torch.float64
float8_e4m3fn: The dtype of 8-bit numbers up to 448, with 4 bits of precision. Float8 dtypes store numbers: few operators take them.
float8_e4m3fnuz: As float8_e4m3fn, but up to 240, without -0, and NaN for what is larger.
float8_e5m2: The dtype of 8-bit numbers up to 57344, with 3 bits of precision, and infinities.
float8_e5m2fnuz: As float8_e5m2, but without infinities and -0, and NaN for what is larger.
float8_e8m0fnu: The dtype of powers of two from 2^-127 to 2^127 in 8 bits, such as scales.
float = torch.float32
half = torch.float16
int = torch.int32
long = torch.int64
short = torch.int16
float16: The dtype of 16-bit floating-point numbers.
float32: The dtype of 32-bit floating-point numbers, the default.
float64: The dtype of 64-bit floating-point numbers.
uint8: The dtype of integers from 0 to 255.
int8: The dtype of integers from -128 to 127.
int16: The dtype of 16-bit integers.
int32: The dtype of 32-bit integers.
int64: The dtype of 64-bit integers: indices and class labels.
strided: The layout of dense tensors, the only one.
sparse_coo: A layout that is refused: tensors are strided.
contiguous_format: The memory format in which rows lie one after the other.
channels_last: The memory format of images in which the channels of a pixel lie side by side.
channels_last_3d: The memory format of volumes (N, C, D, H, W) in which the channels of a position lie side by side.
preserve_format: The memory format of the input.
pi: The ratio of a circle's circumference to its diameter.
e: The base of the natural logarithms.
inf: More than every other number, as in math.huge.
nan: What is not a number, not even equal to itself.
newaxis: In a subscript a new dimension of size 1: x[{":", torch.newaxis}].
default_generator: The generator of random numbers that the CPU uses where none is given.
broadcast_shapes(shapes...): The shape that tensors of these shapes broadcast to.
einsum(equation, operands...): Sums of products, written with a letter for each dimension: torch.einsum("ij,jk->ik", a, b) is a matrix product.
  Each operand's dimensions get a letter; letters that are missing behind -> are summed over: 'ij,jk->ik' is mm, 'bij->bji' a transpose, 'ii->' a trace. '...' stands for dimensions that broadcast. The same letter has the same size everywhere, or 1.
finfo(dtype?): The limits of a floating-point dtype: eps, max, min, tiny, bits, resolution.
iinfo(dtype): The limits of an integer dtype: max, min, bits.
format(pattern, values...): string.format that also takes tensors of one element.
get_rng_state: The state of the CPU's generator, as bytes.
set_rng_state: Restores a state that get_rng_state gave.
seed: Seeds all generators at random; the seed.
gradient(input, *, spacing=1, dim?, edge_order=1): Estimates the derivative along each dimension by central differences; a table of tensors.
histogram(input, bins, *, range?, weight?, density=false): How many values fall into each bin, and the edges of the bins.
histogramdd(input, bins, *, range?, weight?, density=false): How many points, the rows of input (N, D), fall into each cell of a grid, and a table of the edges in each dimension.
imag(input): The imaginary part of a complex tensor; an error for real ones, as in PyTorch.
lu(A, pivot=true, get_infos=false): The LU factorization of matrices, packed, with its pivots.
pca_lowrank(A, q?, center=true, niter=2): The main components of the rows of A, by a randomized algorithm: U, S, V.
svd_lowrank(A, q=6, niter=2, M?): An approximate singular value decomposition of rank q, by a randomized algorithm: U, S, V.
scope(function): Calls the function, and releases at its end all tensors made in it but its results.
tensordot(a, b, dims=2): Sums of products over several dimensions: the last ones of a and the first ones of b, or the two lists of dims.
tqdm(iterable, {total, desc, ...}): The values of a loop, with a bar that shows how far it is.
unique(input, sorted=true, return_inverse=false, return_counts=false, dim?): The different values, in order, and, where asked for, where each element is among them and how often each occurs.
unique_consecutive(input, return_inverse=false, return_counts=false, dim?): The values without immediate repetitions.
vander(x, N?, increasing=false): The powers of each element in a row, the highest first unless increasing.
unravel_index(indices, shape): Indices into a flattened tensor as indices of each dimension.
]]

spaces["torch.Tensor"] = [[
T: The tensor with its dimensions reversed: the transpose of a matrix.
mT: The tensor with its last two dimensions swapped.
H: The transposed matrix, its elements conjugated.
mH: The tensor with its last two dimensions swapped, its elements conjugated.
data: The same values without the graph; what is assigned replaces them.
device: Where the elements lie: torch.device("cpu"), torch.device("cuda", 0).
dtype: The type of the elements: torch.float32, ...
free: Gives the memory back at once; the tensor may not be used afterwards.
grad: The gradient that backward() added up, nil before.
grad_fn: The node of the graph that the tensor came from, nil where no gradient is recorded.
is_cpu: True if the elements lie in the memory of the CPU.
is_cuda: True if the elements lie on a GPU.
is_leaf: True if the tensor was made by the user and not by an operator that was recorded.
is_meta: True if the tensor has a shape and no elements.
is_mps: True if the tensor is on an Apple GPU; always false.
is_pinned: Returns true if the memory is pinned, so that copies to a GPU need not wait.
is_quantized: True if the tensor is quantized; always false, Tocha has no quantized tensors.
is_sparse: True if the tensor is sparse; always false, Tocha has no sparse tensors.
itemsize: The bytes of one element.
layout: torch.strided.
nbytes: The bytes of all elements.
ndim: The number of dimensions.
pin_memory: A copy in pinned memory, from which copies to a GPU need not wait.
real: The tensor itself, for real dtypes.
record_stream: Tells the allocator that a stream uses the tensor, so that its memory is not given away before.
requires_grad: True if operators on the tensor are recorded for backward(); may be assigned.
retains_grad: True if the gradient of a tensor that is no leaf is kept.
shape: The sizes, a torch.Size, counted from 0.
numpy(*, force=false): An array of torch.numpy that shares the tensor's memory.
histogram(bins, *, range?, weight?, density=false): As torch.histogram.
lu(pivot=true, get_infos=false): As torch.lu.
unique(sorted=true, return_inverse=false, return_counts=false, dim?): As torch.unique.
unique_consecutive(return_inverse=false, return_counts=false, dim?): As torch.unique_consecutive.
]]

spaces["torch.accelerator"] = [[
current_accelerator: The device of the accelerator of this machine, nil where there is none.
current_device_index: The index of the current accelerator.
current_stream: The current stream of a device.
device_count: How many accelerators there are.
empty_cache: Gives memory that no tensor uses back to the device.
is_available: Returns true if there is an accelerator.
max_memory_allocated: The most bytes that tensors had at one time.
max_memory_reserved: The most bytes that were reserved at one time.
memory_allocated: The bytes of the tensors that are alive.
memory_reserved: The bytes that are reserved on the device.
reset_peak_memory_stats: Starts max_memory_allocated and max_memory_reserved anew at what is in use now.
set_device_idx = torch.accelerator.set_device_index
set_device_index: Makes a device the current one.
set_stream: Makes a stream the current one.
]]

spaces["torch.amp"] = [[
custom_bwd(backward, *, device_type): A backward of an autograd.Function that runs with the autocast of its forward.
custom_fwd(forward, *, device_type, cast_inputs?): A forward of an autograd.Function that knows of autocast; cast_inputs: a dtype that its inputs are cast to.
]]

spaces["torch.autograd"] = [[
Function: The base of functions with a derivative of one's own: extend it, give it forward(ctx, ...) and backward(ctx, ...), call apply.
gradcheck: Compares the gradients of a function with finite differences; true, or an error that shows both.
gradgradcheck: Compares the gradients of the gradients of a function with finite differences; true, or an error that shows both.
once_differentiable(backward): A backward that can be run, but not be differentiated itself.
]]

spaces["torch.autograd.functional"] = [[
jacobian: The derivative of each output by each input.
hessian: The second derivatives of a function whose result is one number.
hvp: The value of func, a number, at the inputs, and its Hessian times the vector v.
vhp: The value of func, a number, at the inputs, and the vector v times its Hessian.
jvp: The value of func at the inputs, and its Jacobian times the vector v.
vjp: The value of func at the inputs, and the vector v times its Jacobian.
]]

spaces["torch.backends.cpu"] = [[
get_cpu_capability: The instructions that the loops use: "AVX512", "AVX2", "DEFAULT".
]]
spaces["torch.backends.cuda"] = [[
SDPAParams: The arguments of a call of scaled_dot_product_attention, for can_use_flash_attention and its like.
allow_fp16_bf16_reduction_math_sdp: Keeps a switch that nothing reads: attention by whole matrices sums in float32.
can_use_cudnn_attention: Returns true if cuDNN's kernel of attention takes a call (SDPAParams); always false.
can_use_efficient_attention: Returns true if a GPU computes a call (SDPAParams) without whole matrices of scores.
can_use_flash_attention: Returns true if a GPU computes a call (SDPAParams) in one kernel of tensor cores, and without a mask.
cudnn_sdp_enabled: Returns true if attention may use CUDNN_ATTENTION.
enable_cudnn_sdp: Allows attention to use CUDNN_ATTENTION, which no device has, or forbids it.
enable_flash_sdp: Allows attention to use FLASH_ATTENTION, or forbids it.
enable_math_sdp: Allows attention to use products of whole matrices, or forbids it.
enable_mem_efficient_sdp: Allows attention to use EFFICIENT_ATTENTION, or forbids it.
flash_sdp_enabled: Returns true if attention may use FLASH_ATTENTION.
fp16_bf16_reduction_math_sdp_allowed: What allow_fp16_bf16_reduction_math_sdp was told, false at first.
is_built: Returns true if the CUDA backend is there.
is_flash_attention_available: Returns true if a GPU is there whose tensor cores the kernel of attention needs.
math_sdp_enabled: Returns true if attention may use products of whole matrices.
mem_efficient_sdp_enabled: Returns true if attention may use EFFICIENT_ATTENTION.
preferred_linalg_library(backend?): The library that torch.linalg prefers on GPUs. "default", "cusolver" or "magma" sets it, though only cuSOLVER is ever called.
sdp_kernel: The older form of torch.nn.attention.sdpa_kernel: four bools say which backends may be used within a block.
matmul: Switches of matrix products on GPUs: allow_tf32, allow_fp16_reduced_precision_reduction, allow_bf16_reduced_precision_reduction.
]]
spaces["torch.backends.mkl"] = [[
is_available: Returns true if MKL is there; always false.
]]
spaces["torch.backends.mkldnn"] = [[
is_available: Returns true if oneDNN was found.
]]
spaces["torch.backends.mps"] = [[
is_available: Returns true if Apple's GPUs can be used; always false.
is_built: Returns true if Apple's GPUs are known to this build; always false.
]]
spaces["torch.backends.openmp"] = [[
is_available: Returns true if OpenMP is used; always false, the threads are Tocha's own.
]]

spaces["torch.cpu"] = [[
current_device: The name of the current device, always "cpu".
device_count: The number of CPUs that PyTorch counts as devices, always 1.
is_available: Returns true if there is a CPU; always true.
is_initialized: Returns true if the CPU was started; always true.
set_device: Does nothing: there is one CPU.
synchronize: Does nothing: the CPU has finished when a call returns.
]]

spaces["torch.datasets"] = [[
Digits(): 1,797 handwritten digits of 8x8 points and their labels, built in.
Iris(): 150 flowers of three kinds, measured; built in.
make_blobs: Points around centers, and which one each belongs to; scikit-learn's function, with its numbers for a random_state.
make_circles: Points on two circles, one in the other, and which one each lies on.
make_classification: Points of several classes with informative and useless coordinates.
make_moons: Points on two half circles that reach into each other, and which one each lies on.
make_regression: Points, and a linear function of them with noise.
make_s_curve: Points on an S-shaped surface, and where along it each lies.
make_swiss_roll: Points on a rolled-up surface, and where along it each lies.
train_test_split(arrays..., test_size?, train_size?, random_state?, shuffle=true, stratify?): Of each array its part for training and its part for testing.
]]

spaces["torch.nn.modules"] = [[
module: Hooks that are called for every module of the program.
utils: Functions on state dicts, where PyTorch has them, too.
]]

spaces["torch.backends"] = [[
cpu: Facts about the processor, and which digits it computes: digits is "pytorch" (the default: PyTorch's, to the last bit) or "fast".
cuda: Facts about the CUDA backend, and the switches of its matrix products.
mkl: True if Intel's MKL is used; for programs that ask.
mkldnn: True if oneDNN is used.
mps: Apple's GPUs, of which Tocha has none; for programs that ask.
openmp: True if OpenMP is used; for programs that ask.
cudnn: cuDNN, which computes convolutions on GPUs, and its switches: enabled, benchmark, benchmark_limit, deterministic, allow_tf32.
]]

spaces["torch.backends.cudnn"] = [[
is_available: Returns true if there is a GPU, and cuDNN was found.
version: The version of cuDNN as a number, 91900 for 9.19; nil without it.
flags: Sets all switches for a block, those that are not named to enabled=false, benchmark=false, benchmark_limit=10, deterministic=false, allow_tf32=true.
]]

spaces["torch.metrics.functional"] = [[
accuracy: The part of the answers that is right.
precision: The part of what was called positive that is positive.
recall: The part of what is positive that was called so.
specificity: The part of what is negative that was called so.
f1_score: The harmonic mean of precision and recall.
auroc: The area under the curve of true positives over false positives.
confusion_matrix: How often each class (rows) was taken for each class (columns).
]]

spaces["torch.metrics"] = [[
Metric(): The base of metrics: update(...) takes a batch in, compute() gives the value of all since reset(); called, a metric does both for one batch. Give one of your own update, compute and reset.
MeanMetric(): The mean of all numbers and tensors that update was given.
Accuracy(task, threshold=0.5, num_classes?, num_labels?, average?, ignore_index?): The part of the answers that is right, over all batches since reset(). task: "binary", "multiclass" (with num_classes) or "multilabel" (with num_labels).
Precision(task, threshold=0.5, num_classes?, num_labels?, average?, ignore_index?): The part of what was called positive that is positive, over all batches since reset().
Recall(task, threshold=0.5, num_classes?, num_labels?, average?, ignore_index?): The part of what is positive that was called so, over all batches since reset().
Specificity(task, threshold=0.5, num_classes?, num_labels?, average?, ignore_index?): The part of what is negative that was called so, over all batches since reset().
F1Score(task, threshold=0.5, num_classes?, num_labels?, average?, ignore_index?): The harmonic mean of precision and recall, over all batches since reset().
AUROC(task, num_classes?, num_labels?, average='macro', ignore_index?): The area under the curve of true positives over false positives, over all batches since reset().
ConfusionMatrix(task, threshold=0.5, num_classes?, num_labels?, normalize?, ignore_index?): How often each class (rows) was taken for each class (columns), over all batches since reset().
]]

spaces["torch.nn"] = [[
functional: The operators of neural networks as functions: activations, convolutions, pooling, losses, attention.
init: Initializers, which fill a tensor in place and return it.
utils: Clipping of gradients, parametrizations, pruning, packed sequences.
modules: Where PyTorch defines its modules; here the hooks of all modules (modules.module).
Module(): The base of all modules. Derive a class with nn.Module:extend "Name"; give it init(self, ...), which makes its parts, and forward(self, ...), which is what a call of the module does.
Container(): An old name of torch.nn.Module.
Sequential(modules...): Modules called one after the other, each with the output of the one before; {{"name", module}, ...} gives them names. net[0] is the first.
ModuleList(modules?): A list of modules, counted from 0, whose parameters are those of the module it is a field of.
ModuleDict(modules?): Modules by name, given as {{"name", module}, ...} where their order matters.
ParameterList(parameters?): A list of parameters, counted from 0.
ParameterDict(parameters?): Parameters by name, given as {{"name", parameter}, ...} where their order matters.
SyncBatchNorm: A batch norm over the batches of all ranks, of inputs with any number of dimensions; in one process there is nothing to synchronize.
Parameter(data?, requires_grad=true): A tensor that a module registers as one of its parameters when it is assigned to a field.
AdaptiveLogSoftmaxWithLoss: A softmax over many classes, the rare ones in clusters of fewer features (Grave et al. 2017).
DataParallel: Runs a module on several GPUs, each with a part of the batch.
Transformer: An encoder and a decoder of attention layers (Vaswani et al. 2017): src (S, N, d_model) and tgt (T, N, d_model) to (T, N, d_model); with batch_first N comes first.
TransformerEncoder: num_layers copies of an encoder layer one after the other: (S, N, d_model) to the same shape.
TransformerEncoderLayer: Self-attention and two linear layers, with norms and shortcuts: (S, N, d_model) to the same shape; with batch_first N comes first.
  nhead must divide d_model. src_mask is (S, S), src_key_padding_mask (N, S); both are bool, true where nothing is to be looked at, or are added. norm_first = true norms before each part instead of after it.
TransformerDecoder: num_layers copies of a decoder layer one after the other: tgt (T, N, d_model) and the encoder's output (S, N, d_model) to (T, N, d_model).
TransformerDecoderLayer: Self-attention, attention to the encoder's output, and two linear layers: tgt (T, N, d_model) and memory (S, N, d_model) to (T, N, d_model); with batch_first N comes first.
TripletMarginWithDistanceLoss: max(0, distance(anchor, positive) - distance(anchor, negative) + margin), with a distance function of one's own; pairwise_distance where none is given.
LinearCrossEntropyOptions(allow_retain_graph=false, batch_chunk_size?, chunking_method='auto', acc_policy='auto', acc_dtype?): How many rows at a time linear_cross_entropy takes, so that the logits of all never exist at once.
LazyLinear: A Linear that learns in_features from its first input.
LazyConv1d: A Conv1d that learns in_channels from its first input.
LazyConv2d: A Conv2d that learns in_channels from its first input.
LazyConv3d: A Conv3d that learns in_channels from its first input.
LazyConvTranspose1d: A ConvTranspose1d that learns in_channels from its first input.
LazyConvTranspose2d: A ConvTranspose2d that learns in_channels from its first input.
LazyConvTranspose3d: A ConvTranspose3d that learns in_channels from its first input.
LazyBatchNorm1d: A BatchNorm1d that learns num_features from its first input.
LazyBatchNorm2d: A BatchNorm2d that learns num_features from its first input.
LazyBatchNorm3d: A BatchNorm3d that learns num_features from its first input.
LazyInstanceNorm1d: An InstanceNorm1d that learns num_features from its first input.
LazyInstanceNorm2d: An InstanceNorm2d that learns num_features from its first input.
LazyInstanceNorm3d: An InstanceNorm3d that learns num_features from its first input.
parameter: Parameters and buffers, also those of lazy modules, whose sizes are not known yet.
]]
spaces["torch.nn.Module"] = [[
deepcopy(self): A copy with parameters and buffers of its own.
extend(class, name): A class derived from this one: local Net = nn.Module:extend "Net". Give it init and forward.
extra_repr(self): The text between the parentheses where a module prints; a class may have its own.
init(self, ...): What the constructor of a class calls; it receives the arguments of the call.
isinstance(self, class): Returns true if the module is of a class or of one derived from it.
share_memory(self): The module itself: workers are threads, which share memory anyway.
type(self, dst_type): Casts all parameters and buffers, also those that are not floating point.
]]
spaces["torch.nn.functional"] = [[
linear_cross_entropy(input, linear_weight, target, *, linear_bias?, weight?, reduction='mean', ignore_index?, label_smoothing=0.0, options?): cross_entropy of linear(input, linear_weight, linear_bias); with options a few rows at a time.
triplet_margin_with_distance_loss: max(distance(anchor, positive) - distance(anchor, negative) + margin, 0), with a distance of one's own.
]]
spaces["torch.nn.parameter"] = [[
Parameter(data?, requires_grad=true): A tensor that a module registers as one of its parameters when it is assigned to a field; torch.nn.Parameter.
]]
spaces["torch.nn.init"] = [[
dirac_: Convolutions that pass as many channels on as there are, unchanged.
orthogonal_: A random matrix whose rows or columns are orthonormal (Saxe et al. 2013).
sparse_: Normal values, a part of each column being 0.
]]
spaces["torch.nn.attention"] = [[
SDPBackend: The ways to compute attention: MATH (whole matrices), FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION (no device has it).
sdpa_kernel: Lets attention use a backend, or those of a list, alone, within a block; set_priority: in their order.
]]

spaces["torch.nn.utils"] = [[
fuse_conv_bn_eval: One convolution that does what a convolution and a batch norm do together, in evaluation.
fuse_linear_bn_eval: One linear layer that does what a linear layer and a batch norm do together, in evaluation.
remove_weight_norm: Makes a weight that weight_norm computed a plain parameter again.
consume_prefix_in_state_dict_if_present: Takes a prefix such as "module." off the names in a state dict.
remove_spectral_norm: Makes a weight that spectral_norm computed a plain parameter again.
weight_norm: Computes a weight from its direction and its length, which become the parameters; parametrizations.weight_norm is the newer form.
spectral_norm: Divides a weight by its largest singular value, which power iteration finds; parametrizations.spectral_norm is the newer form.
]]
spaces["torch.nn.utils.parametrizations"] = [[
orthogonal: Keeps a weight orthogonal.
spectral_norm: Divides a weight by its largest singular value, estimated by power iteration.
weight_norm: Computes a weight from its direction and its length.
]]
spaces["torch.nn.utils.parametrize"] = [[
ParametrizationList(modules, original): The modules that compute a parameter, one after the other, and the tensors original, original0, ... they compute it from.
register_parametrization: From now on a parameter of a module is computed by another module.
remove_parametrizations: Makes a computed parameter a plain one again.
]]
spaces["torch.nn.utils.prune"] = [[
CustomFromMask(mask): Prunes by a mask that is given.
Identity(): Prunes nothing, but puts the mask in place.
L1Unstructured(amount): Prunes the entries of the smallest absolute values.
LnStructured(amount, n, dim=-1): Prunes the channels of the smallest norm.
RandomStructured(amount, dim=-1): Prunes channels at random.
RandomUnstructured(amount): Prunes entries at random.
custom_from_mask: Prunes a parameter by a mask.
identity: Puts a mask in place that prunes nothing.
l1_unstructured: Prunes the entries of a parameter that have the smallest absolute values.
ln_structured: Prunes the channels of a parameter that have the smallest norm.
random_structured: Prunes channels of a parameter at random.
random_unstructured: Prunes entries of a parameter at random.
]]
spaces["torch.nn.utils.rnn"] = [[
PackedSequence: Sequences of different lengths in one tensor, step after step; pack_padded_sequence makes one.
]]

spaces["torch.numpy"] = [[
around = torch.numpy.round
array: An array with a copy of the data.
c_: Arrays side by side, as columns: `np.c_[{a, b}]` is Python's `np.c_[a, b]`.
array_equal: Returns true if two arrays have the same shape and the same elements.
asarray: An array of the data; itself where it is one already.
bool: The dtype of truth values.
bool_: The dtype of truth values.
copy: A copy of an array.
dtype(name): The dtype of a name.
e: The number e.
einsum: The sum of products that an equation of subscripts says.
expand_dims: The array with a dimension of size 1 more.
finfo: The limits of a floating-point dtype.
float16: The dtype of 16-bit floating-point numbers.
float32: The dtype of 32-bit floating-point numbers.
float64: The dtype of 64-bit floating-point numbers, the default.
fromfile: The numbers of a file, binary or as text.
genfromtxt: A table of numbers from a text file, in which values may be missing.
identity: A square matrix with ones on its diagonal.
histogram: How many elements lie in each of several intervals, and the edges of these.
iinfo: The limits of an integer dtype.
inf: Infinity.
int8: The dtype of 8-bit integers.
int16: The dtype of 16-bit integers.
int32: The dtype of 32-bit integers.
int64: The dtype of 64-bit integers.
interp: Values on the straight lines between given points.
load: What a file of NumPy's holds: an array of .npy, a table of arrays of .npz.
loadtxt: A table of numbers from a text file.
memmap: An array over the elements of a file, mapped into memory.
mod = torch.numpy.remainder
nan: Not a number.
newaxis: Stands in a subscript for a new dimension of size 1.
percentile: The value below which q percent of the elements lie.
pi: The number pi.
polyfit: The coefficients of the polynomial that fits points best, highest power first.
polyval: The values of a polynomial.
power: Powers, element by element.
repeat: Each element several times.
save: Writes an array to a .npy file.
savetxt: Writes an array to a text file.
savez: Writes arrays to a .npz file.
savez_compressed: Writes arrays to a .npz file, compressed.
uint8: The dtype of integers from 0 to 255.
unique: The different values of an array, in order.
]]
spaces["torch.numpy.linalg"] = [[
cholesky(a): The lower triangular L with a = L @ L.T, of a symmetric positive definite matrix.
cond(a, p?): The condition number of a matrix: how much a relative error of b can grow in the solution of a @ x = b.
det(a): The determinant of a square matrix.
eigh(a): The eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns.
eigvalsh(a): The eigenvalues of a symmetric matrix in ascending order.
inv(a): The inverse of a square matrix.
lstsq(a, b): The x for which a @ x is nearest to b, the squared distances, the rank of a, and its singular values.
matrix_power(a, n): A square matrix multiplied by itself n times; a negative n inverts it first.
matrix_rank(a): The rank of a matrix: how many of its singular values are not 0 but for rounding.
norm: The norm of a vector or of a matrix.
pinv(a): The Moore-Penrose pseudoinverse of a matrix.
qr(a): Q with orthonormal columns and an upper triangular R with a = Q @ R.
slogdet(a): The sign of the determinant and the logarithm of its absolute value.
solve(a, b): The x with a @ x = b.
svd: U, the singular values in descending order, and V transposed.
svdvals(a): The singular values of a matrix in descending order.
]]
spaces["torch.numpy.random"] = [[
choice: Items of an array drawn at random.
normal: Normally distributed numbers.
permutation: The numbers below n, or the rows of an array, in random order.
rand: Numbers in [0, 1) of a shape.
randint: Integers from low to below high.
randn: Normally distributed numbers of a shape, with mean 0 and deviation 1.
random: Numbers in [0, 1).
random_sample: Numbers in [0, 1).
seed: Seeds the generator: NumPy's numbers follow.
standard_normal: Normally distributed numbers with mean 0 and deviation 1.
uniform: Numbers in [low, high).
]]

spaces["torch.optim"] = [[
Adafactor: Adam whose second moments are kept as row and column sums (Shazeer and Stern 2018).
LBFGS: A quasi-Newton method with limited memory; step takes a closure.
Muon: Momentum whose matrices are made orthogonal by Newton-Schulz iteration (Jordan et al. 2024).
SparseAdam: Adam that touches only the rows that have a gradient.
Optimizer(params, defaults): The base of optimizers; extend it and give it step to write one of your own.
]]
spaces["torch.optim.Optimizer"] = [[
extend(class, name): A class derived from this one.
isinstance(self, class): Returns true if the optimizer is of a class or of one derived from it.
]]
spaces["torch.optim.lr_scheduler"] = [[
LRScheduler(optimizer, last_epoch=-1): The base of schedulers: extend it and give it get_lr(), a list of learning rates, one a group.
ChainedScheduler: Several schedulers that all act at each step.
ConstantLR: Multiplies the learning rate by factor until total_iters steps are done.
CosineAnnealingLR: Lowers the learning rate along a half cosine of T_max steps.
CosineAnnealingWarmRestarts: Lowers the learning rate along a half cosine of T_0 steps, then starts again from the top, each time for T_mult times as many steps.
CyclicLR: Moves the learning rate up and down between two values (Smith 2015).
EPOCH_DEPRECATION_WARNING: What is said where step is given an epoch.
ExponentialLR: Multiplies the learning rate by gamma at each step.
LambdaLR: The initial learning rate times lr_lambda(number of steps); a table has a function for each group.
LinearLR: Multiplies the initial learning rate by a factor that goes from start_factor to end_factor in total_iters steps.
MultiStepLR: Multiplies the learning rate by gamma at each of the milestones.
MultiplicativeLR: Multiplies the learning rate at each step by lr_lambda(number of steps).
OneCycleLR: One cycle for a whole training: up, and down far below where it began (Smith and Topin 2017). Step it after each batch.
PolynomialLR: Lowers the learning rate to 0 along a power in total_iters steps.
ReduceLROnPlateau: Lowers the learning rate when a value, given to step, has not become better for a while.
SequentialLR: One scheduler after the other, from milestone to milestone.
StepLR: Multiplies the learning rate by gamma every step_size steps.
]]
spaces["torch.optim.swa_utils"] = [[
AveragedModel(model, device?, avg_fn?, multi_avg_fn?, use_buffers=false): A copy of a model that holds the average of its parameters, to which update_parameters(model) adds the present ones; averaged.module is the copy.
SWALR: Moves the learning rate to swa_lr and keeps it there.
get_ema_avg_fn: The function of AveragedModel that keeps an exponential average of a parameter.
get_ema_multi_avg_fn: A function for AveragedModel's multi_avg_fn that keeps exponential averages of a list of parameters.
get_swa_avg_fn: The function of AveragedModel that keeps the mean of a parameter.
get_swa_multi_avg_fn: A function for AveragedModel's multi_avg_fn that keeps the means of a list of parameters.
]]

spaces["torch.multiprocessing"] = [[
Process(target?, args={}, name?, daemon=false): A process that will call target with args. Methods: start, join(timeout?), is_alive, terminate, kill; attributes: pid, exitcode, name.
ProcessExitedException: The code of the error about a process that was killed or exited with a code; err.error_index, error_pid, exit_code, signal_name tell more.
ProcessRaisedException: The code of the error about a process whose function raised one, whose text it has; err.error_index, error_pid.
ProcessContext: What spawn returns if join is false. join(timeout?, grace_period?) is true once all processes have succeeded; pids() lists their numbers.
]]

spaces["torch.profiler"] = [[
ProfilerActivity: The names of activities, CPU and CUDA; a profile has all of them.
]]

spaces["torch.serialization"] = [[
None: What stands for Python's None as a key or a value of a dict, where nil cannot stand.
OrderedDict: A table that keeps the order of its keys, saved as Python's OrderedDict.
bytes: A string that is saved as Python's bytes.
dict: A table that keeps the order of its keys, saved as Python's dict.
list: A table that is saved as Python's list, even if it is empty.
set: A table that is saved as Python's set.
tuple: A table that is saved as Python's tuple.
add_safe_globals: Lets torch.load read objects of these classes as tables, also with weights_only = true; a class is named by a string, "argparse.Namespace".
clear_safe_globals: Forgets the classes that add_safe_globals named.
get_safe_globals: The names that add_safe_globals was given.
safe_globals: A block in which torch.load reads objects of these classes as tables, as after add_safe_globals.
load_bytes: The object in a string that save_bytes, or torch.save in Python, made.
resumable: The DataLoader, which then knows its place within an epoch: saved by save_checkpoint, a training goes on with the next batch.
]]

spaces["torch.signal.windows"] = [[
bartlett(M, *, sym=true, dtype?, device?, requires_grad=false): A triangular window of M weights, 0 at both ends.
blackman(M, *, sym=true, dtype?, device?, requires_grad=false): A window of M weights: 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1)).
cosine(M, *, sym=true, dtype?, device?, requires_grad=false): A window of M weights: sin(pi (n + 0.5) / M).
exponential(M, *, center?, tau=1.0, sym=true, dtype?, device?, requires_grad=false): A window of M weights: exp(-|n - center| / tau).
gaussian(M, *, std=1.0, sym=true, dtype?, device?, requires_grad=false): A window of M weights: exp(-(n / std)^2 / 2), n counted from the middle.
general_cosine(M, *, a, sym=true, dtype?, device?, requires_grad=false): A window of M weights: the sum of (-1)^i a[i] cos(2 pi i n / (M - 1)).
general_hamming(M, *, alpha=0.54, sym=true, dtype?, device?, requires_grad=false): A window of M weights: alpha - (1 - alpha) cos(2 pi n / (M - 1)).
hamming(M, *, sym=true, dtype?, device?, requires_grad=false): A window of M weights: 0.54 - 0.46 cos(2 pi n / (M - 1)).
hann(M, *, sym=true, dtype?, device?, requires_grad=false): A window of M weights: 0.5 - 0.5 cos(2 pi n / (M - 1)).
kaiser(M, *, beta=12.0, sym=true, dtype?, device?, requires_grad=false): The Kaiser window of M weights, made of Bessel functions; a greater beta makes it narrower.
nuttall(M, *, sym=true, dtype?, device?, requires_grad=false): Nuttall's window of M weights, a sum of four cosines.
]]

spaces["torch.utils.benchmark"] = [[
Timer: Measures how long a statement (a function, or Lua as text) takes: timeit(number), blocked_autorange().
]]
spaces["torch.utils.dlpack"] = [[
DLDeviceType: The numbers of types of devices in DLPack.
]]
spaces["torch.utils.data"] = [[
dataset: Where PyTorch defines its classes of data sets.
sampler: Where PyTorch defines its samplers.
Dataset: The base of data sets: extend it, and give it __len(self) and getitem(self, index), which returns the parts of a sample; index counts from 0.
IterableDataset: The base of data sets without indices: extend it, and give it iter(self), which returns a function of the next value.
TensorDataset(tensors...): The rows of tensors of the same length.
ConcatDataset: Data sets one after the other.
ChainDataset: Iterable data sets one after the other.
StackDataset(datasets...): Data sets side by side: item i is made of item i of each.
Subset: The items with these indices, counted from 0.
Sampler: The base of samplers: extend it, and give it iter(self), which returns a function of the next index.
SequentialSampler: The indices in order.
RandomSampler: The indices of a data set in random order; with replacement, num_samples of them, each drawn from all.
SubsetRandomSampler: These indices in random order.
DistributedSampler(dataset, num_replicas?, rank?, shuffle=true, seed=0, drop_last=false): The part of a data set that a rank trains on. set_epoch(epoch) before each epoch gives it another order.
distributed: torch.utils.data.distributed.DistributedSampler, by PyTorch's longer name.
WeightedRandomSampler: num_samples indices drawn with probabilities in proportion to the weights.
BatchSampler: The indices of a sampler in batches.
get_worker_info: In a worker of a DataLoader its id, num_workers, seed and dataset; nil elsewhere.
]]
spaces["torch.utils.safetensors"] = [[
load(data): The tensors by name that a string in safetensors' format holds.
]]
spaces["torch.utils.tensorboard"] = [[
SummaryWriter: Writes files that TensorBoard shows: add_scalar, add_histogram, add_text, ...
]]
spaces["torch.version"] = [[
debug: True if this is a build for debugging; always false.
]]

for _, more in ipairs {"cuda", "vision", "plot", rawget(torch, "_distributed") and "distributed" or nil} do
  for space, lines in pairs(torch._part("help.texts." .. more)) do spaces[space] = lines end
end

local texts = {}
for space, lines in pairs(spaces) do
  local last, detailed
  for line in lines:gmatch "[^\n]+" do
    local name, list, text = line:match "^([%w_]+)(%b()): (.+)$"
    if not name then name, text = line:match "^([%w_]+): (.+)$" end
    local alias, other = line:match "^([%w_]+) = ([%w_.]+)$"
    local details = line:match "^ +(.+)$"
    if details then
      last[2] = last[2] .. (detailed and " " or "\n    ") .. details
    else
      last = {list or "", text or ("Another name of %s."):format(other), same_as = other}
      texts[space .. "." .. (name or alias)] = last
    end
    detailed = details ~= nil
  end
end
return texts
