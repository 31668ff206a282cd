"""nets.py: the networks of nets.lua."""
from types import SimpleNamespace

import torch
from torch import nn


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.001)


def mlp():
    return SimpleNamespace(
        module=nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)),
        optimizer=adam,
        loss=nn.CrossEntropyLoss(),
        x=torch.rand(64, 784),
        y=torch.randint(0, 10, (64,)),
    )


def convnet():
    return SimpleNamespace(
        module=nn.Sequential(
            nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10)
        ),
        optimizer=adam,
        loss=nn.CrossEntropyLoss(),
        x=torch.rand(64, 1, 28, 28),
        y=torch.randint(0, 10, (64,)),
    )
