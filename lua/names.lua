-- names.lua: public names that have no file of their own in lua/torch/: members of a part in lua/parts/ that several names
-- share, a whole part, or another public name. lua/embed.lua makes the equivalent of a file of each line, so each is loaded when
-- it is first read.
local names = {
  ["torch.GradScaler"] = "torch.amp.GradScaler",
  ["torch.are_deterministic_algorithms_enabled"] = "deterministic.are_deterministic_algorithms_enabled",
  ["torch.is_deterministic_algorithms_warn_only_enabled"] = "deterministic.is_deterministic_algorithms_warn_only_enabled",
  ["torch.load"] = "serialization.files.load",
  ["torch.pyplot"] = "torch.plot",
  ["torch.save"] = "serialization.files.save",
  ["torch.use_deterministic_algorithms"] = "deterministic.use_deterministic_algorithms",

  ["torch.nn.DataParallel"] = "torch.nn.parallel.DataParallel",
  ["torch.nn.LazyBatchNorm1d"] = "nn.lazy.LazyBatchNorm1d",
  ["torch.nn.LazyBatchNorm2d"] = "nn.lazy.LazyBatchNorm2d",
  ["torch.nn.LazyBatchNorm3d"] = "nn.lazy.LazyBatchNorm3d",
  ["torch.nn.LazyConv1d"] = "nn.lazy.LazyConv1d",
  ["torch.nn.LazyConv2d"] = "nn.lazy.LazyConv2d",
  ["torch.nn.LazyConv3d"] = "nn.lazy.LazyConv3d",
  ["torch.nn.LazyConvTranspose1d"] = "nn.lazy.LazyConvTranspose1d",
  ["torch.nn.LazyConvTranspose2d"] = "nn.lazy.LazyConvTranspose2d",
  ["torch.nn.LazyConvTranspose3d"] = "nn.lazy.LazyConvTranspose3d",
  ["torch.nn.LazyInstanceNorm1d"] = "nn.lazy.LazyInstanceNorm1d",
  ["torch.nn.LazyInstanceNorm2d"] = "nn.lazy.LazyInstanceNorm2d",
  ["torch.nn.LazyInstanceNorm3d"] = "nn.lazy.LazyInstanceNorm3d",
  ["torch.nn.LazyLinear"] = "nn.lazy.LazyLinear",
  ["torch.nn.Transformer"] = "nn.transformer.Transformer",
  ["torch.nn.TransformerDecoder"] = "nn.transformer.TransformerDecoder",
  ["torch.nn.TransformerDecoderLayer"] = "nn.transformer.TransformerDecoderLayer",
  ["torch.nn.TransformerEncoder"] = "nn.transformer.TransformerEncoder",
  ["torch.nn.TransformerEncoderLayer"] = "nn.transformer.TransformerEncoderLayer",
  ["torch.nn.UninitializedBuffer"] = "torch.nn.parameter.UninitializedBuffer",
  ["torch.nn.UninitializedParameter"] = "torch.nn.parameter.UninitializedParameter",

  ["torch.nn.utils.fuse_conv_bn_eval"] = "torch.nn.utils.fusion.fuse_conv_bn_eval",
  ["torch.nn.utils.fuse_linear_bn_eval"] = "torch.nn.utils.fusion.fuse_linear_bn_eval",
  ["torch.nn.utils.remove_spectral_norm"] = "nn.utils.spectral_norm.remove_spectral_norm",
  ["torch.nn.utils.remove_weight_norm"] = "nn.utils.weight_norm.remove_weight_norm",
  ["torch.nn.utils.spectral_norm"] = "nn.utils.spectral_norm.spectral_norm",
  ["torch.nn.utils.weight_norm"] = "nn.utils.weight_norm.weight_norm",

  ["torch.utils.data.DistributedSampler"] = "utils.data.distributed.DistributedSampler",
  ["torch.utils.data.dataset"] = "utils.data.dataset",
  ["torch.utils.data.distributed"] = "utils.data.distributed",
  ["torch.utils.data.sampler"] = "utils.data.sampler",

  ["torch.vision.datasets.cifar"] = "vision.datasets.cifar",
  ["torch.vision.datasets.folder"] = "vision.datasets.folder",
  ["torch.vision.datasets.mnist"] = "vision.datasets.mnist",

  ["torch.vision.models.resnet"] = "vision.models.resnet",
}

local FOREACH = "abs abs_ acos acos_ add add_ addcdiv addcdiv_ addcmul addcmul_ asin asin_ atan atan_ ceil ceil_ clamp_max clamp_max_ " ..
  "clamp_min clamp_min_ clone copy_ cos cos_ cosh cosh_ div div_ erf erf_ erfc erfc_ exp exp_ expm1 expm1_ floor floor_ " ..
  "frac frac_ lerp lerp_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ max maximum maximum_ minimum " ..
  "minimum_ mm mul mul_ neg neg_ norm pow pow_ powsum reciprocal reciprocal_ round round_ rsqrt rsqrt_ sigmoid sigmoid_ " ..
  "sign sign_ sin sin_ sinh sinh_ sqrt sqrt_ sub sub_ tan tan_ tanh tanh_ trunc trunc_ zero_"
for name in FOREACH:gmatch "%S+" do names["torch._foreach_" .. name] = "foreach._foreach_" .. name end

return names
