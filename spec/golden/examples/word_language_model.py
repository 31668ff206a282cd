import math

import torch
from torch import nn
from torch.nn import functional as F
from common import sonnets


class Dictionary:
    def __init__(self):
        self.word2idx, self.idx2word = {}, []

    def add_word(self, word):
        if word not in self.word2idx:
            self.idx2word.append(word)
            self.word2idx[word] = len(self.idx2word) - 1
        return self.word2idx[word]

    def __len__(self):
        return len(self.idx2word)


def tokenize(text, dictionary):
    return torch.tensor([dictionary.add_word(word) for line in text.splitlines() for word in line.split() + ["<eos>"]])


def batchify(text, bsz):
    nbatch = text.size(0) // bsz
    return text.narrow(0, 0, nbatch * bsz).view(bsz, -1).t().contiguous()


bptt = 10


def get_batch(source, i):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i:i + seq_len], source[i + 1:i + 1 + seq_len].view(-1)


class RNNModel(nn.Module):
    def __init__(self, rnn_type, ntoken, ninp, nhid, nlayers, dropout, tie_weights):
        super().__init__()
        self.ntoken = ntoken
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = getattr(nn, rnn_type)(ninp, nhid, nlayers, dropout=dropout)
        self.decoder = nn.Linear(nhid, ntoken)
        if tie_weights:
            self.decoder.weight = self.encoder.weight
        self.init_weights()
        self.nhid, self.nlayers = nhid, nlayers

    def init_weights(self):
        initrange = 0.1
        nn.init.uniform_(self.encoder.weight, -initrange, initrange)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -initrange, initrange)

    def forward(self, input, hidden):
        emb = self.drop(self.encoder(input))
        output, hidden = self.rnn(emb, hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.ntoken)
        return F.log_softmax(decoded, dim=1), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        return weight.new_zeros(self.nlayers, bsz, self.nhid), weight.new_zeros(self.nlayers, bsz, self.nhid)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, max_len):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0).transpose(0, 1))

    def forward(self, x):
        return self.dropout(x + self.pe[:x.size(0)])


class TransformerModel(nn.Module):
    def __init__(self, ntoken, ninp, nhead, nhid, nlayers, dropout):
        super().__init__()
        self.pos_encoder = PositionalEncoding(ninp, dropout, 5000)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(ninp, nhead, nhid, dropout), nlayers, enable_nested_tensor=False)
        self.input_emb = nn.Embedding(ntoken, ninp)
        self.ninp = ninp
        self.decoder = nn.Linear(ninp, ntoken)
        nn.init.uniform_(self.input_emb.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, src):
        mask = torch.log(torch.tril(torch.ones(len(src), len(src))))
        src = self.input_emb(src) * math.sqrt(self.ninp)
        src = self.pos_encoder(src)
        output = self.decoder(self.encoder(src, mask=mask))
        return F.log_softmax(output, dim=-1)


dictionary = Dictionary()
corpus = tokenize(sonnets(), dictionary)
ntokens = len(dictionary)
train_data = batchify(corpus[:400], 8)
val_data = batchify(corpus[400:], 4)
criterion = nn.NLLLoss()
print("%d words, %d different ones" % (len(corpus), ntokens))


def evaluate(model):
    model.eval()
    total_loss = 0
    recurrent = hasattr(model, "init_hidden")
    hidden = recurrent and model.init_hidden(4)
    with torch.no_grad():
        for i in range(0, val_data.size(0) - 1, bptt):
            data, targets = get_batch(val_data, i)
            if recurrent:
                output, hidden = model(data, hidden)
            else:
                output = model(data).view(-1, ntokens)
            total_loss += len(data) * criterion(output, targets).item()
    return total_loss / (len(val_data) - 1)


def train(model, lr, clip, epoch):
    model.train()
    recurrent = hasattr(model, "init_hidden")
    hidden = recurrent and model.init_hidden(8)
    for batch, i in enumerate(range(0, train_data.size(0) - 1, bptt)):
        data, targets = get_batch(train_data, i)
        model.zero_grad()
        if recurrent:
            hidden = tuple(h.detach() for h in hidden)
            output, hidden = model(data, hidden)
        else:
            output = model(data).view(-1, ntokens)
        loss = criterion(output, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
        print("| epoch %d | batch %d | lr %.2f | loss %.5f | ppl %.3f" % (epoch, batch, lr, loss, math.exp(loss.item())))


for kind in ("LSTM", "Transformer"):
    torch.manual_seed(1111)
    if kind == "LSTM":
        model = RNNModel("LSTM", ntokens, 32, 32, 2, 0.2, True)
    else:
        model = TransformerModel(ntokens, 32, 2, 64, 2, 0.2)
    print(model)
    lr = 20 if kind == "LSTM" else 5
    for epoch in range(1, 5):
        train(model, lr, 0.25, epoch)
        val_loss = evaluate(model)
        print("| end of epoch %d | valid loss %.4f" % (epoch, val_loss))
