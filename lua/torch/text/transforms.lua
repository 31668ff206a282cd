-- text/transforms.lua: torch.text.transforms: byte-pair encoding by GPT-2's files, vocab.json (also called encoder.json) and
-- merges.txt (vocab.bpe).
local torch = ...
local support = torch._part "support"
local fail = support.fail

-- --- bytes as characters that can be seen ----------------------------------------------------------------------

-- GPT-2 writes every byte as a printable character: printable bytes as themselves, the others from U+0100 on.
local character, byte_of = {}, {}
do
  local next_free = 256
  for byte = 0, 255 do
    local printable = byte >= 33 and byte <= 126 or byte >= 161 and byte ~= 173
    character[byte] = utf8.char(printable and byte or next_free)
    if not printable then next_free = next_free + 1 end
    byte_of[character[byte]] = string.char(byte)
  end
end

-- --- letters, numbers, white space ------------------------------------------------------------------------------

local SPACES = {[0x85] = true, [0xA0] = true, [0x1680] = true, [0x2028] = true, [0x2029] = true, [0x202F] = true, [0x205F] = true, [0x3000] = true}
for code = 0x2000, 0x200A do SPACES[code] = true end

local runs   -- the beginnings and ends of the runs of letters and numbers

local function read_runs(text)
  local first, last, at = {}, {}, 128
  for gap, more in text:gmatch "(%d+):?(%d*)" do
    first[#first + 1] = at + tonumber(gap)
    at = first[#first] + (tonumber(more) or 0) + 1
    last[#last + 1] = at - 1
  end
  return {first = first, last = last}
end

local function within(list, code)
  local low, high = 1, #list.first
  while low < high do
    local middle = (low + high + 1) // 2
    if list.first[middle] <= code then low = middle else high = middle - 1 end
  end
  return code >= list.first[low] and code <= list.last[low]
end

local function class_of(code)
  if code < 128 then
    local c = string.char(code)
    return c:find "^[A-Za-z]" and "letter" or c:find "^[0-9]" and "number" or (code == 32 or code >= 9 and code <= 13) and "space" or "other"
  end
  if SPACES[code] then return "space" end
  if not runs then
    local classes = torch._part "text.unicode_classes"
    runs = {letters = read_runs(classes.letters), numbers = read_runs(classes.numbers)}
  end
  return within(runs.letters, code) and "letter" or within(runs.numbers, code) and "number" or "other"
end

-- --- a text in pieces -------------------------------------------------------------------------------------------

local CONTRACTIONS = {"^'s", "^'t", "^'re", "^'ve", "^'m", "^'ll", "^'d"}

-- Returns the classes of a text's characters, and their byte positions.
local function classify(text)
  if not utf8.len(text) then fail("ValueError", "the text is no UTF-8") end
  local class, start = {}, {}
  for place, code in utf8.codes(text) do
    class[#class + 1], start[#start + 1] = class_of(code), place
  end
  start[#start + 1] = #text + 1
  return class, start
end

local function run_end(class, at)
  local last = at
  while class[last + 1] == class[at] do last = last + 1 end
  return last
end

-- Returns the last character of the piece that begins at character i.
local function piece_end(text, class, start, i)
  for _, pattern in ipairs(CONTRACTIONS) do
    local _, last = text:find(pattern, start[i])
    if last then return i + last - start[i] end
  end
  local word = text:byte(start[i]) == 32 and class[i + 1] and class[i + 1] ~= "space" and i + 1 or i
  local last = run_end(class, word)
  -- the last of several spaces belongs to the next piece
  if class[word] == "space" and class[last + 1] and last > i then last = last - 1 end
  return last
end

--- Splits a text as GPT-2's regular expression does: contractions; letters, numbers or others with a space before them; spaces.
local function pieces(text)
  local class, start = classify(text)
  local list, i = {}, 1
  while i <= #class do
    local last = piece_end(text, class, start, i)
    list[#list + 1] = text:sub(start[i], start[last + 1] - 1)
    i = last + 1
  end
  return list
end

-- --- the files --------------------------------------------------------------------------------------------------

local function read_file(path)
  local file <close>, problem = io.open(path, "rb")
  if not file then fail("FileNotFoundError", "%s", problem) end
  return file:read "a"
end

-- Returns {"token": number, ...} from a file.
local function read_vocabulary(path)
  local encoder = torch._part "tools.json".read(read_file(path))
  local good = type(encoder) == "table"
  for token, number in next, good and encoder or {} do good = good and type(token) == "string" and math.type(number) == "integer" end
  if not good then fail("ValueError", "%s: an object of tokens and their numbers is expected", path) end
  return encoder
end

local function read_merges(path)
  local ranks, count = {}, 0
  for line in read_file(path):gmatch "[^\r\n]+" do
    if line:find "^%S+ %S+$" and not line:find "^#version" then
      ranks[line], count = count, count + 1
    end
  end
  return ranks
end

-- --- the tokenizer ----------------------------------------------------------------------------------------------

local GPT2BPETokenizer = support.class("GPT2BPETokenizer", nil, "torch.text.transforms")

local read = torch._define "GPT2BPETokenizer.__init__(encoder_json_path, vocab_bpe_path, return_tokens=false)"
function GPT2BPETokenizer:init(...)
  local a = read(...)
  self.encoder, self.ranks, self.decoder, self.cache = read_vocabulary(a.encoder_json_path), read_merges(a.vocab_bpe_path), {}, {}
  self.return_tokens = a.return_tokens
  for token, number in pairs(self.encoder) do self.decoder[number] = token end
end

-- Returns the pair of neighbours that was merged first when the merges were learned.
local function best_pair(ranks, symbols)
  local best, left, right
  for i = 1, #symbols - 1 do
    local rank = ranks[symbols[i] .. " " .. symbols[i + 1]]
    if rank and (not best or rank < best) then best, left, right = rank, symbols[i], symbols[i + 1] end
  end
  return left, right
end

-- Returns the tokens of one piece of a text.
local function merge(self, piece)
  if self.cache[piece] then return self.cache[piece] end
  local symbols = {}
  for i = 1, #piece do symbols[i] = character[piece:byte(i)] end
  local left, right = best_pair(self.ranks, symbols)
  while left do
    local merged, i = {}, 1
    while i <= #symbols do
      local here = symbols[i] == left and symbols[i + 1] == right
      merged[#merged + 1] = here and left .. right or symbols[i]
      i = i + (here and 2 or 1)
    end
    symbols = merged
    left, right = best_pair(self.ranks, symbols)
  end
  self.cache[piece] = symbols
  return symbols
end

--- Returns the tokens of a text, in GPT-2's spelling of bytes.
function GPT2BPETokenizer:tokenize(text)
  local tokens = {}
  for _, piece in ipairs(pieces(text)) do
    for _, token in ipairs(merge(self, piece)) do tokens[#tokens + 1] = token end
  end
  return tokens
end

--- Returns the numbers of a text's tokens.
function GPT2BPETokenizer:encode(text)
  local numbers = self:tokenize(text)
  for i, token in ipairs(numbers) do
    numbers[i] = self.encoder[token] or fail("KeyError", "'%s'", token)
  end
  return numbers
end

--- Returns the text of numbers (a table or a tensor).
function GPT2BPETokenizer:decode(numbers)
  if torch.is_tensor(numbers) then numbers = numbers:tolist() end
  local parts = {}
  for i, number in ipairs(numbers) do
    parts[i] = self.decoder[number] or fail("KeyError", "%s", tostring(number))
  end
  return (table.concat(parts):gsub(utf8.charpattern, byte_of))
end

--- tokenizer(text) or tokenizer{texts} returns numbers, or with return_tokens the tokens.
function GPT2BPETokenizer:call(input)
  local method = self.return_tokens and self.tokenize or self.encode
  if type(input) == "string" then return method(self, input) end
  local out = {}
  for i, text in ipairs(input) do out[i] = method(self, text) end
  return out
end

return torch._namespace({GPT2BPETokenizer = GPT2BPETokenizer}, "torch.text.transforms")
