"""The networks that nets.py (on the CPU) and families_cuda.py (on a GPU) measure; networks.lua has Tocha's."""
import torch
import torch.nn.functional as F
from torch import nn, optim

nets = {}


def net(name):
    """Registers make(). It returns the network, its optimizer, its loss of one batch, and its forward of batch 1."""

    def register(make):
        nets[name] = make
        return make

    return register


def classifier(model, optimizer, x, y, loss_fn):
    return model, optimizer, lambda: loss_fn(model(x), y), lambda: model(x.narrow(0, 0, 1))


# ---- layer upon layer ----


@net("tutorial 1-10-10-1, 40 rows")
def _():
    x = torch.arange(0, 0.8, 0.02).unsqueeze(1)
    model = nn.Sequential(nn.Linear(1, 10), nn.Linear(10, 10), nn.Linear(10, 1))
    return classifier(model, optim.SGD(model.parameters(), lr=0.01), x, 0.7 * x + 0.3, nn.L1Loss())


@net("tutorial 2-10-10-1, 800 rows")
def _():
    model = nn.Sequential(nn.Linear(2, 10), nn.ReLU(), nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 1))
    x = torch.rand(800, 2)
    return classifier(model, optim.SGD(model.parameters(), lr=0.1), x, x.sum(dim=1, keepdim=True).round().clamp(0, 1),
                      nn.BCEWithLogitsLoss())


@net("MLP 784-512-512-10, b64")
def _():
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    return classifier(model, optim.Adam(model.parameters(), lr=0.001), torch.rand(64, 784), torch.randint(0, 10, (64,)),
                      nn.CrossEntropyLoss())


# ---- pictures ----


@net("TinyVGG 3x64x64, b32")
def _():
    def block(from_, to):
        return nn.Sequential(nn.Conv2d(from_, to, 3), nn.ReLU(), nn.Conv2d(to, to, 3), nn.ReLU(), nn.MaxPool2d(2))

    model = nn.Sequential(block(3, 10), block(10, 10), nn.Sequential(nn.Flatten(), nn.Linear(10 * 13 * 13, 3)))
    return classifier(model, optim.Adam(model.parameters(), lr=0.001), torch.rand(32, 3, 64, 64), torch.randint(0, 3, (32,)),
                      nn.CrossEntropyLoss())


@net("MNIST convnet, b64")
def _():
    model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
                          nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10), nn.LogSoftmax(1))
    return classifier(model, optim.Adadelta(model.parameters(), lr=1.0), torch.rand(64, 1, 28, 28), torch.randint(0, 10, (64,)),
                      nn.NLLLoss())


@net("ResNet-18 on CIFAR, b32")
def _():
    import torchvision

    model = torchvision.models.resnet18(num_classes=10)
    model.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)
    model.maxpool = nn.Identity()
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    return classifier(model, optimizer, torch.rand(32, 3, 32, 32), torch.randint(0, 10, (32,)), nn.CrossEntropyLoss())


# ---- sequences ----

VOCABULARY = 1000


class Words(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 256)
        self.layers = layers(256, 256, 2)
        self.head = nn.Linear(256, VOCABULARY)

    def forward(self, x):
        return self.head(self.layers(self.embedding(x))[0])


def words(layers):
    model = Words(layers)
    x, y = torch.randint(0, VOCABULARY, (35, 32)), torch.randint(0, VOCABULARY, (35 * 32,))

    def loss():
        return F.cross_entropy(model(x).view(-1, VOCABULARY), y)

    return model, optim.SGD(model.parameters(), lr=1.0), loss, lambda: model(x.narrow(1, 0, 1))


@net("LSTM 2x256, 35x32")
def _():
    return words(nn.LSTM)


@net("GRU 2x256, 35x32")
def _():
    return words(nn.GRU)


@net("Transformer 4x256, 128 tokens, b16")
def _():
    layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
    model = nn.Sequential(nn.Embedding(VOCABULARY, 256), nn.TransformerEncoder(layer, 4, enable_nested_tensor=False),
                          nn.Linear(256, VOCABULARY))
    x, y = torch.randint(0, VOCABULARY, (16, 128)), torch.randint(0, VOCABULARY, (16 * 128,))

    def loss():
        return F.cross_entropy(model(x).view(-1, VOCABULARY), y)

    return model, optim.Adam(model.parameters(), lr=1e-4), loss, lambda: model(x.narrow(0, 0, 1))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, c // self.heads).transpose(1, 2) for part in self.c_attn(self.ln_1(x)).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary, tokens, width, heads, layers):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(tokens, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, x):
        x = self.wte(x) + self.wpe(torch.arange(x.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_f(x))


@net("GPT 4x192, 128 characters, b12")
def _():
    model = GPT(65, 128, 192, 6, 4)
    x, y = torch.randint(0, 65, (12, 128)), torch.randint(0, 65, (12 * 128,))

    def loss():
        return F.cross_entropy(model(x).view(-1, 65), y)

    return model, optim.AdamW(model.parameters(), lr=1e-3), loss, lambda: model(x.narrow(0, 0, 1))


@net("Muon, 256-512-256, b32")
def _():
    model = nn.Sequential(nn.Linear(256, 512, bias=False), nn.ReLU(), nn.Linear(512, 256, bias=False))
    return classifier(model, optim.Muon(model.parameters()), torch.rand(32, 256), torch.rand(32, 256), nn.MSELoss())
