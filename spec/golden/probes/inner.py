"""Operators that no program can call: what PyTorch's functions leave in the graph in their place, and what autocast does there.
And the operators behind others that refuse tensors that require grad."""
import re
import torch
import torch.nn.functional as F
import autocast


def leaf(*shape):
    """Returns numbers in (0, 1), all different, whose gradient is asked for."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) + 1.0) / (count + 1)).reshape(shape).requires_grad_()


def slope(function, *leaves, of=0):
    """Returns the gradient of function(*leaves) for one of the leaves, which depends on what arrives."""
    result = function(*leaves)
    arrives = torch.ones_like(result, requires_grad=True)
    return torch.autograd.grad(result, leaves[of], arrives, create_graph=True)[0]


def strided(x):
    return x.as_strided((2, 2), (1, 2))


def convolved(of):
    return slope(F.conv1d, leaf(1, 2, 4), leaf(2, 2, 3), leaf(2), of=of)


def sampled(*sizes, of):
    """Returns the gradient of grid_sample for its input or its grid."""
    grid = leaf(1, *[2] * len(sizes), len(sizes))
    return slope(lambda x, grid: F.grid_sample(x, grid, align_corners=False), leaf(1, 2, *sizes), grid, of=of)


def recurrent(batch_first):
    return torch.rnn_tanh(leaf(2, 2, 4), leaf(1, 2, 4), [leaf(4, 4), leaf(4, 4)], False, 1, 0.0, False, False, batch_first)[0]


def recurrent_of_rows():
    return torch.rnn_tanh(leaf(5, 4), torch.tensor([3, 2]), leaf(1, 3, 4), [leaf(4, 4), leaf(4, 4)], False, 1, 0.0, False, False)[0]


def fused():
    states, weights = [leaf(1, 2, 4), leaf(1, 2, 4)], [leaf(16, 4), leaf(16, 4)]
    return torch.lstm(leaf(3, 2, 4), states, weights, False, 1, 0.0, True, False, False)[0]


def multiplied(x, source):
    """Returns x times elements of source, which all go to the first place."""
    return x.scatter_reduce(0, torch.tensor([0, 0]), source, "prod")


NODES = {
    "_mul_number": lambda: torch.trapezoid(leaf(3), dx=0.5),
    "_div_number": lambda: torch.trapezoid(leaf(3), leaf(3)),
    "hardtanh_": lambda: F.hardtanh_(leaf(3).clone()),
    "hardsigmoid_": lambda: F.hardsigmoid(leaf(3).clone(), inplace=True),
    "hardswish_": lambda: F.hardswish(leaf(3).clone(), inplace=True),
    "silu_": lambda: F.silu(leaf(3).clone(), inplace=True),
    "mish_": lambda: F.mish(leaf(3).clone(), inplace=True),
    "leaky_relu_": lambda: F.leaky_relu_(leaf(3).clone()),
    "elu_": lambda: F.elu_(leaf(3).clone()),
    "_rrelu_with_noise": lambda: F.rrelu(leaf(3), training=True),
    "_rrelu_with_noise_": lambda: F.rrelu_(leaf(3).clone(), training=True),
    "_rrelu_mean": lambda: F.rrelu(leaf(3)),
    "_rrelu_mean_": lambda: F.rrelu_(leaf(3).clone()),
    "leaky_relu_result_backward": lambda: slope(lambda x: F.leaky_relu_(x.clone()), leaf(3)),
    "elu_result_backward": lambda: slope(lambda x: F.elu_(x.clone()), leaf(3)),
    "silu_backward": lambda: slope(F.silu, leaf(3)),
    "mish_backward": lambda: slope(F.mish, leaf(3)),
    "hardsigmoid_backward": lambda: slope(F.hardsigmoid, leaf(3)),
    "clamp_backward": lambda: slope(lambda x: torch.clamp(x, 0, 1), leaf(3)),
    "sinc_backward": lambda: slope(torch.sinc, leaf(3)),
    "maximum_backward": lambda: slope(torch.maximum, leaf(3), leaf(3)),
    "prelu_backward": lambda: slope(F.prelu, leaf(3), leaf(1)),
    "zero_where": lambda: slope(torch.pow, leaf(3), leaf(3)),
    "view_alias": lambda: torch.ops.aten.alias(leaf(3)),
    "as_strided_view": lambda: strided(leaf(3, 4)),
    "as_strided_view_": lambda: leaf(3, 4).clone().as_strided_((2, 2), (1, 2)),
    "_as_strided_scatter": lambda: slope(strided, leaf(3, 4)),
    "_as_strided_gather": lambda: slope(lambda g: torch.autograd.grad(strided(y := leaf(3, 4)), y, g, create_graph=True)[0], leaf(2, 2)),
    "cat_parts": lambda: torch.cat([leaf(2, 3), leaf(1, 3)]),
    "_pad_circular": lambda: F.pad(leaf(1, 2, 3), (2, 1), "circular"),
    "index_backward": lambda: slope(lambda x: x[torch.tensor([0, 1])], leaf(3)),
    "index_select_backward": lambda: slope(lambda x: x.index_select(0, torch.tensor([0, 1])), leaf(3)),
    "take_backward": lambda: slope(lambda x: x.take(torch.tensor([0, 1])), leaf(3)),
    "gather_backward": lambda: slope(lambda x: x.gather(0, torch.tensor([0, 1])), leaf(3)),
    "chosen_backward": lambda: slope(lambda x: x.max(1).values, leaf(3, 4)),
    "_without_derivative": lambda: slope(multiplied, leaf(2), torch.zeros(2, requires_grad=True), of=1),
    "_norm_dims": lambda: F.pairwise_distance(leaf(3, 4), leaf(3, 4)),
    "_cdist_forward": lambda: torch.cdist(leaf(3, 4), leaf(2, 4), p=3.0),
    "_reverse_cumsum": lambda: slope(lambda x: x.cumsum(0), leaf(3)),
    "_convolution_backward_input": lambda: convolved(of=0),
    "_convolution_backward_weight": lambda: convolved(of=1),
    "_convolution_bias_grad": lambda: convolved(of=2),
    "_grid_sampler_2d_image": lambda: sampled(4, 5, of=0),
    "_grid_sampler_2d_slope": lambda: sampled(4, 5, of=1),
    "_grid_sampler_3d_image": lambda: sampled(3, 4, 5, of=0),
    "_grid_sampler_3d_slope": lambda: sampled(3, 4, 5, of=1),
    "_affine_grid_backward": lambda: slope(lambda theta: F.affine_grid(theta, (2, 1, 3, 4), align_corners=False), leaf(2, 2, 3)),
    "_stacked_steps": lambda: recurrent(batch_first=False),
    "_batch_first_steps": lambda: recurrent(batch_first=True),
    "_joined_steps": recurrent_of_rows,
    "_fused_steps": fused,
    "_bce_with_logits": lambda: F.binary_cross_entropy_with_logits(leaf(3), leaf(3)),
    "_multi_margin_loss_backward": lambda: slope(lambda x: F.multi_margin_loss(x, torch.tensor([0, 1])), leaf(2, 3)),
    "_multilabel_margin_loss_backward": lambda: slope(lambda x: F.multilabel_margin_loss(x, torch.tensor([0, 1, -1])), leaf(3)),
    "_ctc_loss_backward": lambda: slope(lambda x: F.ctc_loss(x, torch.tensor([[1, 2]]), [4], [2]), leaf(4, 1, 3)),
}


def node(name):
    """Returns the node that PyTorch's graph has in place of an operator that no program can call, or None: no function shows it."""
    return NODES[name]().grad_fn.name().replace("torch::autograd::", "") if name in NODES else None


# Calls of operators with a tensor that may not require grad, which fail with the name of the operator that refuses it.
REFUSALS = {
    "_linalg_pinv": lambda: torch.linalg.pinv(leaf(2, 2), atol=leaf()),
    "_binary_cross_entropy": lambda: F.binary_cross_entropy(leaf(3), leaf(3).detach(), leaf(3)),
    "_bce_with_logits": lambda: F.binary_cross_entropy_with_logits(leaf(3), leaf(3).detach(), leaf(3)),
    "_nll_loss": lambda: F.nll_loss(leaf(2, 3), torch.tensor([0, 1]), leaf(3)),
    "_nll_loss2d": lambda: F.nll_loss(leaf(1, 3, 2, 2), torch.zeros(1, 2, 2, dtype=torch.long), leaf(3)),
    "_soft_margin_loss": lambda: F.soft_margin_loss(leaf(3), leaf(3)),
    "_multi_margin_loss": lambda: F.multi_margin_loss(leaf(2, 3), torch.tensor([0, 1]), weight=leaf(3)),
    "fractional_max_pool2d": lambda: F.fractional_max_pool2d(leaf(1, 1, 3, 3), 2, 2, _random_samples=leaf(1, 1, 2)),
    "fractional_max_pool2d_with_indices":
        lambda: F.fractional_max_pool2d(leaf(1, 1, 3, 3), 2, 2, return_indices=True, _random_samples=leaf(1, 1, 2)),
    "fractional_max_pool3d": lambda: F.fractional_max_pool3d(leaf(1, 1, 3, 3, 3), 2, 2, _random_samples=leaf(1, 1, 3)),
    "fractional_max_pool3d_with_indices":
        lambda: F.fractional_max_pool3d(leaf(1, 1, 3, 3, 3), 2, 2, return_indices=True, _random_samples=leaf(1, 1, 3)),
    "native_batch_norm": lambda: torch.native_batch_norm(leaf(2, 3), None, None, leaf(3), leaf(3), False, 0.1, 1e-5),
    "batch_norm": lambda: torch.batch_norm(leaf(2, 3), None, None, leaf(3), leaf(3), False, 0.1, 1e-5, False),
    "batch_norm.functional": lambda: F.batch_norm(leaf(2, 3), leaf(3), leaf(3)),
    "instance_norm": lambda: torch.instance_norm(leaf(2, 3, 4), None, None, leaf(3), leaf(3), False, 0.1, 1e-5, False),
    "instance_norm.functional": lambda: F.instance_norm(leaf(2, 3, 4), leaf(3), leaf(3), use_input_stats=False),
}


def refuser(name):
    """Returns the operator that refuses tensors of this one that require grad, or None if nothing is known of it."""
    try:
        REFUSALS.get(name, lambda: None)()
    except RuntimeError as error:
        return re.match(r"The function '(\w+)' is not differentiable", str(error)).group(1)
    return None


def unpooled(t):
    return F.max_unpool3d(t(1, 1, 1, 1, 1), t(1, 1, 1, 1, 1).long(), 2)


def layer(t):
    with torch.backends.cudnn.flags(enabled=False):   # cuDNN wants a GPU
        return torch.lstm(t(3, 2, 4), [t(1, 2, 4), t(1, 2, 4)], [t(16, 4), t(16, 4)], False, 1, 0.0, True, False, False)[0]


# By type of device, PyTorch's operator in the place of one that no program can call, and a function of t that reaches it, where t
# makes tensors.
CLASSES = {
    "_max_unpool3d": dict.fromkeys(("cpu", "cuda"), ("max_unpool3d", unpooled)),
    "_norm_dims": dict.fromkeys(("cpu", "cuda"), ("norm", lambda t: F.pairwise_distance(t(3, 4), t(3, 4)))),
    "_recurrent_layer": {"cpu": ("mkldnn_rnn_layer", layer), "cuda": ("_thnn_fused_lstm_cell", layer)},
}


def class_on(name, device):
    """Returns the class under autocast on a type of device of an operator that CLASSES has."""
    behind, program = CLASSES[name][device]
    row = {}
    for pattern in ("float32", "lower"):
        make = lambda *shape: torch.ones(shape, dtype=autocast.types_of(pattern, device)[0], device=device)
        row[pattern] = autocast.dtypes(lambda: program(make), device)
    return autocast.class_of({"lua_name": behind, "forms": ["torch"]}, device, [row])
