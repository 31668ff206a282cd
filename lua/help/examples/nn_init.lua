-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.init
> w = torch.empty(2, 2)
> torch.nn.init.ones_(w)
tensor([[1., 1.],
        [1., 1.]])

?torch.nn.init.calculate_gain
> torch.nn.init.calculate_gain("relu")
1.4142135623730951

?torch.nn.init.constant_
> torch.nn.init.constant_(torch.empty(2, 2), 0.3)
tensor([[0.3000, 0.3000],
        [0.3000, 0.3000]])

?torch.nn.init.dirac_
> torch.nn.init.dirac_(torch.empty(2, 2, 3))
tensor([[[0., 1., 0.],
         [0., 0., 0.]],

        [[0., 0., 0.],
         [0., 1., 0.]]])

?torch.nn.init.eye_
> torch.nn.init.eye_(torch.empty(2, 3))
tensor([[1., 0., 0.],
        [0., 1., 0.]])

?torch.nn.init.kaiming_normal_
> torch.manual_seed(0);
> w = torch.nn.init.kaiming_normal_(torch.empty(100, 50), {nonlinearity = "relu"})
> w:std() - (2 / 50) ^ 0.5 < 0.01
true

?torch.nn.init.kaiming_uniform_
> torch.manual_seed(0);
> torch.nn.init.kaiming_uniform_(torch.empty(2, 3), {nonlinearity = "relu"})
tensor([[-0.0106,  0.7586, -1.1640],
        [-1.0408, -0.5447,  0.3792]])

?torch.nn.init.normal_
> torch.manual_seed(0);
> torch.nn.init.normal_(torch.empty(3), 0, 0.02)
tensor([ 0.0308, -0.0059, -0.0436])

?torch.nn.init.ones_
> torch.nn.init.ones_(torch.empty(2))
tensor([1., 1.])

?torch.nn.init.orthogonal_
> torch.manual_seed(0);
> w = torch.nn.init.orthogonal_(torch.empty(3, 3))
> torch.allclose(w:matmul(w.T), torch.eye(3), {atol = 1e-6})
true

?torch.nn.init.sparse_
> torch.manual_seed(0);
> w = torch.nn.init.sparse_(torch.empty(4, 3), 0.5)
> (w:eq(0)):sum(0)
tensor([2, 2, 2])

?torch.nn.init.trunc_normal_
> torch.manual_seed(0);
> w = torch.nn.init.trunc_normal_(torch.empty(1000), {a = -1, b = 1})
> w:abs():max():item() <= 1
true

?torch.nn.init.uniform_
> torch.manual_seed(0);
> torch.nn.init.uniform_(torch.empty(3), -1, 1)
tensor([-0.0075,  0.5364, -0.8230])

?torch.nn.init.xavier_normal_
> torch.manual_seed(0);
> torch.nn.init.xavier_normal_(torch.empty(2, 3))
tensor([[ 0.9746, -0.1856, -1.3780],
        [ 0.3595, -0.6859, -0.8845]])

?torch.nn.init.xavier_uniform_
> torch.manual_seed(0);
> torch.nn.init.xavier_uniform_(torch.empty(2, 3))
tensor([[-0.0082,  0.5876, -0.9016],
        [-0.8062, -0.4219,  0.2938]])

?torch.nn.init.zeros_
> torch.nn.init.zeros_(torch.empty(2))
tensor([0., 0.])
]==]
