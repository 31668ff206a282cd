"""write.py: writes digits.pt and sequence.pt with PyTorch: networks, inputs, and what PyTorch computes from them.

    python3 write.py        (needs torch; digits.csv is in the folder data of Tocha's sources)
"""
import pathlib

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def read_digits():
    """Returns images (N, 1, 8, 8) with values from 0 to 1, and labels (N)."""
    path = pathlib.Path(__file__).resolve().parents[3] / "data" / "digits.csv"
    rows = torch.tensor([[int(field) for field in line.split(",")] for line in path.read_text().split()])
    return rows[:, :64].float().reshape(-1, 1, 8, 8) / 16, rows[:, 64]


def write_digits():
    images, labels = read_digits()
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(10):
        for batch in torch.randperm(1500).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(images[batch]), labels[batch]).backward()
            optimizer.step()
    net.eval()
    unseen = images[1500:1512].clone()
    with torch.inference_mode():
        logits = net(unseen)
        right = (net(images[1500:]).argmax(1) == labels[1500:]).float().mean()
    print(f"{right:.1%} of the unseen digits are read correctly")
    torch.save({"net": net.state_dict(), "images": unseen, "labels": labels[1500:1512].clone(), "logits": logits.clone()},
               "digits.pt")


def write_sequences():
    lstm = nn.LSTM(6, 8, num_layers=2, batch_first=True, bidirectional=True).eval()
    layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    signal, tokens = torch.randn(2, 5, 6), torch.randn(2, 5, 8)
    with torch.no_grad():
        output, (h, c) = lstm(signal)
        encoded = encoder(tokens)
    torch.save({"lstm": lstm.state_dict(), "signal": signal, "output": output, "h": h, "c": c,
                "encoder": encoder.state_dict(), "tokens": tokens, "encoded": encoded}, "sequence.pt")


write_digits()
write_sequences()
