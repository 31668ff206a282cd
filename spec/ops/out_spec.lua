-- out_spec.lua: which functions take out=, tensors of which dtypes, and what they say of the others, against PyTorch's
-- answers (golden/out.json, written by golden/out.py).
local torch = require "torch"
local samples = require "samples"
local answers = require "answers"
local calls = require "sample_calls"

local function has_functions(op)
  for _, form in ipairs(op.forms) do if form ~= "method" then return true end end
end

local function function_of(op)
  for _, form in ipairs(op.forms) do if form ~= "method" then return calls.callee(op.lua_name, form) end end
end

-- PyTorch says these in words that hang on more than the dtypes.
local other_words = {
  diag = "it looks at the dtype twice", rand = "fills by uniform_", randn = "fills by normal_", ["normal.numbers"] = "fills by normal_",
  normal = "fills by normal_", ["normal.std"] = "fills by normal_", ["median.dim"] = "its name of bool", ["nanmedian.dim"] = "its name of bool",
  lstsq = "each result has its name in them", matrix_power = "the product inside it says", ["matrix_power.linalg"] = "the product inside it says",
}

-- PyTorch's own takes a list of as many tensors as there are results (docs/differences.md).
local lists = {unbind_copy = true, split_with_sizes_copy = true}

local function refusal(op, out)
  local ok, message = pcall(calls.invoke, function_of(op), (calls.build(samples.calls(op)[1], {keywords = {out = out}})))
  return ok and "" or tostring(message):match "[^\n]*"
end

describe("out= of", function()
  local golden = answers.read "spec/golden/out.json"
  for _, op in ipairs(samples.load()) do
    if not (op.inplace_of or op.alias_of or op.lua_name:sub(-1) == "_") and has_functions(op) then
      it(op.name, function()
        local answer = golden[op.name]
        if samples.unasked(op) then return end
        assert.is_not_nil(answer, "PyTorch was not asked: run python spec/golden/out.py")
        if not answer or lists[op.name] then
          assert.is_falsy(op.out, "PyTorch has no out= here")
          return
        end
        assert.is_truthy(op.out, "PyTorch takes out=")
        local results = calls.invoke(function_of(op), (calls.build(samples.calls(op)[1])))
        for k, words in ipairs(answer) do
          for dtype, expected in pairs(words) do
            local outs = {}
            for i, t in ipairs(results) do outs[i] = torch.empty({0}, {dtype = i == k and torch[dtype] or t.dtype}) end
            local got = refusal(op, #outs > 1 and outs or outs[1])
            if other_words[op.name] then got, expected = got == "", expected == "" or expected:find("INTERNAL ASSERT", 1, true) ~= nil end
            assert.are.equal(expected, got, dtype)
          end
        end
      end)
    end
  end
end)
