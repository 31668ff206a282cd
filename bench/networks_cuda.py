"""The PyTorch side of the table for a GPU, networks of real size; networks_cuda.lua is the Tocha side.

    networks_cuda.py speed [PATTERN]   see measuring_cuda.py
"""
import torch
import torch.nn.functional as F
from torch import nn, optim

from measuring_cuda import SMALL, case, cuda, main, rand, sized

# ---- pictures ----


def train(name, autocast, rows=False):
    """Adds a step of training. autocast: in bfloat16; rows: in channels_last."""

    @case(f"train {name} 224, b64, {'bfloat16' if autocast else 'float32'}{', channels_last' if rows else ''}")
    def _():
        import torchvision

        model = getattr(torchvision.models, name.lower().replace("-", "").replace("netv2", "net_v2"))().to(cuda)
        x = rand(64, 3, 224, 224)
        y = torch.randint(0, 1000, (64,), device=cuda)
        if rows:
            model, x = model.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
        optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        torch.backends.cudnn.allow_tf32 = True  # PyTorch's default

        def call():
            optimizer.zero_grad()
            with torch.autocast(cuda.type, dtype=torch.bfloat16, enabled=autocast):
                loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()

        return call


if not SMALL:
    train("ResNet-18", False)
    train("ResNet-18", True)
    train("ResNet-50", True, rows=True)
    train("MobileNetV2", False)

# ---- one token through twelve layers of width 768, with the keys and values of the tokens before it ----

WIDTH, HEADS, LAYERS, TOKENS = sized(768, 32), sized(12, 2), sized(12, 2), sized(512, 8)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.projection = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.register_buffer("keys", torch.zeros(1, HEADS, TOKENS, WIDTH // HEADS))
        self.register_buffer("values", torch.zeros(1, HEADS, TOKENS, WIDTH // HEADS))

    def forward(self, x, place):
        q, k, v = self.attention(self.norm1(x)).view(1, 1, 3, HEADS, WIDTH // HEADS).transpose(1, 3).unbind(2)
        self.keys.index_copy_(2, place, k)
        self.values.index_copy_(2, place, v)
        y = F.scaled_dot_product_attention(q, self.keys, self.values)
        x = x + self.projection(y.transpose(1, 2).reshape(1, 1, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


@case("decode a token, 12x768, 512 tokens before, bfloat16")
def _():
    blocks = [Block().to(cuda, torch.bfloat16) for _ in range(LAYERS)]
    x, place = rand(1, 1, WIDTH).to(torch.bfloat16), torch.tensor([TOKENS - 1], device=cuda)

    @torch.no_grad()
    def call():
        y = x
        for block in blocks:
            y = block(y, place)
        return y

    return call


main()
