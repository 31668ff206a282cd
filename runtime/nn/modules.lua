-- modules.lua: the list of module classes; those of the families in modules/*.lua follow. Plain data;
-- list/write_modules.lua turns it into C.
--
--   module "Name" {
--     "(int in_features, bool bias=true, *, dtype? dtype)",  -- the constructor, in the notation of operators (list/read.lua)
--     op = "linear",          -- the operator that forward calls. Its first parameters are the inputs; the others get the
--                             -- member or option of their name (`training`: the flag)
--     as = {lambd = "lambda"},-- an operator's parameter that has another name here
--     inputs = "input",       -- names of forward's arguments; "input, hx?": the last may be omitted
--     space = 2,              -- number of spatial dimensions of the input
--     lists = 2,              -- a number given for a list (int[2] stride) becomes a list of this length; by default it stays a number
--     defaults = {stride = "kernel_size"},  -- an omitted option gets the value of another one
--     call = "(Tensor query, bool need_weights=true) -> (Tensor output, Tensor weights)",   -- the signature of forward, if it
--                             -- takes more than tensors, or returns several; in place of inputs
--     run = "name",           -- bool tocha_module_run_NAME(cx, module, args, results): the forward of an entry with `call`
--     lua = true,             -- the class of this name in Lua's torch.nn is written in Lua
--     script = "recurrent",   -- calls that C does not support (inputs that are not tensors; all, with `call`) run the function
--                             -- of the class's name in lua/parts/nn/forward/recurrent.lua
--     check = {               -- conditions on the options, each line CONDITION: MESSAGE (a ValueError) or
--       "in_features > 0: in_features must be positive, got {in_features}",   -- CONDITION: AssertionError: MESSAGE
--     },
--     parameters = {          -- in the order of the state dict
--       "weight (out_features, in_features): kaiming_uniform_(a=sqrt(5))",
--       "bias (out_features) if bias: uniform_(-bound, bound) where bound = 1 / sqrt(fan_in(weight))",
--     },
--     buffers = {"running_mean (num_features) if track: zeros_()", "int64 count (): zeros_()", "weight"},
--     init = "name",          -- bool tocha_module_init_NAME(cx, module), called by the constructor
--     reset = "name",         -- bool tocha_module_reset_NAME(cx, module), called by reset_parameters
--     forward = "name",       -- tocha_tensor *tocha_module_forward_NAME(cx, module, count, inputs)
--     repr = "p={p}, {inplace?}",  -- {x}: the option as Python shows it, {x?}: ", x=True" if true,
--                             -- {x!0}: ", x=value" unless that is 0 (or a list of zeros)
--     base = "RNNBase",       -- the base class, which precedes it in the list; default Module
--     declared = "_Loss",     -- the class whose __init__ messages name; default Name
--     sizes = 2,              -- the number of first parameters that are a tensor's sizes: errors are torch.empty's
--     takes_anything = true,  -- the constructor accepts any arguments; forward accepts any value and returns it
--     version = 2,            -- the version of its state dict; default 1
--     later = "name",         -- a member that states of earlier versions lack
--     added = "a b",          -- parameters that came after the class's first release: programs that were compiled before call
--                             -- tocha_nn_NAME without them, so it has only the others; the option struct has them at its end
--     container = "LIST",     -- SEQUENTIAL, LIST, DICT, PARAMETER_LIST, PARAMETER_DICT
--     doc = "One sentence.",
--   }
--
-- A member is `[dtype] NAME (SIZES) [if CONDITION]: INITIALIZER(...) [where NAME = EXPRESSION, ...]`. Without a dtype it has
-- the constructor's dtype=. *NAME among the sizes inserts the sizes in a list (*kernel_size). If the condition is false, the
-- member is None. The initializer is one of initializers.lua, called for the member as in Python. list/member_expressions.lua
-- explains the expressions. A buffer that is only a name is the tensor that the constructor received under this name.
--
-- The constructor checks the options, makes the members, calls `init`, then does the same as reset_parameters: it calls the
-- initializers in order (which draws PyTorch's numbers), then `reset`. A member without an initializer is left to `reset`;
-- members that a line cannot express (weight_ih_l0, weight_ih_l1, ...) are made by `init`.

module "Module" {"()", doc = "The base of all modules."}   -- first, because empty modules have this class

-- --- containers --------------------------------------------------------------------------------------

module "Container" {"()", lua = true, init = "container", doc = "Modules by name, without a forward, which PyTorch deprecates."}
module "Sequential" {"()", container = "SEQUENTIAL", doc = "Modules called one after the other."}
module "ModuleList" {"()", container = "LIST", doc = "Modules by number."}
module "ModuleDict" {"()", container = "DICT", doc = "Modules by name."}
module "ParameterList" {"()", container = "PARAMETER_LIST", doc = "Parameters by number."}
module "ParameterDict" {"()", container = "PARAMETER_DICT", doc = "Parameters by name."}

-- --- linear ------------------------------------------------------------------------------------------

module "Identity" {"()", forward = "identity", takes_anything = true, doc = "The input, unchanged; takes any arguments."}
module "Linear" {
  "(int in_features, int out_features, bool bias=true, device? device, dtype? dtype)",
  sizes = 2,
  op = "linear",
  parameters = {
    "weight (out_features, in_features): kaiming_uniform_(a=sqrt(5))",
    "bias (out_features) if bias: uniform_(-bound, bound) where bound = 1 / sqrt(fan_in(weight))",
  },
  repr = "in_features={in_features}, out_features={out_features}, bias={bias}",
  details = "Its parameters are weight (out_features, in_features) and bias (out_features), drawn uniformly between -1/sqrt(in_features) and " ..
    "1/sqrt(in_features). The last dimension of the input must be in_features; all others are batches.",
  doc = "x @ weight.T + bias, weight (out_features, in_features).",
}
module "Bilinear" {
  "(int in1_features, int in2_features, int out_features, bool bias=true, device? device, dtype? dtype)",
  op = "bilinear", inputs = "input1, input2",
  check = {"in1_features > 0: in1_features must be > 0, but got (in1_features={in1_features})"},
  parameters = {
    "weight (out_features, in1_features, in2_features): uniform_(-bound, bound) where bound = 1 / sqrt(weight.size(1))",
    "bias (out_features) if bias: uniform_(-bound, bound) where bound = 1 / sqrt(weight.size(1))",
  },
  repr = "in1_features={in1_features}, in2_features={in2_features}, out_features={out_features}, bias={bias}",
  doc = "x1 @ weight[k] @ x2 + bias[k] for each feature k of the output.",
}
module "Flatten" {
  "(int start_dim=1, int end_dim=-1)", op = "flatten",
  repr = "start_dim={start_dim}, end_dim={end_dim}",
  details = "(N, C, H, W) becomes (N, C * H * W): dimension 0, the batch, stays unless start_dim says otherwise.",
  doc = "Dimensions start_dim to end_dim as one: (N, C, H, W) to (N, C * H * W).",
}
module "Unflatten" {
  "(int dim, int... unflattened_size)", op = "unflatten", as = {sizes = "unflattened_size"},
  repr = "dim={dim}, unflattened_size={unflattened_size}",
  doc = "Dimension dim as several.",
  details = "The product of the new sizes must be the size of dim; one of them may be -1 and is found from the others. flatten is the reverse.",
}

-- --- activations ---------------------------------------------------------------------------------------

module "ReLU" {"(bool inplace=false)", op = "relu", repr = "{inplace?}",
  doc = "max(x, 0).",
  details = "Any sizes. With inplace = true the input is overwritten.",
}
module "ReLU6" {"(bool inplace=false)", op = "relu6", repr = "{inplace?}", doc = "min(max(x, 0), 6)."}
module "LeakyReLU" {
  "(Scalar negative_slope=0.01, bool inplace=false)", op = "leaky_relu",
  repr = "negative_slope={negative_slope}{inplace?}",
  doc = "x where positive, negative_slope * x elsewhere.",
}
module "ELU" {
  "(Scalar alpha=1.0, bool inplace=false)", op = "elu", repr = "alpha={alpha}{inplace?}",
  doc = "x where positive, alpha * (exp(x) - 1) elsewhere.",
}
module "CELU" {
  "(Scalar alpha=1.0, bool inplace=false)", op = "celu", repr = "alpha={alpha}{inplace?}",
  doc = "max(x, 0) + min(0, alpha * (exp(x / alpha) - 1)).",
}
module "SELU" {"(bool inplace=false)", op = "selu", repr = "{inplace?}", doc = "1.0507 * x where positive, 1.0507 * 1.6733 * (exp(x) - 1) elsewhere, which keeps mean 0 and variance 1."}
module "GELU" {
  "(string approximate='none')", op = "gelu", repr = "approximate={approximate}",
  doc = "x times the normal distribution function of x.",
}
module "SiLU" {"(bool inplace=false)", op = "silu", repr = "{inplace?}", doc = "x * sigmoid(x)."}
module "Mish" {"(bool inplace=false)", op = "mish", repr = "{inplace?}", doc = "x * tanh(softplus(x))."}
module "Sigmoid" {"()", op = "sigmoid", doc = "1 / (1 + exp(-x))."}
module "LogSigmoid" {"()", op = "logsigmoid", doc = "log(sigmoid(x)).",
  details = "Element by element, without the overflow that torch.log of torch.sigmoid has for large negative x; the sizes stay."}
module "Tanh" {"()", op = "tanh", doc = "The hyperbolic tangent."}
module "Softsign" {"()", op = "softsign", doc = "x / (1 + |x|)."}
module "Tanhshrink" {"()", op = "tanhshrink", doc = "x - tanh(x)."}
module "Hardsigmoid" {"(bool inplace=false)", op = "hardsigmoid", doc = "relu6(x + 3) / 6."}
module "Hardswish" {"(bool inplace=false)", op = "hardswish", doc = "x * relu6(x + 3) / 6."}
module "Softplus" {
  "(Scalar beta=1.0, Scalar threshold=20.0)", op = "softplus", repr = "beta={beta}, threshold={threshold}",
  doc = "log(1 + exp(beta * x)) / beta; x where beta * x > threshold.",
}
module "Hardtanh" {
  "(Scalar min_val=-1.0, Scalar max_val=1.0, bool inplace=false)", op = "hardtanh",
  check = {"max_val > min_val: AssertionError: max_val ({max_val}) must be greater than min_val ({min_val})"},
  repr = "min_val={min_val}, max_val={max_val}{inplace?}",
  doc = "x brought into [min_val, max_val].",
}
module "Threshold" {
  "(Scalar threshold, Scalar value, bool inplace=false)", op = "threshold",
  repr = "threshold={threshold}, value={value}{inplace?}",
  doc = "x where above threshold, value elsewhere.",
}
module "Hardshrink" {"(Scalar lambd=0.5)", op = "hardshrink", repr = "{lambd}", doc = "x where |x| > lambd, else 0."}
module "Softshrink" {"(Scalar lambd=0.5)", op = "softshrink", repr = "{lambd}", doc = "x moved towards 0 by lambd."}
module "PReLU" {
  "(int num_parameters=1, float init=0.25, device? device, dtype? dtype)", op = "prelu",
  parameters = {"weight (num_parameters): constant_(init)"},
  repr = "num_parameters={num_parameters}",
  doc = "x where positive, weight * x elsewhere; weight is learned.",
}
module "RReLU" {
  "(float lower=0.125, float upper=0.3333333333333333, bool inplace=false)", op = "rrelu",
  repr = "lower={lower}, upper={upper}{inplace?}",
  doc = "x where positive, a * x elsewhere; a is drawn from [lower, upper) while training, their mean otherwise.",
}
module "GLU" {"(int dim=-1)", op = "glu", repr = "dim={dim}", doc = "The first half of dimension dim times the sigmoid of the second half."}
module "Softmax" {"(int? dim)", uses = {dim = "int or None"}, op = "softmax", repr = "dim={dim}",
  doc = "exp(x) / sum(exp(x)) along dim.",
  details = "Give dim; without it one is chosen, with a warning. Before nn.CrossEntropyLoss it is left out.",
}
module "LogSoftmax" {"(int? dim)", uses = {dim = "int or None"}, op = "log_softmax", repr = "dim={dim}", doc = "log(softmax(x))."}
module "Softmin" {"(int? dim)", op = "softmax", forward = "softmin", repr = "dim={dim}", doc = "softmax(-x)."}

module "Softmax2d" {"()", op = "softmax", forward = "softmax2d", doc = "Softmax over the channels of an image (N, C, H, W)."}

-- --- dropout ------------------------------------------------------------------------------------------

local function dropout(name, op, doc)
  module(name) {
    "(Scalar p=0.5, bool inplace=false)", op = op, declared = "_DropoutNd", uses = {p = "< int"},
    details = "p lies between 0 and 1; the input may have any floating-point dtype. model:eval() switches it off, model:train() on again.",
    check = {"0 <= p and p <= 1: dropout probability has to be between 0 and 1, but got {p}"},
    repr = "p={p}, inplace={inplace}", doc = doc,
  }
end
dropout("Dropout", "dropout", "Each element is zero with probability p while training, and the rest is scaled by 1 / (1 - p); in evaluation, the input.")
dropout("Dropout1d", "dropout1d", "Whole channels of (N, C, L) are zero with probability p while training; the rest is scaled by 1 / (1 - p).")
dropout("Dropout2d", "dropout2d", "Whole channels of (N, C, H, W) are zero with probability p while training; the rest is scaled by 1 / (1 - p).")
dropout("Dropout3d", "dropout3d", "Whole channels of (N, C, D, H, W) are zero with probability p while training; the rest is scaled by 1 / (1 - p).")
dropout("FeatureAlphaDropout", "feature_alpha_dropout", "AlphaDropout of whole channels of (N, C, ...).")
dropout("AlphaDropout", "alpha_dropout", "Dropout that keeps the mean and the variance of what SELU gives.")
