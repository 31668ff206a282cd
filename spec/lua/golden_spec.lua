-- golden_spec.lua: programs about data, summaries and metrics print what PyTorch and its companions print (spec/golden).
require "golden" {"data", "course"}
