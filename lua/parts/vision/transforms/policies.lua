-- vision/transforms/policies.lua: the policies of AutoAugment that Cubuk et al. (2019) found for three data sets. A policy is
-- two operations: name, probability, number of the magnitude (-: none).
local torch = ...
local fail = torch._part "support".fail
local policies = {AutoAugmentPolicy = {IMAGENET = "imagenet", CIFAR10 = "cifar10", SVHN = "svhn"}}

local TEXTS = {
  imagenet = [[
    Posterize 0.4 8 Rotate 0.6 9; Solarize 0.6 5 AutoContrast 0.6 -; Equalize 0.8 - Equalize 0.6 -
    Posterize 0.6 7 Posterize 0.6 6; Equalize 0.4 - Solarize 0.2 4; Equalize 0.4 - Rotate 0.8 8
    Solarize 0.6 3 Equalize 0.6 -; Posterize 0.8 5 Equalize 1.0 -; Rotate 0.2 3 Solarize 0.6 8
    Equalize 0.6 - Posterize 0.4 6; Rotate 0.8 8 Color 0.4 0; Rotate 0.4 9 Equalize 0.6 -
    Equalize 0.0 - Equalize 0.8 -; Invert 0.6 - Equalize 1.0 -; Color 0.6 4 Contrast 1.0 8
    Rotate 0.8 8 Color 1.0 2; Color 0.8 8 Solarize 0.8 7; Sharpness 0.4 7 Invert 0.6 -
    ShearX 0.6 5 Equalize 1.0 -; Color 0.4 0 Equalize 0.6 -; Equalize 0.4 - Solarize 0.2 4
    Solarize 0.6 5 AutoContrast 0.6 -; Invert 0.6 - Equalize 1.0 -; Color 0.6 4 Contrast 1.0 8
    Equalize 0.8 - Equalize 0.6 -]],
  cifar10 = [[
    Invert 0.1 - Contrast 0.2 6; Rotate 0.7 2 TranslateX 0.3 9; Sharpness 0.8 1 Sharpness 0.9 3
    ShearY 0.5 8 TranslateY 0.7 9; AutoContrast 0.5 - Equalize 0.9 -; ShearY 0.2 7 Posterize 0.3 7
    Color 0.4 3 Brightness 0.6 7; Sharpness 0.3 9 Brightness 0.7 9; Equalize 0.6 - Equalize 0.5 -
    Contrast 0.6 7 Sharpness 0.6 5; Color 0.7 7 TranslateX 0.5 8; Equalize 0.3 - AutoContrast 0.4 -
    TranslateY 0.4 3 Sharpness 0.2 6; Brightness 0.9 6 Color 0.2 8; Solarize 0.5 2 Invert 0.0 -
    Equalize 0.2 - AutoContrast 0.6 -; Equalize 0.2 - Equalize 0.6 -; Color 0.9 9 Equalize 0.6 -
    AutoContrast 0.8 - Solarize 0.2 8; Brightness 0.1 3 Color 0.7 0; Solarize 0.4 5 AutoContrast 0.9 -
    TranslateY 0.9 9 TranslateY 0.7 9; AutoContrast 0.9 - Solarize 0.8 3; Equalize 0.8 - Invert 0.1 -
    TranslateY 0.7 9 AutoContrast 0.9 -]],
  svhn = [[
    ShearX 0.9 4 Invert 0.2 -; ShearY 0.9 8 Invert 0.7 -; Equalize 0.6 - Solarize 0.6 6
    Invert 0.9 - Equalize 0.6 -; Equalize 0.6 - Rotate 0.9 3; ShearX 0.9 4 AutoContrast 0.8 -
    ShearY 0.9 8 Invert 0.4 -; ShearY 0.9 5 Solarize 0.2 6; Invert 0.9 - AutoContrast 0.8 -
    Equalize 0.6 - Rotate 0.9 3; ShearX 0.9 4 Solarize 0.3 3; ShearY 0.8 8 Invert 0.7 -
    Equalize 0.9 - TranslateY 0.6 6; Invert 0.9 - Equalize 0.6 -; Contrast 0.3 3 Rotate 0.8 4
    Invert 0.8 - TranslateY 0.0 2; ShearY 0.7 6 Solarize 0.4 8; Invert 0.6 - Rotate 0.8 4
    ShearY 0.3 7 TranslateX 0.9 3; ShearX 0.1 6 Invert 0.6 -; Solarize 0.7 2 TranslateY 0.6 7
    ShearY 0.8 4 Invert 0.8 -; ShearX 0.7 9 TranslateY 0.8 3; ShearY 0.8 5 AutoContrast 0.7 -
    ShearX 0.7 2 Invert 0.1 -]],
}

local read = {}

--- Returns the list of a policy: {{name, p, magnitude}, {...}}, ...
function policies.of(policy)
  if not TEXTS[policy] then fail("ValueError", "The provided policy %s is not recognized.", tostring(policy)) end
  if read[policy] then return read[policy] end
  local list = {}
  for entry in TEXTS[policy]:gmatch "[^;\n]+" do
    local steps = {}
    for name, p, magnitude in entry:gmatch "(%a+) (%S+) (%S+)" do
      steps[#steps + 1] = {name = name, p = tonumber(p), magnitude = math.tointeger(tonumber(magnitude))}
    end
    list[#list + 1] = steps
  end
  read[policy] = list
  return list
end

--- Returns a policy's name in Python, such as "AutoAugmentPolicy.IMAGENET".
function policies.name(policy) return "AutoAugmentPolicy." .. policy:upper() end

return policies
