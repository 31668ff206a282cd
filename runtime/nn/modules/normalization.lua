-- normalization.lua: layers that normalize mean and variance to 0 and 1 (the notation: nn/modules.lua).

local affine = {"weight (num_features) if affine: ones_()", "bias (num_features) if affine and bias: zeros_()"}
local running = {
  "running_mean (num_features) if track_running_stats: zeros_()",
  "running_var (num_features) if track_running_stats: ones_()",
  "int64 num_batches_tracked () if track_running_stats: zeros_()",
}
local shown = "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, track_running_stats={track_running_stats}"

for n = 1, 3 do
  module(("BatchNorm%dd"):format(n)) {
    "(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=true, bool track_running_stats=true, device? device, dtype? dtype, " ..
      "*, bool bias=true)",
    op = "batch_norm.functional", forward = "batch_norm", space = n, parameters = affine, buffers = running, repr = shown,
    version = 2, later = "num_batches_tracked",
    declared = "_BatchNorm",
    details = "While training, mean and var are those of the batch, and running_mean and running_var, (C), follow them by momentum; after model:eval() " ..
      "these are used. A channel with a single value is an error in training. weight and bias are (C).",
    doc = "(x - mean) / sqrt(var + eps) * weight + bias for each channel of " .. (n == 1 and "(N, C) or " or "") ..
      "(N, C, ...): mean and variance are those of the batch in training, and their running averages in evaluation.",
  }
end
module "SyncBatchNorm" {
  "(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=true, bool track_running_stats=true, device? device, dtype? dtype, " ..
    "*, bool bias=true)",
  lua = true, op = "batch_norm.functional", forward = "sync_batch_norm", parameters = affine, buffers = running, repr = shown,
  version = 2, later = "num_batches_tracked", declared = "_BatchNorm",
  doc = "In one process, BatchNorm of an input (N, C) or (N, C, ...) with any number of dimensions.",
}
for n = 1, 3 do
  module(("InstanceNorm%dd"):format(n)) {
    "(int num_features, float eps=1e-5, float? momentum=0.1, bool affine=false, bool track_running_stats=false, device? device, dtype? dtype, " ..
      "*, bool bias=true)",
    op = "instance_norm.functional", forward = "instance_norm", space = n, parameters = affine, buffers = running, repr = shown,
    version = 2, later = "num_batches_tracked",
    declared = "_InstanceNorm",
    doc = "(x - mean) / sqrt(var + eps) * weight + bias for each channel of each sample of (N, C, ...).",
  }
end
module "GroupNorm" {
  "(int num_groups, int num_channels, float eps=1e-5, bool affine=true, device? device, dtype? dtype, *, bool bias=true)",
  op = "group_norm.functional",
  check = {"num_channels % num_groups == 0: num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"},
  parameters = {"weight (num_channels) if affine: ones_()", "bias (num_channels) if affine and bias: zeros_()"},
  repr = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}",
  details = "The input is (N, C, ...); num_groups must divide num_channels. weight and bias are (C).",
  doc = "(x - mean) / sqrt(var + eps) * weight + bias over groups of channels of each sample.",
}
module "LayerNorm" {
  "(int[1] normalized_shape, float eps=1e-5, bool elementwise_affine=true, bool bias=true, device? device, dtype? dtype)",
  op = "layer_norm.functional", lists = 1,
  parameters = {"weight (*normalized_shape) if elementwise_affine: ones_()", "bias (*normalized_shape) if elementwise_affine and bias: zeros_()"},
  repr = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}",
  details = "normalized_shape is the size, or a table of the sizes, of the last dimensions: nn.LayerNorm(512) for (N, L, 512). weight and " ..
    "bias have these sizes.",
  doc = "(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions, which have the sizes normalized_shape.",
}
module "RMSNorm" {
  "(int[1] normalized_shape, float? eps, bool elementwise_affine=true, device? device, dtype? dtype)",
  op = "rms_norm.functional", inputs = "x", lists = 1, parameters = {"weight (*normalized_shape) if elementwise_affine: ones_()"},
  repr = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}",
  doc = "x / sqrt(mean(x^2) + eps) * weight over the last dimensions.",
}
module "LocalResponseNorm" {
  "(int size, float alpha=0.0001, float beta=0.75, float k=1.0)", op = "local_response_norm",
  repr = "{size}, alpha={alpha}, beta={beta}, k={k}",
  doc = "x / (k + alpha * mean of the squares of `size` neighbouring channels)^beta.",
}
module "CrossMapLRN2d" {
  "(int size, float alpha=0.0001, float beta=0.75, Scalar k=1)", forward = "neighbours",
  repr = "{size}, alpha={alpha}, beta={beta}, k={k}",
  doc = "x / (k + alpha / size * sum of the squares of neighbouring channels)^beta, as Torch 7 had it.",
}
