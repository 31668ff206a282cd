-- golden_spec.lua: programs about torch.utils.data print what PyTorch prints (spec/golden).
require "golden" {"data"}
