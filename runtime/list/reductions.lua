-- reductions.lua: reads the rows of operators that reduce. An entry contains a row, or names one:
--
--   reduce = {sum = "x * x"},
--   reduce = {start = "1", join = "MUL(s, t)", result = "widened"},
--   reduce = "amax",
--
-- A row that only a C function uses is declared beside the operator of that function:
--
--   reduction "norm_p" {"(Tensor self, float ord)", sum = "POW(ABS(x), (T)ord)", finish = "POW(s, (T)(1 / ord))"}
--
-- The text is C and C++. tensor/math/scalar_math.h has the functions; LOWEST and HIGHEST are the smallest and the largest value.
-- T is the compute type, float32, float64 or int64: float16 and bfloat16 are computed in float32, bool and narrower integers
-- in int64, or, on the CPU, if `again` is true and there is no map, unconverted.
--
--   sum         the state of an element x; the states are added, in PyTorch's order
--   start       of any other reduction: the state of no element ...
--   map         ... the state of an element x (default "x") ...
--   join        ... and how the states s and t become one, in any order
--   again       true: joining an element twice changes nothing, as for a maximum
--   finish      the result of a state s over n elements (default "s"). Rows that differ only in it share their loops
--   result      the dtype of the result, if there is no dtype=
--                 same       self's (the default of a join)
--                 widened    int64 for bool and integers, else self's (the default of a sum)
--                 floating   self's, which must be floating point
--                 int64
--                 truth      bool, but uint8 for uint8
--   counts      an element counts as 0 or 1: states are int64 for elements of any dtype
--   empty       "refused": an empty input is an error
--   types       "floats": integers have no loop
--   cpu         "norm": the CPU has its own loops, which add in another order (ops/reduction/cpu/norm.c)
--
-- A float parameter of the signature is a double of its name in all texts.
local reductions = {}
reductions.__index = reductions

local words = {
  result = {same = true, widened = true, floating = true, int64 = true, truth = true},
  empty = {refused = true}, types = {floats = true}, cpu = {norm = true}, counts = {[true] = true}, again = {[true] = true},
}
-- The texts, and the names that each may read beside the row's number.
local texts = {sum = {x = true}, start = {}, map = {x = true}, join = {s = true, t = true}, finish = {s = true, n = true}}

function reductions.new() return setmetatable({by_name = {}, loops = {}}, reductions) end

-- Returns the loop of a row. Rows that add or join in the same way share it, each with a number for its finish.
function reductions:loop_of(row, number)
  local key = table.concat({row.sum or "", row.start or "", row.map or "", row.join or "", row.types or "",
    tostring(row.counts), tostring(row.again), row.cpu or "", number or ""}, "\0")
  local loop = self.loops[key]
  if not loop then
    loop = {name = row.name, number = number, sum = row.sum, start = row.start, map = row.map or row.sum or "x", join = row.join,
      types = row.types, counts = row.counts, again = row.again, cpu = row.cpu, finishes = {}, index = #self.loops}
    self.loops[key] = loop
    self.loops[#self.loops + 1] = loop
  end
  return loop
end

--- Adds a row of this name, with the parameters of a parsed signature.
function reductions:add(name, parameters, fields, family)
  if self.by_name[name] then error("reduction '" .. name .. "' declared twice") end
  local row = {name = name, family = family}
  for key, value in pairs(fields) do
    if type(key) == "string" then
      if not (texts[key] or words[key]) then error(("%s: unknown field '%s' of a reduction"):format(name, key)) end
      if words[key] and not words[key][value] then error(("%s: unknown %s '%s'"):format(name, key, tostring(value))) end
      row[key] = value
    end
  end
  if (row.sum == nil) == (row.join == nil) then error(name .. ": a reduction has a sum or a join") end
  if row.join and not row.start then error(name .. ": a join starts from something") end
  local number
  for _, p in ipairs(parameters) do
    if p.kind == "float" then
      if number then error(name .. ": a reduction has one number") end
      number = p.name
    end
  end
  for key, known in pairs(texts) do
    for word in (row[key] or ""):gmatch "%f[%w_]%l[%w_]*" do
      if not known[word] and word ~= number then error(("%s: in the %s '%s': unknown name '%s'"):format(name, key, row[key], word)) end
    end
  end
  row.result = row.result or row.sum and "widened" or "same"
  row.loop = self:loop_of(row, number)
  row.finish_index = 0
  if row.finish then
    local finishes = row.loop.finishes
    finishes[#finishes + 1] = row.finish
    row.finish_index = #finishes
  end
  self.by_name[name] = row
  self[#self + 1] = row
  return row
end

local plain = {dims = true, dim = true, bool = true, dtype = true, float = true}

--- Returns the name of an entry's row, and adds the row if the entry contains it.
function reductions:of_operator(op, family)
  for i, p in ipairs(op.parameters) do
    if not (plain[p.kind] or i == 1 and p.kind == "tensor") then error(("%s: no reduction by a row takes '%s'"):format(op.name, p.name)) end
  end
  if type(op.reduce) == "string" then return op.reduce end
  local name = op.name:gsub("%.", "_")
  self:add(name, op.parameters, op.reduce, family)
  return name
end

--- Declares reduction "name" {"(Tensor self, ...)", sum = "text", ...}. parse_signature: read.lua's.
function reductions:declare(name, fields, family, parse_signature)
  local parsed = {name = name, signature = (fields[1] or "(Tensor self)") .. " -> Tensor"}
  parse_signature(parsed)
  self:add(name, parsed.parameters, fields, family)
end

function reductions:find(name, where) return self.by_name[name] or error(where .. ": unknown reduction '" .. name .. "'") end

return reductions
