-- golden_spec.lua: programs about autocast and GradScaler print what PyTorch prints (spec/golden).
require "golden" {"amp"}
