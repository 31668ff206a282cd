-- golden_spec.lua: programs about autograd print what PyTorch prints (spec/golden).
require "golden" {"autograd"}
