-- golden_spec.lua: programs about modules and training print what PyTorch prints (spec/golden).
require "golden" {"nn", "train"}
