-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.functional.adaptive_avg_pool1d
> torch.nn.functional.adaptive_avg_pool1d(torch.arange(6.):reshape(1, 1, 6), 2)
tensor([[[1., 4.]]])

?torch.nn.functional.adaptive_avg_pool2d
> torch.nn.functional.adaptive_avg_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)
tensor([[[[ 2.5000,  4.5000],
          [10.5000, 12.5000]]]])
> torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 8, 7, 5), {1, 1}).shape
torch.Size([1, 8, 1, 1])

?torch.nn.functional.adaptive_avg_pool3d
> torch.nn.functional.adaptive_avg_pool3d(torch.ones(1, 2, 4, 6, 8), {2, 3, 4}).shape
torch.Size([1, 2, 2, 3, 4])

?torch.nn.functional.adaptive_max_pool1d
> torch.nn.functional.adaptive_max_pool1d(torch.arange(6.):reshape(1, 1, 6), 2)
tensor([[[2., 5.]]])

?torch.nn.functional.adaptive_max_pool1d_with_indices
> torch.nn.functional.adaptive_max_pool1d_with_indices(torch.arange(6.):reshape(1, 1, 6), 2)
tensor([[[2., 5.]]])	tensor([[[2, 5]]])

?torch.nn.functional.adaptive_max_pool2d
> torch.nn.functional.adaptive_max_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)
tensor([[[[ 5.,  7.],
          [13., 15.]]]])

?torch.nn.functional.adaptive_max_pool2d_with_indices
> torch.nn.functional.adaptive_max_pool2d_with_indices(torch.arange(16.):reshape(1, 1, 4, 4), 2)
tensor([[[[ 5.,  7.],
          [13., 15.]]]])
tensor([[[[ 5,  7],
          [13, 15]]]])

?torch.nn.functional.adaptive_max_pool3d torch.nn.functional.adaptive_max_pool3d_with_indices
> x = torch.ones(1, 2, 4, 6, 8)
> torch.nn.functional.adaptive_max_pool3d(x, {2, 3, 4}).shape
torch.Size([1, 2, 2, 3, 4])
> values, indices = torch.nn.functional.adaptive_max_pool3d_with_indices(x, 2)
> values.shape, indices.shape
torch.Size([1, 2, 2, 2, 2])	torch.Size([1, 2, 2, 2, 2])

?torch.nn.functional.affine_grid torch.nn.functional.grid_sample
> theta = torch.tensor{{{-1., 0., 0.}, {0., 1., 0.}}}
> x = torch.arange(4.):reshape(1, 1, 2, 2)
> grid = torch.nn.functional.affine_grid(theta, {1, 1, 2, 2}, {align_corners = false})
> torch.nn.functional.grid_sample(x, grid, {align_corners = false})
tensor([[[[1., 0.],
          [3., 2.]]]])

?torch.nn.functional.alpha_dropout
> torch.manual_seed(0);
> torch.nn.functional.alpha_dropout(torch.ones(4), {p = 0.5, training = true})
tensor([-0.7792, -0.7792,  1.6656, -0.7792])

?torch.nn.functional.avg_pool1d
> torch.nn.functional.avg_pool1d(torch.arange(6.):reshape(1, 1, 6), 2)
tensor([[[0.5000, 2.5000, 4.5000]]])

?torch.nn.functional.avg_pool2d
> torch.nn.functional.avg_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)
tensor([[[[ 2.5000,  4.5000],
          [10.5000, 12.5000]]]])

?torch.nn.functional.avg_pool3d
> torch.nn.functional.avg_pool3d(torch.ones(1, 2, 4, 4, 4), 2).shape
torch.Size([1, 2, 2, 2, 2])

?torch.nn.functional.batch_norm
> x = torch.tensor{{1., 10.}, {3., 30.}}
> torch.nn.functional.batch_norm(x, torch.zeros(2), torch.ones(2), {training = true})
tensor([[-1.0000, -1.0000],
        [ 1.0000,  1.0000]])

?torch.nn.functional.conv1d
> torch.nn.functional.conv1d(torch.tensor{{{1., 2., 3., 4.}}}, torch.tensor{{{1., 0., -1.}}})
tensor([[[-2., -2.]]])
> torch.nn.functional.conv1d(torch.ones(5, 3, 10), torch.ones(8, 3, 3), {padding = 1}).shape
torch.Size([5, 8, 10])

?torch.nn.functional.conv2d
> torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2))
tensor([[[[4., 4.],
          [4., 4.]]]])
> torch.nn.functional.conv2d(torch.ones(5, 3, 16, 16), torch.ones(8, 3, 3, 3), {stride = 2, padding = 1}).shape
torch.Size([5, 8, 8, 8])

?torch.nn.functional.conv3d
> torch.nn.functional.conv3d(torch.ones(1, 3, 8, 8, 8), torch.ones(4, 3, 3, 3, 3)).shape
torch.Size([1, 4, 6, 6, 6])

?torch.nn.functional.conv_tbc
> torch.nn.functional.conv_tbc(torch.ones(10, 2, 3), torch.ones(3, 3, 8), torch.zeros(8)).shape
torch.Size([8, 2, 8])

?torch.nn.functional.conv_transpose1d
> torch.nn.functional.conv_transpose1d(torch.tensor{{{1., 2.}}}, torch.tensor{{{1., 1., 1.}}}, {stride = 2})
tensor([[[1., 1., 3., 2., 2.]]])

?torch.nn.functional.conv_transpose2d
> torch.nn.functional.conv_transpose2d(torch.ones(1, 3, 8, 8), torch.ones(3, 4, 2, 2), {stride = 2}).shape
torch.Size([1, 4, 16, 16])

?torch.nn.functional.conv_transpose3d
> torch.nn.functional.conv_transpose3d(torch.ones(1, 3, 4, 4, 4), torch.ones(3, 2, 2, 2, 2), {stride = 2}).shape
torch.Size([1, 2, 8, 8, 8])

?torch.nn.functional.dropout
> torch.manual_seed(0);
> torch.nn.functional.dropout(torch.ones(5), {p = 0.5})
tensor([0., 0., 2., 0., 0.])
> torch.nn.functional.dropout(torch.ones(5), {training = false})
tensor([1., 1., 1., 1., 1.])

?torch.nn.functional.dropout1d
> torch.manual_seed(0);
> torch.nn.functional.dropout1d(torch.ones(1, 3, 2))
tensor([[[0., 0.],
         [0., 0.],
         [2., 2.]]])

?torch.nn.functional.dropout2d
> torch.manual_seed(0);
> torch.nn.functional.dropout2d(torch.ones(1, 3, 1, 2))
tensor([[[[0., 0.]],

         [[0., 0.]],

         [[2., 2.]]]])

?torch.nn.functional.dropout3d
> torch.manual_seed(0);
> torch.nn.functional.dropout3d(torch.ones(1, 3, 1, 1, 2))
tensor([[[[[0., 0.]]],


         [[[0., 0.]]],


         [[[2., 2.]]]]])

?torch.nn.functional.feature_alpha_dropout
> torch.manual_seed(0);
> torch.nn.functional.feature_alpha_dropout(torch.ones(1, 3, 2), {training = true})
tensor([[[-0.7792, -0.7792],
         [-0.7792, -0.7792],
         [ 1.6656,  1.6656]]])

?torch.nn.functional.elu
> torch.nn.functional.elu(torch.tensor{-1., 0., 2.})
tensor([-0.6321,  0.0000,  2.0000])

?torch.nn.functional.elu_
> x = torch.tensor{-1., 0., 2.}
> torch.nn.functional.elu_(x)
tensor([-0.6321,  0.0000,  2.0000])
> x
tensor([-0.6321,  0.0000,  2.0000])

?torch.nn.functional.embedding
> weight = torch.tensor{{1., 2.}, {3., 4.}, {5., 6.}}
> torch.nn.functional.embedding(torch.tensor{2, 0}, weight)
tensor([[5., 6.],
        [1., 2.]])

?torch.nn.functional.embedding_bag
> weight = torch.tensor{{1., 2.}, {3., 4.}, {5., 6.}}
> torch.nn.functional.embedding_bag(torch.tensor{{0, 2}, {1, 1}}, weight, {mode = "sum"})
tensor([[6., 8.],
        [6., 8.]])

?torch.nn.functional.fold torch.nn.functional.unfold
> x = torch.arange(4.):reshape(1, 1, 2, 2)
> columns = torch.nn.functional.unfold(x, {2, 1})
> columns
tensor([[[0., 1.],
         [2., 3.]]])
> torch.nn.functional.fold(columns, {2, 2}, {2, 1})
tensor([[[[0., 1.],
          [2., 3.]]]])

?torch.nn.functional.fractional_max_pool2d torch.nn.functional.fractional_max_pool2d_with_indices
> x = torch.ones(1, 2, 9, 9)
> torch.nn.functional.fractional_max_pool2d(x, 2, {output_size = {5, 5}}).shape
torch.Size([1, 2, 5, 5])
> values, indices = torch.nn.functional.fractional_max_pool2d_with_indices(x, 2, {output_ratio = {0.5, 0.5}})
> indices.shape
torch.Size([1, 2, 4, 4])

?torch.nn.functional.fractional_max_pool3d torch.nn.functional.fractional_max_pool3d_with_indices
> x = torch.ones(1, 2, 9, 9, 9)
> torch.nn.functional.fractional_max_pool3d(x, 2, {output_size = {5, 5, 5}}).shape
torch.Size([1, 2, 5, 5, 5])
> values, indices = torch.nn.functional.fractional_max_pool3d_with_indices(x, 2, {output_size = {5, 5, 5}})
> indices.shape
torch.Size([1, 2, 5, 5, 5])

?torch.nn.functional.gelu
> torch.nn.functional.gelu(torch.tensor{-1., 0., 2.})
tensor([-0.1587,  0.0000,  1.9545])
> torch.nn.functional.gelu(torch.tensor{-1., 0., 2.}, {approximate = "tanh"})
tensor([-0.1588,  0.0000,  1.9546])

?torch.nn.functional.glu
> torch.nn.functional.glu(torch.tensor{1., 2., 0., 0.})
tensor([0.5000, 1.0000])

?torch.nn.functional.group_norm
> torch.nn.functional.group_norm(torch.tensor{{1., 3., 10., 30.}}, 2)
tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])

?torch.nn.functional.gumbel_softmax
> torch.manual_seed(0);
> torch.nn.functional.gumbel_softmax(torch.tensor{1., 2., 3.}, {tau = 0.5, dim = 0})
tensor([5.4419e-04, 3.2693e-02, 9.6676e-01])
> torch.nn.functional.gumbel_softmax(torch.tensor{1., 2., 3.}, {hard = true, dim = 0})
tensor([0., 0., 1.])

?torch.nn.functional.hardsigmoid
> torch.nn.functional.hardsigmoid(torch.tensor{-4., 0., 1.})
tensor([0.0000, 0.5000, 0.6667])

?torch.nn.functional.hardsigmoid_
> x = torch.tensor{-4., 0., 1.}
> torch.nn.functional.hardsigmoid_(x)
tensor([0.0000, 0.5000, 0.6667])

?torch.nn.functional.hardswish
> torch.nn.functional.hardswish(torch.tensor{-4., 0., 1.})
tensor([-0.0000, 0.0000, 0.6667])

?torch.nn.functional.hardtanh
> torch.nn.functional.hardtanh(torch.tensor{-4., 0.5, 2.})
tensor([-1.0000,  0.5000,  1.0000])

?torch.nn.functional.hardtanh_
> x = torch.tensor{-4., 0.5, 2.}
> torch.nn.functional.hardtanh_(x)
tensor([-1.0000,  0.5000,  1.0000])

?torch.nn.functional.instance_norm
> torch.nn.functional.instance_norm(torch.tensor{{{1., 3.}, {10., 30.}}})
tensor([[[-1.0000,  1.0000],
         [-1.0000,  1.0000]]])

?torch.nn.functional.interpolate
> x = torch.tensor{{{1., 2., 3.}}}
> torch.nn.functional.interpolate(x, {scale_factor = 2})
tensor([[[1., 1., 2., 2., 3., 3.]]])
> torch.nn.functional.interpolate(x, {size = 5, mode = "linear", align_corners = true})
tensor([[[1.0000, 1.5000, 2.0000, 2.5000, 3.0000]]])

?torch.nn.functional.kl_div
> torch.nn.functional.kl_div(torch.tensor{{0.5, 0.5}}:log(), torch.tensor{{0.9, 0.1}}, {reduction = "batchmean"})
tensor(0.3681)

?torch.nn.functional.layer_norm
> torch.nn.functional.layer_norm(torch.tensor{{1., 3.}, {10., 30.}}, {2})
tensor([[-1.0000,  1.0000],
        [-1.0000,  1.0000]])

?torch.nn.functional.leaky_relu
> torch.nn.functional.leaky_relu(torch.tensor{-1., 0., 2.})
tensor([-0.0100,  0.0000,  2.0000])
> torch.nn.functional.leaky_relu(torch.tensor{-1., 0., 2.}, {negative_slope = 0.2})
tensor([-0.2000,  0.0000,  2.0000])

?torch.nn.functional.leaky_relu_
> x = torch.tensor{-1., 0., 2.}
> torch.nn.functional.leaky_relu_(x)
tensor([-0.0100,  0.0000,  2.0000])

?torch.nn.functional.linear
> torch.nn.functional.linear(torch.tensor{{1., 2.}}, torch.tensor{{1., 1.}, {0., 10.}}, torch.tensor{0.5, 0.5})
tensor([[ 3.5000, 20.5000]])

?torch.nn.functional.local_response_norm
> torch.nn.functional.local_response_norm(torch.ones(1, 3, 2), 2)
tensor([[[1.0000, 1.0000],
         [0.9999, 0.9999],
         [0.9999, 0.9999]]])

?torch.nn.functional.log_softmax
> torch.nn.functional.log_softmax(torch.tensor{0., 1., 2.}, {dim = 0})
tensor([-2.4076, -1.4076, -0.4076])

?torch.nn.functional.logsigmoid
> torch.nn.functional.logsigmoid(torch.tensor{-1., 0., 2.})
tensor([-1.3133, -0.6931, -0.1269])

?torch.nn.functional.lp_pool1d
> torch.nn.functional.lp_pool1d(torch.tensor{{3., 4., 6., 8.}}, 2, 2)
tensor([[ 5., 10.]])

?torch.nn.functional.lp_pool2d
> torch.nn.functional.lp_pool2d(torch.tensor{{{3., 4.}, {0., 0.}}}, 2, 2)
tensor([[[5.]]])

?torch.nn.functional.lp_pool3d
> torch.nn.functional.lp_pool3d(torch.ones(1, 2, 4, 4, 4), 2, 2).shape
torch.Size([1, 2, 2, 2, 2])

?torch.nn.functional.max_pool1d
> torch.nn.functional.max_pool1d(torch.arange(6.):reshape(1, 1, 6), 2)
tensor([[[1., 3., 5.]]])

?torch.nn.functional.max_pool1d_with_indices
> torch.nn.functional.max_pool1d_with_indices(torch.tensor{{1., 3., 2., 0.}}, 2)
tensor([[3., 2.]])	tensor([[1, 2]])

?torch.nn.functional.max_pool2d
> torch.nn.functional.max_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)
tensor([[[[ 5.,  7.],
          [13., 15.]]]])

?torch.nn.functional.max_pool2d_with_indices
> torch.nn.functional.max_pool2d_with_indices(torch.tensor{{{1., 3.}, {2., 0.}}}, 2)
tensor([[[3.]]])	tensor([[[1]]])

?torch.nn.functional.max_pool3d torch.nn.functional.max_pool3d_with_indices
> x = torch.ones(1, 2, 4, 4, 4)
> torch.nn.functional.max_pool3d(x, 2).shape
torch.Size([1, 2, 2, 2, 2])
> values, indices = torch.nn.functional.max_pool3d_with_indices(x, 2)
> indices:flatten()[":4"]
tensor([ 0,  2,  8, 10])

?torch.nn.functional.max_unpool1d
> values, indices = torch.nn.functional.max_pool1d(torch.tensor{{1., 3., 2., 0.}}, 2, {return_indices = true})
> torch.nn.functional.max_unpool1d(values, indices, 2)
tensor([[0., 3., 2., 0.]])

?torch.nn.functional.max_unpool2d
> values, indices = torch.nn.functional.max_pool2d(torch.tensor{{{1., 3.}, {2., 0.}}}, 2, {return_indices = true})
> torch.nn.functional.max_unpool2d(values, indices, 2)
tensor([[[0., 3.],
         [0., 0.]]])

?torch.nn.functional.max_unpool3d
> values, indices = torch.nn.functional.max_pool3d(torch.ones(1, 2, 2, 2), 2, {return_indices = true})
> torch.nn.functional.max_unpool3d(values, indices, 2)
tensor([[[[1., 0.],
          [0., 0.]],

         [[0., 0.],
          [0., 0.]]]])

?torch.nn.functional.mish
> torch.nn.functional.mish(torch.tensor{-1., 0., 2.})
tensor([-0.3034,  0.0000,  1.9440])

?torch.nn.functional.multi_head_attention_forward
> x = torch.ones(3, 1, 4)
> weight, bias = torch.ones(12, 4) * 0.1, torch.zeros(12)
> y = torch.nn.functional.multi_head_attention_forward(x, x, x, 4, 2, weight, bias, nil, nil, false, 0., torch.eye(4), torch.zeros(4))
> y.shape
torch.Size([3, 1, 4])

?torch.nn.functional.normalize
> torch.nn.functional.normalize(torch.tensor{{3., 4.}, {6., 8.}})
tensor([[0.6000, 0.8000],
        [0.6000, 0.8000]])

?torch.nn.functional.one_hot
> torch.nn.functional.one_hot(torch.tensor{0, 2}, 3)
tensor([[1, 0, 0],
        [0, 0, 1]])

?torch.nn.functional.pad
> torch.nn.functional.pad(torch.tensor{1, 2, 3}, {1, 2})
tensor([0, 1, 2, 3, 0, 0])
> torch.nn.functional.pad(torch.tensor{{1., 2., 3.}}, {1, 1}, {mode = "reflect"})
tensor([[2., 1., 2., 3., 2.]])

?torch.nn.functional.relu
> torch.nn.functional.relu(torch.tensor{-1., 2.})
tensor([0., 2.])

?torch.nn.functional.relu6
> torch.nn.functional.relu6(torch.tensor{-1., 3., 8.})
tensor([0., 3., 6.])

?torch.nn.functional.rms_norm
> torch.nn.functional.rms_norm(torch.tensor{{3., 4.}}, {2})
tensor([[0.8485, 1.1314]])

?torch.nn.functional.rrelu
> torch.nn.functional.rrelu(torch.tensor{-1., 0., 2.})
tensor([-0.2292,  0.0000,  2.0000])

?torch.nn.functional.rrelu_
> x = torch.tensor{-1., 0., 2.}
> torch.nn.functional.rrelu_(x)
tensor([-0.2292,  0.0000,  2.0000])

?torch.nn.functional.scaled_dot_product_attention
> q = torch.ones(1, 2, 4, 8)
> torch.nn.functional.scaled_dot_product_attention(q, q, q, {is_causal = true}).shape
torch.Size([1, 2, 4, 8])

?torch.nn.functional.silu
> torch.nn.functional.silu(torch.tensor{-1., 0., 2.})
tensor([-0.2689,  0.0000,  1.7616])

?torch.nn.functional.softmin
> torch.nn.functional.softmin(torch.tensor{0., 1., 2.}, {dim = 0})
tensor([0.6652, 0.2447, 0.0900])

?torch.nn.functional.softplus
> torch.nn.functional.softplus(torch.tensor{-1., 0., 30.})
tensor([ 0.3133,  0.6931, 30.0000])

?torch.nn.functional.softshrink
> torch.nn.functional.softshrink(torch.tensor{-1., 0.2, 2.})
tensor([-0.5000,  0.0000,  1.5000])

?torch.nn.functional.softsign
> torch.nn.functional.softsign(torch.tensor{-1., 0., 3.})
tensor([-0.5000,  0.0000,  0.7500])

?torch.nn.functional.tanhshrink
> torch.nn.functional.tanhshrink(torch.tensor{-1., 0., 2.})
tensor([-0.2384,  0.0000,  1.0360])

?torch.nn.functional.upsample
> torch.nn.functional.upsample(torch.tensor{{{1., 2.}}}, {scale_factor = 2})
tensor([[[1., 1., 2., 2.]]])

?torch.nn.functional.upsample_bilinear
> torch.nn.functional.upsample_bilinear(torch.arange(4.):reshape(1, 1, 2, 2), {size = {3, 3}})
tensor([[[[0.0000, 0.5000, 1.0000],
          [1.0000, 1.5000, 2.0000],
          [2.0000, 2.5000, 3.0000]]]])

?torch.nn.functional.upsample_nearest
> torch.nn.functional.upsample_nearest(torch.tensor{{{1., 2.}}}, {scale_factor = 2})
tensor([[[1., 1., 2., 2.]]])

?torch.adaptive_max_pool1d
> torch.adaptive_max_pool1d(torch.arange(6.):reshape(1, 1, 6), 2)
tensor([[[2., 5.]]])	tensor([[[2, 5]]])

?torch.affine_grid_generator torch.grid_sampler torch.grid_sampler_2d
> theta = torch.tensor{{{-1., 0., 0.}, {0., 1., 0.}}}
> x = torch.arange(4.):reshape(1, 1, 2, 2)
> grid = torch.affine_grid_generator(theta, {1, 1, 2, 2}, false)
> torch.grid_sampler(x, grid, 0, 0, false)
tensor([[[[1., 0.],
          [3., 2.]]]])
> torch.grid_sampler_2d(x, grid, 0, 0, false):equal(torch.grid_sampler(x, grid, 0, 0, false))
true

?torch.grid_sampler_3d
> torch.grid_sampler_3d(torch.ones(1, 1, 2, 2, 2), torch.zeros(1, 1, 1, 1, 3), 0, 0, false)
tensor([[[[[1.]]]]])

?torch.batch_norm
> torch.batch_norm(torch.tensor{{1., 10.}, {3., 30.}}, nil, nil, nil, nil, true, 0.1, 1e-5, false)
tensor([[-1.0000, -1.0000],
        [ 1.0000,  1.0000]])

?torch.native_batch_norm
> torch.native_batch_norm(torch.tensor{{1., 10.}, {3., 30.}}, nil, nil, nil, nil, true, 0.1, 1e-5)
tensor([[-1.0000, -1.0000],
        [ 1.0000,  1.0000]])
tensor([ 2., 20.])
tensor([1.0000, 0.1000])

?torch.native_layer_norm
> torch.native_layer_norm(torch.tensor{{1., 3.}, {10., 30.}}, {2}, nil, nil, 1e-5)
tensor([[-1.0000,  1.0000],
        [-1.0000,  1.0000]])
tensor([[ 2.],
        [20.]])
tensor([[1.0000],
        [0.1000]])

?torch.instance_norm
> torch.instance_norm(torch.tensor{{{1., 3.}, {10., 30.}}}, nil, nil, nil, nil, true, 0.1, 1e-5, false)
tensor([[[-1.0000,  1.0000],
         [-1.0000,  1.0000]]])

?torch.convolution
> torch.convolution(torch.ones(1, 3, 8, 8), torch.ones(4, 3, 3, 3), nil, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1).shape
torch.Size([1, 4, 8, 8])

?torch.gru
> x, h = torch.ones(5, 2, 3), torch.zeros(1, 2, 4)
> params = {torch.ones(12, 3), torch.ones(12, 4), torch.zeros(12), torch.zeros(12)}
> output, hy = torch.gru(x, h, params, true, 1, 0., false, false, false)
> output.shape, hy.shape
torch.Size([5, 2, 4])	torch.Size([1, 2, 4])

?torch.lstm
> x, h, c = torch.ones(5, 2, 3), torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)
> params = {torch.ones(16, 3), torch.ones(16, 4), torch.zeros(16), torch.zeros(16)}
> output, hy, cy = torch.lstm(x, {h, c}, params, true, 1, 0., false, false, false)
> output.shape, hy.shape, cy.shape
torch.Size([5, 2, 4])	torch.Size([1, 2, 4])	torch.Size([1, 2, 4])

?torch.rnn_relu torch.rnn_tanh
> x, h = torch.ones(5, 2, 3), torch.zeros(1, 2, 4)
> params = {torch.ones(4, 3) * 0.1, torch.ones(4, 4) * 0.1, torch.zeros(4), torch.zeros(4)}
> output, hy = torch.rnn_tanh(x, h, params, true, 1, 0., false, false, false)
> output.shape, hy.shape
torch.Size([5, 2, 4])	torch.Size([1, 2, 4])
> output, hy = torch.rnn_relu(x, h, params, true, 1, 0., false, false, false)
> output.shape, hy.shape
torch.Size([5, 2, 4])	torch.Size([1, 2, 4])

?torch.gru_cell
> torch.gru_cell(torch.ones(2, 3), torch.zeros(2, 4), torch.ones(12, 3), torch.ones(12, 4)).shape
torch.Size([2, 4])

?torch.lstm_cell
> h, c = torch.lstm_cell(torch.ones(2, 3), {torch.zeros(2, 4), torch.zeros(2, 4)}, torch.ones(16, 3), torch.ones(16, 4))
> h.shape, c.shape
torch.Size([2, 4])	torch.Size([2, 4])

?torch.rnn_relu_cell torch.rnn_tanh_cell
> x, h = torch.ones(1, 2), torch.zeros(1, 3)
> torch.rnn_relu_cell(x, h, torch.ones(3, 2), torch.ones(3, 3))
tensor([[2., 2., 2.]])
> torch.rnn_tanh_cell(x, h, torch.ones(3, 2), torch.ones(3, 3))
tensor([[0.9640, 0.9640, 0.9640]])
]==]
