-- lazy.lua: modules that learn the size of their input from the first input (the notation: nn/modules.lua). nn/lazy.c makes
-- their members without sizes, and turns a module into one of its base class in the first call. lazy(BASE, OPTION) takes the
-- entry of the base without the option that is learned.

lazy("Linear", "in_features")
for n = 1, 3 do
  lazy("Conv" .. n .. "d", "in_channels")
  lazy("ConvTranspose" .. n .. "d", "in_channels")
  lazy("BatchNorm" .. n .. "d", "num_features")
  lazy("InstanceNorm" .. n .. "d", "num_features", {affine = true, track_running_stats = true})
end
