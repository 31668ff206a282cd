import torch
import common  # noqa: F401 (one thread)


def valley(x, y):
    return (1 - x) ** 2 + 20 * (y - x ** 2) ** 2


def descend(name, optimizer_of):
    place = torch.tensor([-1.5, 1.5], requires_grad=True)
    optimizer = optimizer_of([place])
    for step in range(401):
        height = valley(place[0], place[1])
        optimizer.zero_grad()
        height.backward()
        optimizer.step()
        if step % 100 == 0:
            print("%-4s step %3d  height %8.4f" % (name, step, height))


descend("SGD", lambda parameters: torch.optim.SGD(parameters, lr=0.003))
descend("Adam", lambda parameters: torch.optim.Adam(parameters, lr=0.05))

x = torch.tensor(0.5, requires_grad=True)
derivative = x.sin()
for order in range(1, 4):
    derivative, = torch.autograd.grad(derivative, x, create_graph=True)
    print("derivative %d of sin: %.4f" % (order, derivative))
