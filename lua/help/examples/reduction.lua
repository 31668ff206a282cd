-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.all
> torch.all(torch.tensor{true, false})
tensor(False)
> torch.all(torch.tensor{{1, 0}, {1, 1}}, 1)
tensor([False,  True])

?torch.any
> torch.any(torch.tensor{true, false})
tensor(True)
> torch.any(torch.tensor{{0, 0}, {0, 1}}, 1)
tensor([False,  True])

?torch.allclose
> torch.allclose(torch.ones(2), torch.ones(2) + 1e-9)
true

?torch.amax
> torch.amax(torch.tensor{{1, 5}, {7, 3}}, 1)
tensor([5, 7])

?torch.amin
> torch.amin(torch.tensor{{1, 5}, {7, 3}}, 1)
tensor([1, 3])

?torch.aminmax
> torch.aminmax(torch.tensor{3, 1, 2})
tensor(1)	tensor(3)

?torch.argmax
> torch.argmax(torch.tensor{{1, 5}, {7, 3}})
tensor(2)
> torch.argmax(torch.tensor{{1, 5}, {7, 3}}, 1)
tensor([1, 0])

?torch.argmin
> torch.argmin(torch.tensor{{1, 5}, {7, 3}})
tensor(0)
> torch.argmin(torch.tensor{{1, 5}, {7, 3}}, 1)
tensor([0, 1])

?torch.bincount
> torch.bincount(torch.tensor{0, 2, 2})
tensor([1, 0, 2])

?torch.count_nonzero
> torch.count_nonzero(torch.tensor{{0, 1}, {2, 3}})
tensor(3)
> torch.count_nonzero(torch.tensor{{0, 1}, {2, 3}}, 0)
tensor([1, 2])

?torch.corrcoef
> torch.corrcoef(torch.tensor{{1., 2., 3.}, {2., 4., 1.}})
tensor([[ 1.0000, -0.3273],
        [-0.3273,  1.0000]])

?torch.cov
> torch.cov(torch.tensor{{1., 2., 3.}, {2., 4., 1.}})
tensor([[ 1.0000, -0.5000],
        [-0.5000,  2.3333]])

?torch.cummax
> torch.cummax(torch.tensor{1, 3, 2, 5}, 0)
tensor([1, 3, 3, 5])	tensor([0, 1, 1, 3])

?torch.cummin
> torch.cummin(torch.tensor{4, 3, 5, 1}, 0)
tensor([4, 3, 3, 1])	tensor([0, 1, 1, 3])

?torch.cumprod
> torch.cumprod(torch.tensor{1., 2., 3., 4.}, 0)
tensor([ 1.,  2.,  6., 24.])

?torch.cumsum
> torch.cumsum(torch.tensor{1., 2., 3., 4.}, 0)
tensor([ 1.,  3.,  6., 10.])

?torch.logcumsumexp
> torch.logcumsumexp(torch.tensor{0., 0., 0.}, 0)
tensor([0.0000, 0.6931, 1.0986])

?torch.cumulative_trapezoid
> torch.cumulative_trapezoid(torch.tensor{1., 2., 3.})
tensor([1.5000, 4.0000])

?torch.diff
> torch.diff(torch.tensor{1, 4, 9, 16})
tensor([3, 5, 7])

?torch.dist
> torch.dist(torch.tensor{0., 0.}, torch.tensor{3., 4.})
tensor(5.)

?torch.equal
> torch.equal(torch.tensor{1, 2}, torch.tensor{1, 2})
true
> torch.equal(torch.tensor{1, 2}, torch.tensor{1, 3})
false

?torch.gradient
> torch.gradient(torch.tensor{1., 4., 9., 16.})
{tensor([3., 4., 6., 7.])}

?torch.histc
> torch.histc(torch.tensor{1., 2., 1.}, 4, 0, 3)
tensor([0., 2., 1., 0.])

?torch.histogram
> torch.histogram(torch.tensor{1., 2., 1.}, 4, {range = {0., 3.}})
tensor([0., 2., 1., 0.])	tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000])

?torch.histogramdd
> torch.histogramdd(torch.tensor{{0., 1.}, {1., 0.}, {2., 2.}}, {2, 2})
tensor([[0., 1.],
        [1., 1.]])
{tensor([0., 1., 2.]), tensor([0., 1., 2.])}

?torch.logsumexp
> torch.logsumexp(torch.tensor{{0., 0.}, {1000., 1000.}}, 1)
tensor([6.9315e-01, 1.0007e+03])

?torch.kthvalue
> torch.kthvalue(torch.tensor{5, 1, 4}, 2)
tensor(4)	tensor(2)

?torch.max
> torch.max(torch.tensor{3, 1, 2})
tensor(3)
> torch.max(torch.tensor{{1, 5}, {7, 3}}, 1)
tensor([5, 7])	tensor([1, 0])
> torch.max(torch.tensor{1, 5}, torch.tensor{3, 4})
tensor([3, 5])

?torch.min
> torch.min(torch.tensor{3, 1, 2})
tensor(1)
> torch.min(torch.tensor{{1, 5}, {7, 3}}, 1)
tensor([1, 3])	tensor([0, 1])
> torch.min(torch.tensor{1, 5}, torch.tensor{3, 4})
tensor([1, 4])

?torch.mean
> torch.mean(torch.tensor{1., 2., 6.})
tensor(3.)
> torch.mean(torch.tensor{{1., 2.}, {3., 4.}}, 0)
tensor([2., 3.])

?torch.median
> torch.median(torch.tensor{4, 1, 3, 2})
tensor(2)
> torch.median(torch.tensor{{1, 5, 3}, {9, 7, 8}}, 1)
tensor([3, 8])	tensor([2, 2])

?torch.mode
> torch.mode(torch.tensor{3, 1, 3, 2})
tensor(3)	tensor(2)

?torch.msort
> torch.msort(torch.tensor{{3, 1}, {2, 4}})
tensor([[2, 1],
        [3, 4]])

?torch.nanmean
> torch.nanmean(torch.tensor{1., 0/0, 3.})
tensor(2.)

?torch.nanmedian
> torch.nanmedian(torch.tensor{1., 0/0, 3., 5.})
tensor(3.)

?torch.nanquantile
> torch.nanquantile(torch.tensor{1., 0/0, 3.}, 0.5)
tensor(2.)

?torch.nansum
> torch.nansum(torch.tensor{1., 0/0, 3.})
tensor(4.)

?torch.norm
> torch.norm(torch.tensor{3., 4.})
tensor(5.)
> torch.norm(torch.tensor{{3., 4.}, {6., 8.}}, {dim = 1})
tensor([ 5., 10.])

?torch.prod
> torch.prod(torch.tensor{1, 2, 3, 4})
tensor(24)
> torch.prod(torch.tensor{{1, 2}, {3, 4}}, 0)
tensor([3, 8])

?torch.quantile
> torch.quantile(torch.tensor{1., 2., 3., 4.}, 0.25)
tensor(1.7500)
> torch.quantile(torch.arange(5.), torch.tensor{0.25, 0.75})
tensor([1., 3.])

?torch.norm_except_dim
> torch.norm_except_dim(torch.tensor{{3., 4.}, {6., 8.}}, 2, 0)
tensor([[ 5.],
        [10.]])

?torch.renorm
> torch.renorm(torch.tensor{{3., 4.}, {0.3, 0.4}}, 2, 0, 1)
tensor([[0.6000, 0.8000],
        [0.3000, 0.4000]])

?torch.std
> torch.std(torch.tensor{1., 2., 6.})
tensor(2.6458)
> torch.std(torch.tensor{1., 2., 6.}, {correction = 0})
tensor(2.1602)

?torch.std_mean
> torch.std_mean(torch.tensor{1., 2., 6.})
tensor(2.6458)	tensor(3.)

?torch.sum
> torch.sum(torch.tensor{{1, 2}, {3, 4}})
tensor(10)
> torch.sum(torch.tensor{{1, 2}, {3, 4}}, 1)
tensor([3, 7])
> torch.sum(torch.tensor{{1, 2}, {3, 4}}, {dim = 0, keepdim = true})
tensor([[4, 6]])

?torch.trace
> torch.trace(torch.tensor{{1, 2}, {3, 4}})
tensor(5)

?torch.trapezoid
> torch.trapezoid(torch.tensor{1., 2., 3.})
tensor(4.)
> torch.trapezoid(torch.tensor{1., 2., 3.}, torch.tensor{0., 2., 4.})
tensor(8.)

?torch.trapz
> torch.trapz(torch.tensor{1., 2., 3.})
tensor(4.)

?torch.var
> torch.var(torch.tensor{1., 2., 6.})
tensor(7.)
> torch.var(torch.tensor{1., 2., 6.}, {correction = 0})
tensor(4.6667)

?torch.var_mean
> torch.var_mean(torch.tensor{1., 2., 6.})
tensor(7.)	tensor(3.)

?torch.argsort
> torch.argsort(torch.tensor{3, 1, 2})
tensor([1, 2, 0])
> torch.argsort(torch.tensor{3, 1, 2}, {descending = true})
tensor([0, 2, 1])

?torch.sort
> torch.sort(torch.tensor{3, 1, 2})
tensor([1, 2, 3])	tensor([1, 2, 0])
> torch.sort(torch.tensor{{3, 1}, {2, 4}}, {dim = 1, descending = true})
tensor([[3, 1],
        [4, 2]])
tensor([[0, 1],
        [1, 0]])

?torch.topk
> torch.topk(torch.tensor{1, 5, 3}, 2)
tensor([5, 3])	tensor([1, 2])

?torch.unique
> torch.unique(torch.tensor{2, 1, 2})
tensor([1, 2])
> torch.unique(torch.tensor{2, 1, 2}, {return_counts = true})
tensor([1, 2])	tensor([1, 2])

?torch.unique_consecutive
> torch.unique_consecutive(torch.tensor{1, 1, 2, 1})
tensor([1, 2, 1])

?torch.searchsorted
> torch.searchsorted(torch.tensor{1, 3, 5}, torch.tensor{0, 3, 6})
tensor([0, 1, 3])
> torch.searchsorted(torch.tensor{1, 3, 5}, torch.tensor{0, 3, 6}, {right = true})
tensor([0, 2, 3])

?torch.bucketize
> torch.bucketize(torch.tensor{0, 3, 6}, torch.tensor{1, 3, 5})
tensor([0, 1, 3])

?torch.isin
> torch.isin(torch.tensor{1, 2, 3}, torch.tensor{2, 5})
tensor([False,  True, False])

?torch.softmax
> torch.softmax(torch.tensor{1., 2., 3.}, {dim = 0})
tensor([0.0900, 0.2447, 0.6652])

?torch.log_softmax
> torch.log_softmax(torch.tensor{1., 2., 3.}, {dim = 0})
tensor([-2.4076, -1.4076, -0.4076])
]==]
