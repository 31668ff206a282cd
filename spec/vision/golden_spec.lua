-- golden_spec.lua: programs about torch.vision and torch.datasets print what torchvision and scikit-learn print (spec/golden).
require "golden" {"vision"}
