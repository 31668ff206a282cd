"""networks.py: networks as other projects publish them, small and with random weights, each in the format of its package, and what PyTorch makes
of an input: for spec/serialization/networks_spec.lua: python spec/golden/networks.py

The weights of the two larger face detectors are not written: a seed gives them on both sides."""
import os

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

import legacy

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "networks")
torch.set_num_threads(1)


def ceil_pool(size):
    return nn.MaxPool2d(size, 2, ceil_mode=True)


class FaceNet(nn.Module):
    """One of MTCNN's three: convolutions with PReLU and pooling, perhaps a hidden linear layer, several heads (the first a softmax)."""

    def __init__(self, convolutions, dense, heads, prefix):
        super().__init__()
        before = 3
        for i, (channels, kernel, pool) in enumerate(convolutions, 1):
            setattr(self, f"conv{i}", nn.Conv2d(before, channels, kernel))
            setattr(self, f"prelu{i}", nn.PReLU(channels))
            if pool:
                setattr(self, f"pool{i}", ceil_pool(pool))
            before = channels
        self.count, self.dense = i, dense
        if dense:
            setattr(self, f"dense{i + 1}", nn.Linear(*dense))
            setattr(self, f"prelu{i + 1}", nn.PReLU(dense[1]))
        self.heads = [f"{prefix}_{k}" for k in range(1, len(heads) + 1)]
        for name, n in zip(self.heads, heads):
            setattr(self, name, nn.Linear(dense[1], n) if dense else nn.Conv2d(before, n, 1))

    def forward(self, x):
        for i in range(1, self.count + 1):
            x = getattr(self, f"prelu{i}")(getattr(self, f"conv{i}")(x))
            x = getattr(self, f"pool{i}", nn.Identity())(x)
        if self.dense:
            x = x.permute(0, 3, 2, 1).contiguous()
            x = getattr(self, f"dense{self.count + 1}")(x.view(x.shape[0], -1))
            x = getattr(self, f"prelu{self.count + 1}")(x)
        first, *rest = (getattr(self, name)(x) for name in self.heads)
        return [*rest, first.softmax(1)]


class VoiceEncoder(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.lstm = nn.LSTM(channels, hidden, 3, batch_first=True)
        self.linear = nn.Linear(hidden, hidden)

    def forward(self, mels):
        _, (hidden, _) = self.lstm(mels)
        raw = F.relu(self.linear(hidden[-1]))
        return [raw / torch.norm(raw, dim=1, keepdim=True)]


class Crepe(nn.Module):
    def __init__(self, channels, bins):
        super().__init__()
        before = 1
        for i, n in enumerate(channels, 1):
            setattr(self, f"conv{i}", nn.Conv2d(before, n, (512 if i == 1 else 64, 1), (4 if i == 1 else 1, 1)))
            setattr(self, f"conv{i}_BN", nn.BatchNorm2d(n, eps=0.0010000000474974513, momentum=0.0))
            before = n
        self.in_features = 4 * before
        self.classifier = nn.Linear(self.in_features, bins)

    def forward(self, x):
        x = x[:, None, :, None]
        for i in range(1, 7):
            x = F.pad(x, (0, 0, 254, 254) if i == 1 else (0, 0, 31, 32))
            x = getattr(self, f"conv{i}_BN")(F.relu(getattr(self, f"conv{i}")(x)))
            x = F.max_pool2d(x, (2, 1), (2, 1))
        return [torch.sigmoid(self.classifier(x.permute(0, 2, 1, 3).reshape(-1, self.in_features)))]


class VoiceDetector(nn.Module):
    def __init__(self, window, channels):
        super().__init__()
        before = window // 2 + 1
        self.window, self.bins = window, before
        self.stft_conv = nn.Conv1d(1, 2 * before, window, stride=window // 2, bias=False)
        for i, n in enumerate(channels, 1):
            setattr(self, f"conv{i}", nn.Conv1d(before, n, 3, stride=2 if i in (2, 3) else 1, padding=1))
            before = n
        self.lstm_cell = nn.LSTMCell(before, before)
        self.final_conv = nn.Conv1d(before, 1, 1)

    def step(self, x, state):
        x = self.stft_conv(F.pad(x, (0, self.window // 4), "reflect").unsqueeze(1))
        x = (x[:, :self.bins] ** 2 + x[:, self.bins:] ** 2).sqrt()
        for i in range(1, 5):
            x = getattr(self, f"conv{i}")(x).relu()
        h, c = self.lstm_cell(x.squeeze(-1), state)
        return self.final_conv(h.unsqueeze(-1).relu()).sigmoid().squeeze(1).mean(1, keepdim=True), (h, c)

    def forward(self, pieces):
        state, results = None, []
        for piece in pieces:
            y, state = self.step(piece, state)
            results.append(y)
        return [torch.cat(results), torch.stack(state)]


def randomize(module):
    """Weights that no initializer gives: slopes and statistics differ from channel to channel."""
    for name, t in module.state_dict().items():
        if "PReLU" in type(module.get_submodule(name.rpartition(".")[0])).__name__ or name.endswith("running_var"):
            t.uniform_(0.1, 1.5)
        elif name.endswith("running_mean"):
            t.normal_()
    return module.eval()


NETWORKS = {
    "pnet": (lambda: FaceNet([(10, 3, 2), (16, 3, 0), (32, 3, 0)], None, (2, 4), "conv4"), lambda: torch.rand(2, 3, 27, 31) * 2 - 1),
    "rnet": (lambda: FaceNet([(28, 3, 3), (48, 3, 3), (64, 2, 0)], (576, 128), (2, 4), "dense5"), lambda: torch.rand(2, 3, 24, 24) * 2 - 1),
    "onet": (lambda: FaceNet([(32, 3, 3), (64, 3, 3), (64, 3, 2), (128, 2, 0)], (1152, 256), (2, 4, 10), "dense6"),
             lambda: torch.rand(1, 3, 48, 48) * 2 - 1),
    "encoder": (lambda: VoiceEncoder(10, 16), lambda: torch.rand(3, 20, 10)),
    "crepe": (lambda: Crepe([8, 4, 4, 4, 6, 8], 36), lambda: torch.randn(2, 1024)),
    "detector": (lambda: VoiceDetector(32, [8, 6, 6, 8]), lambda: torch.randn(5, 1, 72)),
}


def main():
    os.makedirs(here, exist_ok=True)
    answers = {}
    for number, (name, (make, draw)) in enumerate(NETWORKS.items()):
        torch.manual_seed(number)
        network = make().eval()
        path = os.path.join(here, name)
        if name == "pnet":
            legacy.save(randomize(network).state_dict(), path + ".pt")
        elif name == "encoder":
            state = dict(network.state_dict(), similarity_weight=torch.tensor([10.0]), similarity_bias=torch.tensor([-5.0]))
            legacy.save({"step": 7, "model_state": state}, path + ".pt")
        elif name == "crepe":
            torch.save(randomize(network).state_dict(), path + ".pth")
        elif name == "detector":
            save_file(network.state_dict(), path + ".safetensors")
        x = draw()
        answers[f"{name}.input"] = x
        with torch.no_grad():
            for i, y in enumerate(network(x)):
                answers[f"{name}.{i}"] = y.contiguous()
    save_file(answers, os.path.join(here, "answers.safetensors"))


main()
