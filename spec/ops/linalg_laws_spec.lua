-- linalg_laws_spec.lua: torch.linalg with a library of LAPACK and without one.
local programs = require "programs"
local laws = require "linalg_laws"

local function printed_without_library(text)
  return programs.run('package.path = "spec/support/?.lua;" .. package.path\n' .. text, "TOCHA_BLAS=off")
end

describe("torch.linalg", function()
  it("obeys its laws", function() assert.are.same({}, laws()) end)

  it("obeys its laws without a library", function()
    assert.are.equal("without a library\n", printed_without_library [[
      for _, text in ipairs(require "linalg_laws"()) do print(text) end
      print(torch._blas() or "without a library")]])
  end)

  it("says without a library what has no answer", function()
    assert.are.equal([[
linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of order 2 is not positive-definite).
linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because the input matrix is singular.
torch.linalg.solve: The solver failed because the input matrix is singular.
linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues (error code: 1).
linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.
]], printed_without_library [[
      local function try(f, ...)
        local _, problem = pcall(f, ...)
        print((tostring(problem):match "^[^\n]*"))
      end
      local singular, nan = torch.tensor {{1.0, 2}, {2, 4}}, torch.tensor {{1.0, 0 / 0}, {0 / 0, 1}}
      try(torch.linalg.cholesky, torch.tensor {{1.0, 2}, {2, 1}})
      try(torch.linalg.inv, singular)
      try(torch.linalg.solve, singular, singular)
      try(torch.linalg.eigh, nan)
      try(torch.linalg.svd, nan)]])
  end)
end)
