-- text/vocab.lua: torch.text.vocab: words and their numbers, which count from 0.
local torch = ...
local support = torch._part "support"
local fail = support.fail

local Vocab = support.class("Vocab", nil, "torch.text.vocab")

function Vocab:init(tokens)
  self.itos, self.stoi = {}, {}
  for _, token in ipairs(tokens or {}) do self:append_token(token) end
end

function Vocab:__len() return #self.itos end

--- vocab(tokens) returns their numbers.
function Vocab:call(tokens) return self:lookup_indices(tokens) end

function Vocab:__contains__(token) return self.stoi[token] ~= nil end
Vocab.contains = Vocab.__contains__

--- Returns the number of a token, or the default index for an unknown token.
function Vocab:index(token)
  local index = self.stoi[token] or self.default_index
  if not index then fail("RuntimeError", "Token %s not found and default index is not set", token) end
  return index
end

function Vocab:lookup_indices(tokens)
  local indices = {}
  for i, token in ipairs(tokens) do indices[i] = self:index(token) end
  return indices
end

function Vocab:lookup_token(index)
  local token = math.type(index) == "integer" and self.itos[index + 1]
  if not token then
    fail("RuntimeError", "Specified index %s is out of bounds for vocab of size %d", tostring(index), #self.itos)
  end
  return token
end

function Vocab:lookup_tokens(indices)
  if torch.is_tensor(indices) then indices = indices:tolist() end
  local tokens = {}
  for i, index in ipairs(indices) do tokens[i] = self:lookup_token(index) end
  return tokens
end

function Vocab:set_default_index(index) self.default_index = index end
function Vocab:get_default_index() return self.default_index end

function Vocab:append_token(token) self:insert_token(token, #self.itos) end

function Vocab:insert_token(token, index)
  if type(token) ~= "string" then fail("TypeError", "a token must be a string, not %s", support.python_class(token)) end
  if self.stoi[token] then fail("RuntimeError", "Token %s already exists in the Vocab with index: %d", token, self.stoi[token]) end
  if math.type(index) ~= "integer" or index < 0 or index > #self.itos then
    fail("RuntimeError", "Specified index %s is out of bounds for vocab of size %d", tostring(index), #self.itos)
  end
  table.insert(self.itos, index + 1, token)
  for i = index + 1, #self.itos do self.stoi[self.itos[i]] = i - 1 end
end

function Vocab:get_itos() return table.move(self.itos, 1, #self.itos, 1, {}) end

function Vocab:get_stoi()
  local copy = {}
  for token, index in pairs(self.stoi) do copy[token] = index end
  return copy
end

function Vocab:__tostring() return "Vocab()" end

-- Returns the tokens that occur often enough, the most frequent first, equally frequent ones in the order of their bytes.
local function by_frequency(counts, min_freq)
  local tokens = {}
  for token, count in pairs(counts) do
    if count >= min_freq then tokens[#tokens + 1] = token end
  end
  table.sort(tokens, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  return tokens
end

--- Returns the vocabulary of an iterator, or a table, of tables of tokens.
local build = torch._define("build_vocab_from_iterator(iterator, min_freq=1, specials?, special_first=true, max_tokens?)",
  function(iterator, min_freq, specials, special_first, max_tokens)
    local counts = {}
    specials = specials or {}
    for tokens in support.values(iterator) do
      for _, token in ipairs(tokens) do counts[token] = (counts[token] or 0) + 1 end
    end
    for _, token in ipairs(specials) do counts[token] = nil end
    local tokens, all = by_frequency(counts, min_freq), {}
    local count = max_tokens and math.min(#tokens, max_tokens - #specials) or #tokens
    if special_first then table.move(specials, 1, #specials, 1, all) end
    table.move(tokens, 1, count, #all + 1, all)
    if not special_first then table.move(specials, 1, #specials, #all + 1, all) end
    return Vocab(all)
  end)

return torch._namespace({Vocab = Vocab, build_vocab_from_iterator = build}, "torch.text.vocab")
