-- Made by docs/make/examples.lua: a name, what is typed, what is shown.
return [==[
torch.linalg.cholesky	torch.linalg.cholesky(torch.tensor{{4., 1.}, {1., 3.}})	tensor([[2.0000, 0.0000],        [0.5000, 1.6583]])
torch.linalg.cholesky_ex	torch.linalg.cholesky_ex(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 1.,  0.],        [ 3., -5.]])tensor(2, dtype=torch.int32)
torch.linalg.cond	torch.linalg.cond(torch.tensor{{1., 2.}, {3., 4.}})	tensor(14.9330)
torch.linalg.cross	torch.linalg.cross(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([ 1.0000,  1.0000, -0.7500])
torch.linalg.diagonal	torch.linalg.diagonal(torch.tensor{{1., 2.}, {3., 4.}})	tensor([1., 4.])
torch.linalg.eigh	torch.linalg.eigh(torch.tensor{{1., 2.}, {3., 4.}})	tensor([-0.8541,  5.8541])tensor([[-0.8507,  0.5257],        [ 0.5257,  0.8507]])
torch.linalg.eigvalsh	torch.linalg.eigvalsh(torch.tensor{{1., 2.}, {3., 4.}})	tensor([-0.8541,  5.8541])
torch.linalg.householder_product	torch.linalg.householder_product(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([[ 0.7500, -0.3750],        [-0.7500, -0.6250]])
torch.linalg.inv_ex	torch.linalg.inv_ex(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[-2.0000,  1.0000],        [ 1.5000, -0.5000]])tensor(0, dtype=torch.int32)
torch.linalg.ldl_factor	torch.linalg.ldl_factor(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 4.0000,  0.0000],        [ 0.7500, -1.2500]])tensor([2, 2], dtype=torch.int32)
torch.linalg.ldl_factor_ex	torch.linalg.ldl_factor_ex(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 4.0000,  0.0000],        [ 0.7500, -1.2500]])tensor([2, 2], dtype=torch.int32)tensor(0, dtype=torch.int32)
torch.linalg.lstsq	torch.linalg.lstsq(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor([[-7.0000,  1.0000],        [ 5.5000, -0.0000]])tensor([])tensor(2)tensor([])
torch.linalg.lu	torch.linalg.lu(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[0., 1.],        [1., 0.]])tensor([[1.0000, 0.0000],        [0.3333, 1.0000]])tensor([[3.0000, 4.0000],        [0.0000, 0.6667]])
torch.linalg.lu_factor	torch.linalg.lu_factor(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[3.0000, 4.0000],        [0.3333, 0.6667]])tensor([2, 2], dtype=torch.int32)
torch.linalg.lu_factor_ex	torch.linalg.lu_factor_ex(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[3.0000, 4.0000],        [0.3333, 0.6667]])tensor([2, 2], dtype=torch.int32)tensor(0, dtype=torch.int32)
torch.linalg.matrix_exp	torch.linalg.matrix_exp(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 51.9690,  74.7366],        [112.1049, 164.0738]])
torch.linalg.matrix_norm	torch.linalg.matrix_norm(torch.tensor{{1., 2.}, {3., 4.}})	tensor(5.4772)
torch.linalg.matrix_power	torch.linalg.matrix_power(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[1., 0.],        [0., 1.]])
torch.linalg.matrix_rank	torch.linalg.matrix_rank(torch.tensor{{1., 2.}, {3., 4.}})	tensor(2)
torch.linalg.multi_dot	torch.linalg.multi_dot({torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}})	tensor(5.)
torch.linalg.qr	torch.linalg.qr(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[-0.3162, -0.9487],        [-0.9487,  0.3162]])tensor([[-3.1623, -4.4272],        [ 0.0000, -0.6325]])
torch.linalg.slogdet	torch.linalg.slogdet(torch.tensor{{1., 2.}, {3., 4.}})	tensor(-1.)tensor(0.6931)
torch.linalg.solve_ex	torch.linalg.solve_ex(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor([[-7.0000,  1.0000],        [ 5.5000,  0.0000]])tensor(0, dtype=torch.int32)
torch.linalg.svd	torch.linalg.svd(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[-0.4046, -0.9145],        [-0.9145,  0.4046]])tensor([5.4650, 0.3660])tensor([[-0.5760, -0.8174],        [ 0.8174, -0.5760]])
torch.linalg.svdvals	torch.linalg.svdvals(torch.tensor{{1., 2.}, {3., 4.}})	tensor([5.4650, 0.3660])
torch.linalg.tensorsolve	torch.linalg.tensorsolve(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([0.0000, 0.1250])
torch.linalg.vander	torch.linalg.vander(torch.tensor{0.25, 0.5, 1.})	tensor([[1.0000, 0.2500, 0.0625],        [1.0000, 0.5000, 0.2500],        [1.0000, 1.0000, 1.0000]])
torch.linalg.vecdot	torch.linalg.vecdot(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(5.)
torch.linalg.vector_norm	torch.linalg.vector_norm(torch.tensor{0.25, 0.5, 1.})	tensor(1.1456)
torch.special.digamma	torch.special.digamma(torch.tensor{0.25, 0.5, 1.})	tensor([-4.2275, -1.9635, -0.5772])
torch.special.erf	torch.special.erf(torch.tensor{0.25, 0.5, 1.})	tensor([0.2763, 0.5205, 0.8427])
torch.special.erfc	torch.special.erfc(torch.tensor{0.25, 0.5, 1.})	tensor([0.7237, 0.4795, 0.1573])
torch.special.erfinv	torch.special.erfinv(torch.tensor{0.25, 0.5, 1.})	tensor([0.2253, 0.4769,    inf])
torch.special.exp2	torch.special.exp2(torch.tensor{0.25, 0.5, 1.})	tensor([1.1892, 1.4142, 2.0000])
torch.special.expit	torch.special.expit(torch.tensor{0.25, 0.5, 1.})	tensor([0.5622, 0.6225, 0.7311])
torch.special.expm1	torch.special.expm1(torch.tensor{0.25, 0.5, 1.})	tensor([0.2840, 0.6487, 1.7183])
torch.special.gammainc	torch.special.gammainc(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.9827, 0.8427, 0.9817])
torch.special.gammaincc	torch.special.gammaincc(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.0173, 0.1573, 0.0183])
torch.special.gammaln	torch.special.gammaln(torch.tensor{0.25, 0.5, 1.})	tensor([1.2880, 0.5724, 0.0000])
torch.special.i0	torch.special.i0(torch.tensor{0.25, 0.5, 1.})	tensor([1.0157, 1.0635, 1.2661])
torch.special.i1	torch.special.i1(torch.tensor{0.25, 0.5, 1.})	tensor([0.1260, 0.2579, 0.5652])
torch.special.log1p	torch.special.log1p(torch.tensor{0.25, 0.5, 1.})	tensor([0.2231, 0.4055, 0.6931])
torch.special.log_softmax	torch.special.log_softmax(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[-2.1269, -2.1269],        [-0.1269, -0.1269]])
torch.special.logit	torch.special.logit(torch.tensor{0.25, 0.5, 1.})	tensor([-1.0986,  0.0000,     inf])
torch.special.logsumexp	torch.special.logsumexp(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([3.1269, 4.1269])
torch.special.multigammaln	torch.special.multigammaln(torch.tensor{0.25, 0.5, 1.}, 2)	tensor([3.4500,    inf, 1.1447])
torch.special.psi	torch.special.psi(torch.tensor{0.25, 0.5, 1.})	tensor([-4.2275, -1.9635, -0.5772])
torch.special.sinc	torch.special.sinc(torch.tensor{0.25, 0.5, 1.})	tensor([ 9.0032e-01,  6.3662e-01, -2.7828e-08])
torch.special.xlogy	torch.special.xlogy(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.1733, 0.0000, 1.3863])
torch.vision.transforms.AugMix	torch.vision.transforms.AugMix()	AugMix(severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=True, interpolation=InterpolationMode.BILINEAR, fill=None)
torch.vision.transforms.AutoAugment	torch.vision.transforms.AutoAugment()	AutoAugment(policy=AutoAugmentPolicy.IMAGENET, fill=None)
torch.vision.transforms.CenterCrop	torch.vision.transforms.CenterCrop(2)	CenterCrop(size=(2, 2))
torch.vision.transforms.ColorJitter	torch.vision.transforms.ColorJitter()	ColorJitter(brightness=None, contrast=None, saturation=None, hue=None)
torch.vision.transforms.Compose	torch.vision.transforms.Compose({2, 2})	Compose(    2    2)
torch.vision.transforms.ConvertImageDtype	torch.vision.transforms.ConvertImageDtype(2)	ConvertImageDtype()
torch.vision.transforms.ElasticTransform	torch.vision.transforms.ElasticTransform()	ElasticTransform(alpha=[50.0, 50.0], sigma=[5.0, 5.0], interpolation=InterpolationMode.BILINEAR, fill=[0.0])
torch.vision.transforms.FiveCrop	torch.vision.transforms.FiveCrop(2)	FiveCrop(size=(2, 2))
torch.vision.transforms.GaussianBlur	torch.vision.transforms.GaussianBlur(3, 2)	GaussianBlur(kernel_size=(3, 3), sigma=(2, 2))
torch.vision.transforms.Grayscale	torch.vision.transforms.Grayscale()	Grayscale(num_output_channels=1)
torch.vision.transforms.Normalize	torch.vision.transforms.Normalize(3, 2)	Normalize(mean=3, std=2)
torch.vision.transforms.PILToTensor	torch.vision.transforms.PILToTensor()	PILToTensor()
torch.vision.transforms.Pad	torch.vision.transforms.Pad(2)	Pad(padding=2, fill=0, padding_mode=constant)
torch.vision.transforms.RandAugment	torch.vision.transforms.RandAugment()	RandAugment(num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST, fill=None)
torch.vision.transforms.RandomAdjustSharpness	torch.vision.transforms.RandomAdjustSharpness(2)	RandomAdjustSharpness(sharpness_factor=2,p=0.5)
torch.vision.transforms.RandomAffine	torch.vision.transforms.RandomAffine(2)	RandomAffine(degrees=[-2.0, 2.0])
torch.vision.transforms.RandomApply	torch.vision.transforms.RandomApply({2, 2})	RandomApply(    p=0.5    2    2)
torch.vision.transforms.RandomAutocontrast	torch.vision.transforms.RandomAutocontrast()	RandomAutocontrast(p=0.5)
torch.vision.transforms.RandomChoice	torch.vision.transforms.RandomChoice({2, 2})	RandomChoice(    2    2)(p=None)
torch.vision.transforms.RandomCrop	torch.vision.transforms.RandomCrop(2)	RandomCrop(size=(2, 2), padding=None)
torch.vision.transforms.RandomEqualize	torch.vision.transforms.RandomEqualize()	RandomEqualize(p=0.5)
torch.vision.transforms.RandomErasing	torch.vision.transforms.RandomErasing()	RandomErasing(p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False)
torch.vision.transforms.RandomGrayscale	torch.vision.transforms.RandomGrayscale()	RandomGrayscale(p=0.1)
torch.vision.transforms.RandomHorizontalFlip	torch.vision.transforms.RandomHorizontalFlip()	RandomHorizontalFlip(p=0.5)
torch.vision.transforms.RandomInvert	torch.vision.transforms.RandomInvert()	RandomInvert(p=0.5)
torch.vision.transforms.RandomOrder	torch.vision.transforms.RandomOrder({2, 2})	RandomOrder(    2    2)
torch.vision.transforms.RandomPerspective	torch.vision.transforms.RandomPerspective()	RandomPerspective(p=0.5)
torch.vision.transforms.RandomPosterize	torch.vision.transforms.RandomPosterize(2)	RandomPosterize(bits=2,p=0.5)
torch.vision.transforms.RandomResizedCrop	torch.vision.transforms.RandomResizedCrop(2)	RandomResizedCrop(size=(2, 2), scale=(0.08, 1.0), ratio=(0.75, 1.3333), interpolation=bilinear, antialias=True)
torch.vision.transforms.RandomRotation	torch.vision.transforms.RandomRotation(2)	RandomRotation(degrees=[-2.0, 2.0], interpolation=nearest, expand=False, fill=0)
torch.vision.transforms.RandomSolarize	torch.vision.transforms.RandomSolarize(2)	RandomSolarize(threshold=2,p=0.5)
torch.vision.transforms.RandomVerticalFlip	torch.vision.transforms.RandomVerticalFlip()	RandomVerticalFlip(p=0.5)
torch.vision.transforms.Resize	torch.vision.transforms.Resize(2)	Resize(size=2, interpolation=bilinear, max_size=None, antialias=True)
torch.vision.transforms.TenCrop	torch.vision.transforms.TenCrop(2)	TenCrop(size=(2, 2), vertical_flip=False)
torch.vision.transforms.ToPILImage	torch.vision.transforms.ToPILImage()	ToPILImage()
torch.vision.transforms.ToTensor	torch.vision.transforms.ToTensor()	ToTensor()
torch.vision.transforms.TrivialAugmentWide	torch.vision.transforms.TrivialAugmentWide()	TrivialAugmentWide(num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST, fill=None)
]==]
