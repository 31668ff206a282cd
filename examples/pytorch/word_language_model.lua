-- word_language_model.lua: PyTorch's example "word_language_model": an LSTM, or a Transformer, learns which word comes next.
--
--   tocha examples/pytorch/word_language_model.lua [text.txt]
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional

-- ---- the words ----

local Dictionary = {}
Dictionary.__index = Dictionary

function Dictionary.new() return setmetatable({word2idx = {}, idx2word = {}}, Dictionary) end

function Dictionary:add_word(word)
  if not self.word2idx[word] then
    self.idx2word[#self.idx2word + 1] = word
    self.word2idx[word] = #self.idx2word - 1
  end
  return self.word2idx[word]
end

function Dictionary:__len() return #self.idx2word end

local function tokenize(path, dictionary)
  local ids = {}
  for line in io.lines(path) do
    for word in (line .. " <eos>"):gmatch "%S+" do ids[#ids + 1] = dictionary:add_word(word) end
  end
  return torch.tensor(ids)
end

-- One long row of words becomes bsz columns, so that a model reads bsz places at once.
local function batchify(text, bsz)
  local nbatch = text:size(0) // bsz
  return text:narrow(0, 0, nbatch * bsz):view(bsz, -1):t():contiguous()
end

local bptt = 10
local function get_batch(source, i)
  local seq_len = math.min(bptt, #source - 1 - i)
  return source[i .. ":" .. i + seq_len], source[i + 1 .. ":" .. i + 1 + seq_len]:view(-1)
end

-- ---- the models ----

local RNNModel = nn.Module:extend "RNNModel"

function RNNModel:init(rnn_type, ntoken, ninp, nhid, nlayers, dropout, tie_weights)
  self.ntoken = ntoken
  self.drop = nn.Dropout(dropout)
  self.encoder = nn.Embedding(ntoken, ninp)
  self.rnn = nn[rnn_type](ninp, nhid, nlayers, {dropout = dropout})
  self.decoder = nn.Linear(nhid, ntoken)
  if tie_weights then self.decoder.weight = self.encoder.weight end
  self:init_weights()
  self.nhid, self.nlayers = nhid, nlayers
end

function RNNModel:init_weights()
  local initrange = 0.1
  nn.init.uniform_(self.encoder.weight, -initrange, initrange)
  nn.init.zeros_(self.decoder.bias)
  nn.init.uniform_(self.decoder.weight, -initrange, initrange)
end

function RNNModel:forward(input, hidden)
  local emb = self.drop(self.encoder(input))
  local output
  output, hidden = self.rnn(emb, hidden)
  local decoded = self.decoder(self.drop(output)):view(-1, self.ntoken)
  return F.log_softmax(decoded, {dim = 1}), hidden
end

function RNNModel:init_hidden(bsz)
  local weight = self:parameters()()
  return {weight:new_zeros(self.nlayers, bsz, self.nhid), weight:new_zeros(self.nlayers, bsz, self.nhid)}
end

local PositionalEncoding = nn.Module:extend "PositionalEncoding"

function PositionalEncoding:init(d_model, dropout, max_len)
  self.dropout = nn.Dropout{p = dropout}
  local pe = torch.zeros(max_len, d_model)
  local position = torch.arange(0, max_len, {dtype = torch.float}):unsqueeze(1)
  local div_term = torch.exp(torch.arange(0, d_model, 2):float() * (-math.log(10000.0) / d_model))
  pe[":, 0::2"] = torch.sin(position * div_term)
  pe[":, 1::2"] = torch.cos(position * div_term)
  self:register_buffer("pe", pe:unsqueeze(0):transpose(0, 1))
end

function PositionalEncoding:forward(x)
  return self.dropout(x + self.pe[":" .. x:size(0)])
end

local TransformerModel = nn.Module:extend "TransformerModel"

function TransformerModel:init(ntoken, ninp, nhead, nhid, nlayers, dropout)
  self.pos_encoder = PositionalEncoding(ninp, dropout, 5000)
  self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(ninp, nhead, nhid, dropout), nlayers, {enable_nested_tensor = false})
  self.input_emb = nn.Embedding(ntoken, ninp)
  self.ninp = ninp
  self.decoder = nn.Linear(ninp, ntoken)
  nn.init.uniform_(self.input_emb.weight, -0.1, 0.1)
  nn.init.zeros_(self.decoder.bias)
  nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
end

function TransformerModel:forward(src)
  local mask = torch.log(torch.tril(torch.ones(#src, #src)))
  src = self.input_emb(src) * math.sqrt(self.ninp)
  src = self.pos_encoder(src)
  local output = self.decoder(self.encoder(src, {mask = mask}))
  return F.log_softmax(output, {dim = -1})
end

-- ---- training ----

local dictionary = Dictionary.new()
local corpus = tokenize(arg and arg[1] or "examples/pytorch/data/sonnets.txt", dictionary)
local ntokens = #dictionary
local train_data = batchify(corpus[":400"], 8)
local val_data = batchify(corpus["400:"], 4)
local criterion = nn.NLLLoss()
print(("%d words, %d different ones"):format(#corpus, ntokens))

-- Hidden states are taken out of the graph of the batch before.
local function repackage_hidden(h)
  local detached = {}
  for i, t in ipairs(h) do detached[i] = t:detach() end
  return detached
end

local function evaluate(model)
  model:eval()
  local total_loss = 0
  local hidden = model.init_hidden and model:init_hidden(4)
  torch.no_grad(function()
    for i = 0, val_data:size(0) - 2, bptt do
      local data, targets = get_batch(val_data, i)
      local output
      if hidden then
        output, hidden = model(data, hidden)
      else
        output = model(data):view(-1, ntokens)
      end
      total_loss = total_loss + #data * criterion(output, targets):item()
    end
  end)
  return total_loss / (#val_data - 1)
end

local function train(model, lr, clip, epoch)
  model:train()
  local hidden = model.init_hidden and model:init_hidden(8)
  local batch = 0
  for i = 0, train_data:size(0) - 2, bptt do
    local data, targets = get_batch(train_data, i)
    model:zero_grad()
    local output
    if hidden then
      hidden = repackage_hidden(hidden)
      output, hidden = model(data, hidden)
    else
      output = model(data):view(-1, ntokens)
    end
    local loss = criterion(output, targets)
    loss:backward()
    -- clip_grad_norm helps prevent the exploding gradient problem in RNNs / LSTMs
    torch.nn.utils.clip_grad_norm_(model:parameters(), clip)
    for p in model:parameters() do p.data:add_(p.grad, {alpha = -lr}) end
    print(torch.format("| epoch %d | batch %d | lr %.2f | loss %.5f | ppl %.3f", epoch, batch, lr, loss, math.exp(loss:item())))
    batch = batch + 1
  end
end

for _, kind in ipairs{"LSTM", "Transformer"} do
  torch.manual_seed(1111)
  local model
  if kind == "LSTM" then
    model = RNNModel("LSTM", ntokens, 32, 32, 2, 0.2, true)
  else
    model = TransformerModel(ntokens, 32, 2, 64, 2, 0.2)
  end
  print(model)
  local lr = kind == "LSTM" and 20 or 5
  for epoch = 1, 4 do
    train(model, lr, 0.25, epoch)
    local val_loss = evaluate(model)
    print(("| end of epoch %d | valid loss %.4f"):format(epoch, val_loss))
  end
end
