"""optimizers.py: checkpoints of trainings that spec/c/optim_test.c goes on with, and the other way round:

    python spec/golden/optimizers.py              # writes optimizers.pt
    python spec/golden/optimizers.py --check FILE # goes on with what `build/optim_test FILE` wrote, says where it differs

optimizers.pt holds, for each class of optimizers, {"model", "optimizer", "scheduler", "epoch"} after three steps and "after": the
parameters after six. A parameter w has the loss (epoch + 1) * sum(w * w); the rates follow StepLR(2, gamma=0.5)."""
import os
import sys

import torch

here = os.path.dirname(os.path.abspath(__file__))
torch.set_num_threads(1)
HALF, END = 3, 6
classes = {
    "SGD": dict(lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": dict(lr=0.05, amsgrad=True, weight_decay=0.01),
    "AdamW": dict(lr=0.05, betas=(0.8, 0.99)),
    "Adamax": dict(lr=0.05),
    "Adagrad": dict(lr=0.05, lr_decay=0.1, initial_accumulator_value=0.1),
    "RMSprop": dict(lr=0.01, momentum=0.5, centered=True),
    "Adadelta": dict(lr=1.0),
    "NAdam": dict(lr=0.01),
    "RAdam": dict(lr=0.01),
    "Rprop": dict(lr=0.01),
    "ASGD": dict(lr=0.01, t0=2),
}


def new_parameters():
    return {"weight": torch.nn.Parameter(torch.tensor([[1.0, -2.0], [0.5, 3.0]])), "bias": torch.nn.Parameter(torch.tensor([0.25, -0.75]))}


def new_training(name):
    parameters = new_parameters()
    groups = [{"params": [parameters["weight"]]}, {"params": [parameters["bias"]], "lr": 0.02}]
    optimizer = getattr(torch.optim, name)(groups, **classes[name])
    return parameters, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)


def train(parameters, optimizer, scheduler, first, stop):
    for epoch in range(first, stop):
        optimizer.zero_grad()
        loss = sum((w * w).sum() for w in parameters.values()) * (epoch + 1)
        loss.backward()
        optimizer.step()
        scheduler.step()


def values(parameters):
    return {name: w.detach().clone() for name, w in parameters.items()}


def write():
    out = {}
    for name in classes:
        parameters, optimizer, scheduler = new_training(name)
        train(parameters, optimizer, scheduler, 0, HALF)
        out[name] = {"model": values(parameters), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(), "epoch": HALF}
        torch.save(out, os.path.join(here, "optimizers.pt"))   # before the states go on
        out[name] = torch.load(os.path.join(here, "optimizers.pt"), weights_only=True)[name]
        train(parameters, optimizer, scheduler, HALF, END)
        out[name]["after"] = values(parameters)
    torch.save(out, os.path.join(here, "optimizers.pt"))


def check(path):
    saved, wrong = torch.load(path, weights_only=True), 0
    for name in classes:
        parameters, optimizer, scheduler = new_training(name)
        with torch.no_grad():
            for key, w in parameters.items():
                w.copy_(saved[name]["model"][key])
        optimizer.load_state_dict(saved[name]["optimizer"])
        scheduler.load_state_dict(saved[name]["scheduler"])
        train(parameters, optimizer, scheduler, saved[name]["epoch"], END)
        for key, w in parameters.items():
            if not torch.allclose(w, saved[name]["after"][key], rtol=1e-6, atol=1e-7):
                print(f"{name}.{key}: PyTorch has {w.tolist()}, C went on to {saved[name]['after'][key].tolist()}")
                wrong += 1
        if optimizer.state_dict()["param_groups"][0].keys() != new_training(name)[1].state_dict()["param_groups"][0].keys():
            print(f"{name}: the groups have other options")
            wrong += 1
    print(f"{len(classes)} optimizers, {wrong} differences")
    return wrong


if len(sys.argv) == 3 and sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2]) != 0)
write()
