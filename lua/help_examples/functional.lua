-- Made by docs/make/examples.lua: a name, what is typed, what is shown.
return [==[
torch.nn.functional.adaptive_avg_pool1d	torch.nn.functional.adaptive_avg_pool1d(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([], size=(2, 0))
torch.nn.functional.adaptive_avg_pool2d	torch.nn.functional.adaptive_avg_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 2.5000,  4.5000],          [10.5000, 12.5000]]]])
torch.nn.functional.adaptive_avg_pool3d	torch.nn.functional.adaptive_avg_pool3d(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 2.5000,  4.5000],          [10.5000, 12.5000]],         [[ 2.5000,  4.5000],          [10.5000, 12.5000]]]])
torch.nn.functional.adaptive_max_pool1d	torch.nn.functional.adaptive_max_pool1d(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([], size=(2, 0))
torch.nn.functional.adaptive_max_pool1d_with_indices	torch.nn.functional.adaptive_max_pool1d_with_indices(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([], size=(2, 0))tensor([], size=(2, 0), dtype=torch.int64)
torch.nn.functional.adaptive_max_pool2d	torch.nn.functional.adaptive_max_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 5.,  7.],          [13., 15.]]]])
torch.nn.functional.adaptive_max_pool2d_with_indices	torch.nn.functional.adaptive_max_pool2d_with_indices(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 5.,  7.],          [13., 15.]]]])tensor([[[[ 5,  7],          [13, 15]]]])
torch.nn.functional.adaptive_max_pool3d	torch.nn.functional.adaptive_max_pool3d(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 5.,  7.],          [13., 15.]],         [[ 5.,  7.],          [13., 15.]]]])
torch.nn.functional.avg_pool1d	torch.nn.functional.avg_pool1d(torch.arange(4.):reshape(1, 1, 4), 2)	tensor([[[0.5000, 2.5000]]])
torch.nn.functional.avg_pool2d	torch.nn.functional.avg_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 2.5000,  4.5000],          [10.5000, 12.5000]]]])
torch.nn.functional.avg_pool3d	torch.nn.functional.avg_pool3d(torch.arange(8.):reshape(1, 1, 2, 2, 2), 2)	tensor([[[[[3.5000]]]]])
torch.nn.functional.celu	torch.nn.functional.celu(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.nn.functional.cosine_similarity	torch.nn.functional.cosine_similarity(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor([0.6508, 0.9487])
torch.nn.functional.elu	torch.nn.functional.elu(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.nn.functional.fractional_max_pool2d	torch.nn.functional.fractional_max_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2, 2)	tensor([[[[ 5.,  7.],          [13., 15.]]]])
torch.nn.functional.fractional_max_pool2d_with_indices	torch.nn.functional.fractional_max_pool2d_with_indices(torch.arange(16.):reshape(1, 1, 4, 4), 2, 2)	tensor([[[[ 5.,  7.],          [13., 15.]]]])tensor([[[[ 5,  7],          [13, 15]]]])
torch.nn.functional.gelu	torch.nn.functional.gelu(torch.tensor{0.25, 0.5, 1.})	tensor([0.1497, 0.3457, 0.8413])
torch.nn.functional.glu	torch.nn.functional.glu(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[0.8808],        [2.9460]])
torch.nn.functional.hardshrink	torch.nn.functional.hardshrink(torch.tensor{0.25, 0.5, 1.})	tensor([0., 0., 1.])
torch.nn.functional.hardsigmoid	torch.nn.functional.hardsigmoid(torch.tensor{0.25, 0.5, 1.})	tensor([0.5417, 0.5833, 0.6667])
torch.nn.functional.hardswish	torch.nn.functional.hardswish(torch.tensor{0.25, 0.5, 1.})	tensor([0.1354, 0.2917, 0.6667])
torch.nn.functional.hardtanh	torch.nn.functional.hardtanh(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.nn.functional.hinge_embedding_loss	torch.nn.functional.hinge_embedding_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(0.8333)
torch.nn.functional.huber_loss	torch.nn.functional.huber_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(1.2917)
torch.nn.functional.instance_norm	torch.nn.functional.instance_norm(torch.arange(16.):reshape(1, 1, 4, 4))	tensor([[[[-1.6270, -1.4100, -1.1931, -0.9762],          [-0.7593, -0.5423, -0.3254, -0.1085],          [ 0.1085,  0.3254,  0.5423,  0.7593],          [ 0.9762,  1.1931,  1.4100,  1.6270]]]])
torch.nn.functional.interpolate	torch.nn.functional.interpolate(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 0.,  2.],          [ 8., 10.]]]])
torch.nn.functional.kl_div	torch.nn.functional.kl_div(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(0.6438)
torch.nn.functional.l1_loss	torch.nn.functional.l1_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(1.7500)
torch.nn.functional.leaky_relu	torch.nn.functional.leaky_relu(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.nn.functional.linear	torch.nn.functional.linear(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(5.)
torch.nn.functional.local_response_norm	torch.nn.functional.local_response_norm(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 0.0000,  1.0000,  1.9997,  2.9990],          [ 3.9976,  4.9953,  5.9919,  6.9872],          [ 7.9809,  8.9728,  9.9627, 10.9503],          [11.9356, 12.9182, 13.8980, 14.8747]]]])
torch.nn.functional.logsigmoid	torch.nn.functional.logsigmoid(torch.tensor{0.25, 0.5, 1.})	tensor([-0.5759, -0.4741, -0.3133])
torch.nn.functional.lp_pool2d	torch.nn.functional.lp_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2, 2)	tensor([[[[ 6.4807,  9.8995],          [21.4009, 25.3377]]]])
torch.nn.functional.margin_ranking_loss	torch.nn.functional.margin_ranking_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}, torch.tensor{0.25, 0.5, 1.})	tensor(1.2292)
torch.nn.functional.max_pool1d	torch.nn.functional.max_pool1d(torch.arange(4.):reshape(1, 1, 4), 2)	tensor([[[1., 3.]]])
torch.nn.functional.max_pool1d_with_indices	torch.nn.functional.max_pool1d_with_indices(torch.arange(4.):reshape(1, 1, 4), 2)	tensor([[[1., 3.]]])tensor([[[1, 3]]])
torch.nn.functional.max_pool2d	torch.nn.functional.max_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 5.,  7.],          [13., 15.]]]])
torch.nn.functional.max_pool2d_with_indices	torch.nn.functional.max_pool2d_with_indices(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 5.,  7.],          [13., 15.]]]])tensor([[[[ 5,  7],          [13, 15]]]])
torch.nn.functional.max_pool3d	torch.nn.functional.max_pool3d(torch.arange(8.):reshape(1, 1, 2, 2, 2), 2)	tensor([[[[[7.]]]]])
torch.nn.functional.max_pool3d_with_indices	torch.nn.functional.max_pool3d_with_indices(torch.arange(8.):reshape(1, 1, 2, 2, 2), 2)	tensor([[[[[7.]]]]])tensor([[[[[7]]]]])
torch.nn.functional.mish	torch.nn.functional.mish(torch.tensor{0.25, 0.5, 1.})	tensor([0.1696, 0.3752, 0.8651])
torch.nn.functional.mse_loss	torch.nn.functional.mse_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(4.1042)
torch.nn.functional.multi_margin_loss	torch.nn.functional.multi_margin_loss(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{1, 0})	tensor(0.5000)
torch.nn.functional.multilabel_soft_margin_loss	torch.nn.functional.multilabel_soft_margin_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(-0.6289)
torch.nn.functional.pairwise_distance	torch.nn.functional.pairwise_distance(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(3.5089)
torch.nn.functional.pdist	torch.nn.functional.pdist(torch.tensor{{1., 2.}, {3., 4.}})	tensor([2.8284])
torch.nn.functional.prelu	torch.nn.functional.prelu(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([[1., 2.],        [3., 4.]])
torch.nn.functional.relu6	torch.nn.functional.relu6(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.nn.functional.scaled_dot_product_attention	torch.nn.functional.scaled_dot_product_attention(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}}, torch.tensor{{1., 2.}, {3., 4.}})	tensor([[2.3395, 3.3395],        [1.6605, 2.6605]])
torch.nn.functional.selu	torch.nn.functional.selu(torch.tensor{0.25, 0.5, 1.})	tensor([0.2627, 0.5254, 1.0507])
torch.nn.functional.silu	torch.nn.functional.silu(torch.tensor{0.25, 0.5, 1.})	tensor([0.1405, 0.3112, 0.7311])
torch.nn.functional.smooth_l1_loss	torch.nn.functional.smooth_l1_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(1.2917)
torch.nn.functional.soft_margin_loss	torch.nn.functional.soft_margin_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(0.3221)
torch.nn.functional.softplus	torch.nn.functional.softplus(torch.tensor{0.25, 0.5, 1.})	tensor([0.8259, 0.9741, 1.3133])
torch.nn.functional.softshrink	torch.nn.functional.softshrink(torch.tensor{0.25, 0.5, 1.})	tensor([0.0000, 0.0000, 0.5000])
torch.nn.functional.softsign	torch.nn.functional.softsign(torch.tensor{0.25, 0.5, 1.})	tensor([0.2000, 0.3333, 0.5000])
torch.nn.functional.tanhshrink	torch.nn.functional.tanhshrink(torch.tensor{0.25, 0.5, 1.})	tensor([0.0051, 0.0379, 0.2384])
torch.nn.functional.threshold	torch.nn.functional.threshold(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([[1., 2.],        [3., 4.]])
torch.nn.functional.triplet_margin_loss	torch.nn.functional.triplet_margin_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}, torch.tensor{0.25, 0.5, 1.})	tensor(4.5089)
torch.nn.functional.triplet_margin_with_distance_loss	torch.nn.functional.triplet_margin_with_distance_loss(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}, torch.tensor{0.25, 0.5, 1.})	tensor(4.5089)
torch.nn.functional.unfold	torch.nn.functional.unfold(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[ 0.,  1.,  2.,  4.,  5.,  6.,  8.,  9., 10.],         [ 1.,  2.,  3.,  5.,  6.,  7.,  9., 10., 11.],         [ 4.,  5.,  6.,  8.,  9., 10., 12., 13., 14.],         [ 5.,  6.,  7.,  9., 10., 11., 13., 14., 15.]]])
]==]
