-- lapack.lua: `it` for PyTorch's answers about singular vectors and eigenvectors. Their signs come from LAPACK's steps; without a
-- library of it, Tocha's own steps give other signs, and such a test is pending (spec/ops/linalg_spec.lua asks for all the rest).
local torch = require "torch"
local busted = require "busted"

if torch._blas() then return busted.it end

return function(name) busted.pending(name .. ", signs of LAPACK") end
