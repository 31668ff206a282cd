"""The PyTorch side of the table for a GPU, families of operators and networks; families_cuda.lua is the Tocha side.

    families_cuda.py speed [PATTERN]   see measuring_cuda.py
"""
import torch
import torch.nn.functional as F
from torch import nn

from measuring_cuda import SMALL, case, cuda, main, rand, sized
from networks import nets


def forward(name):
    """Adds a case of f(x), without a graph."""

    def register(make):
        @case(name)
        def _():
            f, x, *_ = make()

            def call():
                with torch.no_grad():
                    return f(x)

            return call

        return make

    return register


def step(name):
    """Adds a case of f(x) and the gradients of x and of the module's parameters."""

    def register(make):
        @case(name + ", step")
        def _():
            f, x, *module = make()
            leaves = [x.requires_grad_()] if x.is_floating_point() else []
            leaves += module[0].parameters() if module else []
            gradient = []

            def call():
                y = f(x)
                if not gradient:
                    gradient.append(torch.ones_like(y))
                torch.autograd.grad(y, leaves, grad_outputs=gradient[0])

            return call

        return make

    return register


def of_module(module, x):
    module = module.to(x.device, x.dtype)
    return module, x, module


def images(n, c, size):
    return rand(sized(n, 2), sized(c, min(c, 8)), sized(size, 8), sized(size, 8))


def bf16(t):
    return t.to(torch.bfloat16)


# ---- convolution ----

WIDTH = sized(64, 8)


@step("conv2d 3x3, 256x64x56x56, float32")
def _():
    return of_module(nn.Conv2d(WIDTH, WIDTH, 3, padding=1), images(256, 64, 56))


@step("conv2d 3x3, 256x64x56x56, tf32")
def _():
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    return of_module(nn.Conv2d(WIDTH, WIDTH, 3, padding=1), images(256, 64, 56))


@step("conv2d 3x3, 256x64x56x56, bfloat16")
def _():
    return of_module(nn.Conv2d(WIDTH, WIDTH, 3, padding=1), bf16(images(256, 64, 56)))


@step("conv2d 3x3, 256x64x56x56, bfloat16 channels_last")
def _():
    f, x, module = of_module(nn.Conv2d(WIDTH, WIDTH, 3, padding=1), bf16(images(256, 64, 56)))
    return (
        f,
        x.to(memory_format=torch.channels_last),
        module.to(memory_format=torch.channels_last),
    )


@step("conv2d 3x3, 256x64x56x56, bfloat16 without cuDNN")
def _():
    torch.backends.cudnn.enabled = False
    return of_module(nn.Conv2d(WIDTH, WIDTH, 3, padding=1), bf16(images(256, 64, 56)))


@step("depthwise 3x3, 64x96x112x112, float32")
def _():
    width = sized(96, 8)
    return of_module(nn.Conv2d(width, width, 3, padding=1, groups=width), images(64, 96, 112))


@step("conv_transpose2d 4x4, 64x64x28x28, float32")
def _():
    return of_module(nn.ConvTranspose2d(WIDTH, WIDTH, 4, stride=2, padding=1), images(64, 64, 28))


# ---- normalization ----


@step("batch_norm2d, 256x64x112x112, float32")
def _():
    return of_module(nn.BatchNorm2d(WIDTH), images(256, 64, 112))


@step("batch_norm1d, 65536x256, float32")
def _():
    return of_module(nn.BatchNorm1d(sized(256, 8)), rand(sized(65536, 32), sized(256, 8)))


@forward("layer_norm, 16384x1024, bfloat16")
@step("layer_norm, 16384x1024, bfloat16")
def _():
    return of_module(nn.LayerNorm(sized(1024, 16)), bf16(rand(sized(16384, 8), sized(1024, 16))))


@step("rms_norm, 16384x1024, bfloat16")
def _():
    return of_module(nn.RMSNorm(sized(1024, 16)), bf16(rand(sized(16384, 8), sized(1024, 16))))


@step("group_norm, 64x64x112x112, float32")
def _():
    return of_module(nn.GroupNorm(sized(32, 4), WIDTH), images(64, 64, 112))


# ---- attention ----


@forward("attention, causal 8x16x2048x64, bfloat16")
@step("attention, causal 8x16x2048x64, bfloat16")
def _():
    def values():
        return bf16(rand(sized(8, 1), sized(16, 2), sized(2048, 16), sized(64, 8)))

    k, v = values(), values()
    return (lambda q: F.scaled_dot_product_attention(q, k, v, is_causal=True)), values()


@step("attention, mask and dropout 8x16x1024x64, bfloat16")
def _():
    def values():
        return bf16(rand(sized(8, 1), sized(16, 2), sized(1024, 16), sized(64, 8)))

    k, v, mask = values(), values(), rand(sized(1024, 16), sized(1024, 16)).gt(0.2)
    return (lambda q: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.1)), values()


@step("encoder layer 1024, 8x2048 tokens, bfloat16")
def _():
    layer = nn.TransformerEncoderLayer(sized(1024, 16), sized(16, 2), sized(4096, 32), dropout=0, batch_first=True)
    return of_module(layer, bf16(rand(sized(8, 1), sized(2048, 8), sized(1024, 16))))


# ---- pooling and resampling ----


@forward("max_pool2d 3x3, 256x64x112x112, float32")
@step("max_pool2d 3x3, 256x64x112x112, float32")
def _():
    return (lambda x: F.max_pool2d(x, 3, 2, 1)), images(256, 64, 112)


@step("avg_pool2d 2x2, 256x64x112x112, float32")
def _():
    return (lambda x: F.avg_pool2d(x, 2)), images(256, 64, 112)


@step("interpolate bilinear x2, 16x64x128x128, float32")
def _():
    return (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear")), images(16, 64, 128)


@step("interpolate bicubic x2, 16x64x128x128, float32")
def _():
    return (lambda x: F.interpolate(x, scale_factor=2, mode="bicubic")), images(16, 64, 128)


@step("interpolate nearest x2, 16x64x128x128, bfloat16")
def _():
    return (lambda x: F.interpolate(x, scale_factor=2)), bf16(images(16, 64, 128))


@step("interpolate antialiased to 224, 16x3x896x896, float32")
def _():
    size = sized(224, 4)
    return (lambda x: F.interpolate(x, (size, size), mode="bilinear", antialias=True)), images(16, 3, 896)


@step("reflection pad 3, 64x64x112x112, float32")
def _():
    return (lambda x: F.pad(x, (3, 3, 3, 3), "reflect")), images(64, 64, 112)


@step("grid_sample, 16x3x512x512, float32")
def _():
    grid = torch.rand((sized(16, 2), sized(512, 8), sized(512, 8), 2), device=cuda) * 2 - 1
    return (lambda x: F.grid_sample(x, grid, align_corners=False)), images(16, 3, 512)


# ---- sequences ----


def register_layers(kind):
    @step(f"{kind} 2x512, 256x64 tokens, float32")
    def _():
        layers = getattr(nn, kind)(sized(512, 8), sized(512, 8), 2).to(cuda)
        return (lambda x: layers(x)[0]), rand(sized(256, 5), sized(64, 2), sized(512, 8)), layers


register_layers("LSTM")
register_layers("GRU")


@step("embedding, 16384 of 50000x512, float32")
def _():
    places = torch.randint(0, sized(50000, 50), (sized(16384, 64),), device=cuda)
    return (lambda weight: F.embedding(places, weight)), rand(sized(50000, 50), sized(512, 8))


# ---- order and places ----

MANY, ROWS = sized(1 << 24, 1 << 12), sized(8192, 64)


def square():
    return rand(ROWS, ROWS)


def squares_and_places():
    return rand(ROWS, ROWS), torch.randint(0, ROWS, (ROWS, ROWS), device=cuda)


forward("sort, 16M float32")(lambda: ((lambda x: x.sort()[0]), rand(MANY)))
forward("topk 50 of 8x131072, float32")(lambda: ((lambda x: x.topk(sized(50, 5))[0]), rand(8, sized(131072, 512))))
forward("cumsum of rows, 8192x8192, float32")(lambda: ((lambda x: x.cumsum(1)), square()))
forward("argmax of rows, 8192x8192, float32")(lambda: ((lambda x: x.argmax(1)), square()))
forward("var of columns, 8192x8192, float32")(lambda: ((lambda x: x.var(0)), square()))


@forward("scatter_add, 8192x8192, float32")
def _():
    x, places = squares_and_places()
    return (lambda t: t.scatter_add(1, places, t)), x


@forward("gather, 8192x8192, float32")
def _():
    x, places = squares_and_places()
    return (lambda t: t.gather(1, places)), x


@forward("where and cat, 8192x8192, float32")
def _():
    return (lambda x: torch.cat([torch.where(x > 0.5, x, -x), x])), square()


# ---- linear algebra: one large matrix, and many small ones ----


def positive(*shape):
    """Returns symmetric matrices with positive eigenvalues."""
    x = rand(*shape)
    return x @ x.mT + x.size(-1) * torch.eye(x.size(-1), device=cuda)


def register_linalg(of, shape):
    for name in ("inv", "cholesky", "qr", "eigh", "svd"):
        forward(f"{name}, {of}, float32")(lambda name=name: (getattr(torch.linalg, name), positive(*shape)))

    @forward(f"solve, {of}, float32")
    def _():
        matrices = positive(*shape)
        return (lambda x: torch.linalg.solve(matrices, x)), rand(*shape)


register_linalg("2048x2048", (sized(2048, 8), sized(2048, 8)))
register_linalg("4096x16x16", (sized(4096, 2), sized(16, 4), sized(16, 4)))


# ---- random numbers, losses, the host ----

forward("dropout, 16M float32")(lambda: ((lambda x: F.dropout(x, 0.5)), rand(MANY)))
forward("randn, 16M float32")(lambda: ((lambda x: x.normal_()), rand(MANY)))


@step("mse_loss, 16M float32")
def _():
    y = rand(MANY)
    return (lambda x: F.mse_loss(x, y)), rand(MANY)


@step("smooth_l1_loss, 16M bfloat16")
def _():
    y = bf16(rand(MANY))
    return (lambda x: F.smooth_l1_loss(x, y)), bf16(rand(MANY))


@step("ctc_loss, 512x32x64, targets of 100, float32")
def _():
    times, batch, length = sized(512, 12), sized(32, 2), sized(100, 4)
    targets = torch.randint(1, 64, (batch, length), device=cuda)
    inputs, lengths = (times,) * batch, (length,) * batch
    return (lambda x: F.ctc_loss(x.log_softmax(2), targets, inputs, lengths)), rand(times, batch, 64)


@step("binary_cross_entropy_with_logits, 16M float32")
def _():
    y = rand(MANY)
    return (lambda x: F.binary_cross_entropy_with_logits(x, y)), rand(MANY)


@case("to the GPU, 64 MB pageable", MANY * 4)
def _():
    x = torch.rand(MANY)
    return lambda: x.to(cuda)


@case("to the GPU, 64 MB pinned", MANY * 4)
def _():
    x = torch.rand(MANY).pin_memory()
    return lambda: x.to(cuda, non_blocking=True)


@case("clip_grad_norm_, 10M in 50 tensors")
def _():
    values = [nn.Parameter(rand(sized(400, 4), 500)) for _ in range(50)]
    for p in values:
        p.grad = rand(sized(400, 4), 500)
    return lambda: nn.utils.clip_grad_norm_(values, 1e9)


# ---- networks: a step of training, as bench/run nets measures on the CPU ----


def register_network(name, make):
    @case("train " + name)
    def _():
        torch.set_default_device(cuda)
        _, optimizer, loss, _ = make()

        def call():
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()

        return call


MEASURED = ("tutorial",) if SMALL else ("TinyVGG", "MNIST", "ResNet-18", "LSTM", "Transformer", "GPT")
for title, maker in nets.items():
    if title.startswith(MEASURED):
        register_network(title, maker)

main()
