-- golden_spec.lua: programs about optimizers print what PyTorch prints (spec/golden).
require "golden" {"optim", "schedulers", "training"}
