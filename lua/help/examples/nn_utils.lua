-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.utils
> w = torch.ones(2, {requires_grad = true})
> (w * 3):sum():backward()
> torch.nn.utils.clip_grad_norm_({w}, 1.)
tensor(4.2426)

?torch.nn.utils.clip_grad_norm_
> w = torch.ones(2, {requires_grad = true})
> (w * torch.tensor{3., 4.}):sum():backward()
> torch.nn.utils.clip_grad_norm_({w}, 1.)
tensor(5.)
> w.grad
tensor([0.6000, 0.8000])

?torch.nn.utils.clip_grad_value_
> w = torch.ones(2, {requires_grad = true})
> (w * torch.tensor{3., -4.}):sum():backward()
> torch.nn.utils.clip_grad_value_({w}, 1.)
> w.grad
tensor([ 1., -1.])

?torch.nn.utils.clip_grads_with_norm_ torch.nn.utils.get_total_norm
> w = torch.ones(2, {requires_grad = true})
> (w * torch.tensor{3., 4.}):sum():backward()
> norm = torch.nn.utils.get_total_norm({w.grad})
> norm
tensor(5.)
> torch.nn.utils.clip_grads_with_norm_({w}, 1., norm)
> w.grad
tensor([0.6000, 0.8000])

?torch.nn.utils.fuse_conv_bn_eval torch.nn.utils.fusion.fuse_conv_bn_eval
> conv, bn = torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)
> x = torch.ones(1, 3, 5, 5)
> fused = torch.nn.utils.fuse_conv_bn_eval(conv:eval(), bn:eval())
> torch.allclose(fused(x), bn(conv(x)), {atol = 1e-5})
true

?torch.nn.utils.fusion
> torch.nn.utils.fusion.fuse_linear_bn_eval == torch.nn.utils.fuse_linear_bn_eval
true

?torch.nn.utils.fuse_linear_bn_eval torch.nn.utils.fusion.fuse_linear_bn_eval
> linear, bn = torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)
> x = torch.ones(2, 3)
> fused = torch.nn.utils.fuse_linear_bn_eval(linear:eval(), bn:eval())
> torch.allclose(fused(x), bn(linear(x)), {atol = 1e-5})
true

?torch.nn.utils.parameters_to_vector torch.nn.utils.vector_to_parameters
> net = torch.nn.Linear(2, 1)
> torch.nn.utils.vector_to_parameters(torch.tensor{1., 2., 3.}, net:parameters())
> net.bias
Parameter containing:
tensor([3.], requires_grad=True)
> torch.nn.utils.parameters_to_vector(net:parameters()):detach()
tensor([1., 2., 3.])

?torch.nn.utils.parametrizations
> m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
> m.weight.shape
torch.Size([2, 3])

?torch.nn.utils.parametrizations.orthogonal
> m = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
> torch.allclose(m.weight:matmul(m.weight.T), torch.eye(3), {atol = 1e-5})
true

?torch.nn.utils.parametrizations.spectral_norm
> torch.manual_seed(0);
> m = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 3), {n_power_iterations = 50})
> m(torch.ones(1, 3));
> (torch.linalg.svdvals(m.weight)[0] - 1):abs():item() < 1e-3
true

?torch.nn.utils.parametrizations.weight_norm
> m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
> m.parametrizations.weight.original0.shape
torch.Size([2, 1])

?torch.nn.utils.parametrize torch.nn.utils.parametrize.register_parametrization torch.nn.utils.parametrize.is_parametrized torch.nn.utils.parametrize.remove_parametrizations
> parametrize = torch.nn.utils.parametrize
> Symmetric = torch.nn.Module:extend "Symmetric"
> function Symmetric:forward(w) return w:triu() + w:triu(1).T end
> m = torch.nn.Linear(3, 3)
> parametrize.register_parametrization(m, "weight", Symmetric());
> m.weight:equal(m.weight.T), parametrize.is_parametrized(m, "weight")
true	true
> parametrize.remove_parametrizations(m, "weight");
> parametrize.is_parametrized(m)
false

?torch.nn.utils.parametrize.ParametrizationList
> m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
> m.parametrizations.weight:isinstance(torch.nn.utils.parametrize.ParametrizationList)
true

?torch.nn.utils.parametrize.cached
> m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
> torch.nn.utils.parametrize.cached(function() return m.weight:data_ptr() == m.weight:data_ptr() end)
true

?torch.nn.utils.prune torch.nn.utils.prune.l1_unstructured torch.nn.utils.prune.L1Unstructured
> m = torch.nn.Linear(4, 1)
> torch.nn.init.constant_(m.weight, 1); m.weight.data[":, 0"] = 0.1
> torch.nn.utils.prune.l1_unstructured(m, "weight", 1);
> m.weight:detach()
tensor([[0., 1., 1., 1.]])
> torch.nn.utils.prune.L1Unstructured(1):prune(torch.tensor{3., -0.1, 2.})
tensor([3., -0., 2.])

?torch.nn.utils.prune.ln_structured torch.nn.utils.prune.LnStructured
> m = torch.nn.Linear(2, 2)
> m.weight.data:copy_(torch.tensor{{1., 1.}, {5., 5.}})
tensor([[1., 1.],
        [5., 5.]])
> torch.nn.utils.prune.ln_structured(m, "weight", 1, 2, 0);
> m.weight:detach()
tensor([[0., 0.],
        [5., 5.]])
> torch.nn.utils.prune.LnStructured(1, 2, 0):prune(torch.tensor{{1., 1.}, {5., 5.}})
tensor([[0., 0.],
        [5., 5.]])

?torch.nn.utils.prune.random_structured torch.nn.utils.prune.RandomStructured
> torch.manual_seed(0);
> m = torch.nn.Linear(2, 4)
> torch.nn.utils.prune.random_structured(m, "weight", 1, 0);
> (m.weight:abs():sum(1):eq(0)):sum()
tensor(1)
> torch.nn.utils.prune.RandomStructured(1, 0):prune(torch.ones(2, 2)):sum()
tensor(2.)

?torch.nn.utils.prune.random_unstructured torch.nn.utils.prune.RandomUnstructured
> torch.manual_seed(0);
> m = torch.nn.Linear(4, 2)
> torch.nn.utils.prune.random_unstructured(m, "weight", 0.5);
> m.weight_mask:sum()
tensor(4.)
> torch.nn.utils.prune.RandomUnstructured(1):prune(torch.ones(4)):sum()
tensor(3.)

?torch.nn.utils.prune.custom_from_mask torch.nn.utils.prune.CustomFromMask
> m = torch.nn.Linear(2, 1)
> torch.nn.utils.prune.custom_from_mask(m, "weight", torch.tensor{{1, 0}});
> m.weight_mask
tensor([[1., 0.]])
> torch.nn.utils.prune.CustomFromMask(torch.tensor{1, 0}):prune(torch.tensor{5., 6.})
tensor([5., 0.])

?torch.nn.utils.prune.identity torch.nn.utils.prune.Identity torch.nn.utils.prune.is_pruned torch.nn.utils.prune.remove
> prune = torch.nn.utils.prune
> m = prune.identity(torch.nn.Linear(2, 1), "weight")
> prune.is_pruned(m), m.weight_mask
true	tensor([[1., 1.]])
> prune.remove(m, "weight");
> prune.is_pruned(m)
false
> prune.Identity():prune(torch.tensor{5., 6.})
tensor([5., 6.])

?torch.nn.utils.prune.global_unstructured
> a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
> torch.nn.init.ones_(a.weight);
> torch.nn.init.zeros_(b.weight);
> prune = torch.nn.utils.prune
> prune.global_unstructured({{a, "weight"}, {b, "weight"}}, prune.L1Unstructured, {amount = 0.5})
> a.weight_mask, b.weight_mask
tensor([[1., 1.]])	tensor([[0., 0.]])

?torch.nn.utils.remove_spectral_norm torch.nn.utils.spectral_norm
> m = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 3))
> m.weight_orig.shape
torch.Size([3, 3])
> torch.nn.utils.remove_spectral_norm(m);
> m.weight_orig
nil

?torch.nn.utils.remove_weight_norm torch.nn.utils.weight_norm
> m = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
> m.weight_g.shape, m.weight_v.shape
torch.Size([2, 1])	torch.Size([2, 3])
> torch.nn.utils.remove_weight_norm(m);
> m.weight_g
nil

?torch.nn.utils.rnn torch.nn.utils.rnn.pad_sequence torch.nn.utils.rnn.unpad_sequence
> rnn = torch.nn.utils.rnn
> padded = rnn.pad_sequence({torch.tensor{1., 2., 3.}, torch.tensor{4.}}, {batch_first = true})
> padded
tensor([[1., 2., 3.],
        [4., 0., 0.]])
> rnn.unpad_sequence(padded, torch.tensor{3, 1}, {batch_first = true})
{tensor([1., 2., 3.]), tensor([4.])}

?torch.nn.utils.rnn.pack_padded_sequence torch.nn.utils.rnn.pad_packed_sequence torch.nn.utils.rnn.PackedSequence
> rnn = torch.nn.utils.rnn
> packed = rnn.pack_padded_sequence(torch.tensor{{1., 2., 3.}, {4., 0., 0.}}, torch.tensor{3, 1}, {batch_first = true})
> packed.data, packed.batch_sizes
tensor([1., 4., 2., 3.])	tensor([2, 1, 1])
> rnn.pad_packed_sequence(packed, {batch_first = true})
tensor([[1., 2., 3.],
        [4., 0., 0.]])
tensor([3, 1])
> rnn.PackedSequence(torch.tensor{1., 4., 2.}, torch.tensor{2, 1}).data
tensor([1., 4., 2.])

?torch.nn.utils.rnn.pack_sequence torch.nn.utils.rnn.unpack_sequence
> rnn = torch.nn.utils.rnn
> packed = rnn.pack_sequence({torch.tensor{1., 2., 3.}, torch.tensor{4.}})
> packed.batch_sizes
tensor([2, 1, 1])
> rnn.unpack_sequence(packed)
{tensor([1., 2., 3.]), tensor([4.])}

?torch.nn.utils.rnn.invert_permutation
> torch.nn.utils.rnn.invert_permutation(torch.tensor{2, 0, 1})
tensor([1, 2, 0])

?torch.nn.utils.skip_init
> m = torch.nn.utils.skip_init(torch.nn.Linear, 3, 2)
> m.weight.shape
torch.Size([2, 3])
]==]
