"""modules.py: modules whose forward takes or gives more than one tensor, with random weights, and what PyTorch makes of inputs: for
spec/c/modules_test.c: python spec/golden/modules.py

modules.safetensors holds, for each case, CASE/state/NAME, CASE/in/NUMBER, CASE/out/NUMBER and, where inputs require a gradient,
CASE/grad/NUMBER of the sum of the first result."""
import os

import torch
from safetensors.torch import save_file
from torch import nn

here = os.path.dirname(os.path.abspath(__file__))
torch.set_num_threads(1)
tensors = {}


def flat(value):
    """The tensors of a result, in order; None is left out."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value if item is not None for t in flat(item)]


def case(name, module, inputs, call=None, grad=False, eval_mode=True):
    """inputs: tensors in the order of C; call(module, inputs): PyTorch's call, if it is not module(*inputs)."""
    torch.manual_seed(len(tensors))
    if eval_mode:
        module.eval()
    inputs = [x.clone().requires_grad_(grad and x.is_floating_point()) for x in inputs]
    for key, value in module.state_dict().items():
        if not isinstance(value, nn.parameter.UninitializedTensorMixin):
            tensors[f"{name}/state/{key}"] = value.clone()
    out = flat((call or (lambda m, x: m(*x)))(module, inputs))
    if grad:
        out[0].sum().backward()
        for i, x in enumerate(inputs):
            if x.grad is not None:
                tensors[f"{name}/grad/{i}"] = x.grad
    for i, x in enumerate(inputs):
        tensors[f"{name}/in/{i}"] = x.detach()
    for i, y in enumerate(out):
        tensors[f"{name}/out/{i}"] = y.detach().clone().contiguous()


def draw(*sizes):
    return torch.randn(*sizes)


def recurrent():
    steps, pair = draw(5, 3, 4), [draw(4, 3, 6), draw(4, 3, 6)]
    with_states = lambda m, x: m(x[0], (x[1], x[2]))
    case("lstm", nn.LSTM(4, 6, num_layers=2, bidirectional=True), [steps], grad=True)
    case("lstm_states", nn.LSTM(4, 6, num_layers=2, bidirectional=True), [steps, *pair], with_states)
    case("lstm_projected", nn.LSTM(4, 6, proj_size=3, batch_first=True), [steps])
    case("lstm_alone", nn.LSTM(4, 6), [steps[:, 0]])
    case("rnn", nn.RNN(4, 6, nonlinearity="relu"), [steps, draw(1, 3, 6)])
    case("gru", nn.GRU(4, 6, num_layers=2), [steps], grad=True)
    packed = nn.utils.rnn.pack_padded_sequence(steps, torch.tensor([2, 5, 3]), enforce_sorted=False)
    parts = [packed.data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices]
    case("gru_packed", nn.GRU(4, 6), parts,
         lambda m, x: (lambda r: [r[0].data, r[1]])(m(nn.utils.rnn.PackedSequence(*x))))
    case("rnn_cell", nn.RNNCell(4, 6), [draw(3, 4), draw(3, 6)])
    case("gru_cell", nn.GRUCell(4, 6), [draw(4)])
    case("lstm_cell", nn.LSTMCell(4, 6), [draw(3, 4), draw(3, 6), draw(3, 6)], with_states)


def attention():
    query, key, padding = draw(5, 3, 8), draw(7, 3, 8), torch.zeros(3, 7, dtype=torch.bool)
    padding[1, 5:] = True
    case("attention", nn.MultiheadAttention(8, 2), [query, key, key], grad=True)
    case("attention_masked", nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True), [query, key, key, padding],
         lambda m, x: m(*x[:3], key_padding_mask=x[3], average_attn_weights=False))
    case("attention_widths", nn.MultiheadAttention(8, 4, kdim=6, vdim=5, batch_first=True), [draw(3, 5, 8), draw(3, 7, 6), draw(3, 7, 5)],
         lambda m, x: m(*x, need_weights=False))


def images():
    case("cross_map_lrn2d", nn.CrossMapLRN2d(3, alpha=0.1), [draw(2, 5, 4, 4)])


def transformers():
    src, tgt, hidden = draw(5, 3, 8), draw(4, 3, 8), torch.zeros(3, 5, dtype=torch.bool)
    hidden[0, 3:] = True
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    small = {"dim_feedforward": 16, "dropout": 0.1}
    case("encoder_layer", nn.TransformerEncoderLayer(8, 2, **small), [src], grad=True)
    case("encoder_layer_first", nn.TransformerEncoderLayer(8, 2, activation="gelu", norm_first=True, batch_first=True, bias=False, **small),
         [src.transpose(0, 1), torch.ones(5, 5, dtype=torch.bool).triu(1), hidden])
    case("decoder_layer", nn.TransformerDecoderLayer(8, 2, **small), [tgt, src, causal], grad=True)
    case("encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True, **small), 2, nn.LayerNorm(8)),
         [src.transpose(0, 1), hidden], lambda m, x: m(x[0], src_key_padding_mask=x[1]))
    padded = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True, **small), 2)
    with torch.no_grad():
        case("encoder_no_grad", padded, [src.transpose(0, 1), hidden], lambda m, x: m(x[0], src_key_padding_mask=x[1]))
    case("decoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, **small), 2), [tgt, src, causal])
    case("transformer", nn.Transformer(8, 2, 2, 2, **small), [src, tgt, causal, hidden],
         lambda m, x: m(x[0], x[1], tgt_mask=x[2], src_key_padding_mask=x[3], memory_key_padding_mask=x[3]), grad=True)
    for batch_first in (False, True):   # what a seed draws
        torch.manual_seed(3)
        m = nn.Transformer(8, 2, 1, 1, batch_first=batch_first, **small)
        tensors[f"transformer_drawn/out/{int(batch_first)}"] = torch.stack([p.detach().sum() for p in m.parameters()])


def lazy(name, make, x):
    """A module that draws its members in its first call, with seed 5, and its second call in evaluation."""
    torch.manual_seed(5)
    module = make()
    tensors[f"{name}/in/0"] = x
    tensors[f"{name}/out/0"] = module(x).detach().contiguous()
    tensors[f"{name}/out/1"] = module.eval()(x).detach().contiguous()


def lazies():
    image = draw(2, 3, 6, 6)
    lazy("lazy_linear", lambda: nn.LazyLinear(4), draw(2, 3))
    lazy("lazy_conv2d", lambda: nn.LazyConv2d(4, 3, stride=2, padding=1), image)
    lazy("lazy_conv_transpose1d", lambda: nn.LazyConvTranspose1d(4, 3), draw(3, 5))
    lazy("lazy_batch_norm2d", lambda: nn.LazyBatchNorm2d(), image)
    lazy("lazy_instance_norm1d", lambda: nn.LazyInstanceNorm1d(), draw(2, 3, 5))
    case("lazy_loaded", nn.Linear(3, 4), [draw(2, 3)])


def losses():
    adaptive = lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0)
    rows, targets = draw(6, 8), torch.tensor([1, 12, 3, 5, 19, 0])
    case("adaptive", adaptive(), [rows, targets], grad=True)
    case("adaptive_alone", adaptive(), [rows[0], targets[1]])
    case("adaptive_all", adaptive(), [rows], lambda m, x: [m.log_prob(x[0]), m.predict(x[0]).float()])
    three = [draw(5, 4) for _ in range(3)]
    case("triplet", nn.TripletMarginWithDistanceLoss(swap=True), three, grad=True)
    case("triplet_cosine", nn.TripletMarginWithDistanceLoss(distance_function=nn.CosineSimilarity(), margin=0.5, reduction="none"), three)
    case("sync_batch_norm", nn.SyncBatchNorm(3), [draw(2, 3, 4, 4, 2)])


recurrent()
attention()
images()
transformers()
lazies()
losses()
save_file({name: t.detach().clone(memory_format=torch.contiguous_format) for name, t in tensors.items()}, os.path.join(here, "modules.safetensors"))
