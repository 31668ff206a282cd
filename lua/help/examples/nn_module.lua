-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.Module
> Net = torch.nn.Module:extend "Net"
> function Net:init() self.fc = torch.nn.Linear(3, 2) end
> function Net:forward(x) return self.fc(x) end
> net = Net()
> net(torch.zeros(5, 3)).shape
torch.Size([5, 2])
> net
Net(
  (fc): Linear(in_features=3, out_features=2, bias=True)
)

?torch.nn.modules
> torch.nn.modules.utils ~= nil
true

?torch.nn.modules.module torch.nn.modules.module.register_module_forward_hook torch.nn.modules.module.register_module_forward_pre_hook
> m = torch.nn.Identity()
> a = torch.nn.modules.module.register_module_forward_pre_hook(function(module, inputs) print("before", inputs[1].shape) end)
> b = torch.nn.modules.module.register_module_forward_hook(function(module, inputs, output) print("after", output.shape) end)
> m(torch.zeros(3));
before	torch.Size([3])
after	torch.Size([3])
> a:remove(); b:remove()

?torch.nn.modules.module.register_module_full_backward_hook torch.nn.modules.module.register_module_full_backward_pre_hook
> m = torch.nn.Linear(2, 1)
> a = torch.nn.modules.module.register_module_full_backward_pre_hook(function(module, grad_output) print("before", grad_output[1].shape) end)
> b = torch.nn.modules.module.register_module_full_backward_hook(function(module, grad_input, grad_output) print("after", grad_input[1].shape) end)
> m(torch.zeros(4, 2, {requires_grad = true})):sum():backward()
before	torch.Size([4, 1])
after	torch.Size([4, 2])
> a:remove(); b:remove()

?torch.nn.modules.utils torch.nn.modules.utils.consume_prefix_in_state_dict_if_present torch.nn.utils.consume_prefix_in_state_dict_if_present
> state = torch.nn.Sequential(torch.nn.Linear(2, 1)):state_dict()
> torch.nn.utils.consume_prefix_in_state_dict_if_present(state, "0.")
> for name in state:keys() do print(name) end
weight
bias

?torch.nn.Module.add_module torch.nn.Module.register_module
> net = torch.nn.Sequential()
> net:add_module("fc", torch.nn.Linear(2, 1))
> net:register_module("act", torch.nn.ReLU())
> net
Sequential(
  (fc): Linear(in_features=2, out_features=1, bias=True)
  (act): ReLU()
)

?torch.nn.Module.apply
> net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
> net:apply(function(m) print(m:_get_name()) end);
Linear
ReLU
Sequential

?torch.nn.Module.to torch.nn.Module.half torch.nn.Module.float torch.nn.Module.double torch.nn.Module.bfloat16
> net = torch.nn.Linear(2, 1)
> net:half().weight.dtype
torch.float16
> net:bfloat16().weight.dtype, net:double().weight.dtype, net:float().weight.dtype
torch.bfloat16	torch.float64	torch.float32
> net:to(torch.float64).weight.dtype
torch.float64

?torch.nn.Module.cpu torch.nn.Module.cuda
> net = torch.nn.Linear(2, 1)
> if torch.cuda.is_available() then net:cuda() end
> net:cpu().weight.device
cpu

?torch.nn.Module.buffers torch.nn.Module.named_buffers torch.nn.Module.register_buffer
> net = torch.nn.Identity()
> net:register_buffer("mean", torch.zeros(2))
> for name, b in net:named_buffers() do print(name, b) end
mean	tensor([0., 0.])
> for b in net:buffers() do print(b.shape) end
torch.Size([2])

?torch.nn.Module.children torch.nn.Module.named_children
> net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
> for child in net:children() do print(child) end
Linear(in_features=2, out_features=1, bias=True)
ReLU()
> for name, child in net:named_children() do print(name, child) end
0	Linear(in_features=2, out_features=1, bias=True)
1	ReLU()

?torch.nn.Module.modules torch.nn.Module.named_modules
> net = torch.nn.Sequential(torch.nn.Linear(2, 1))
> for m in net:modules() do print(m:_get_name()) end
Sequential
Linear
> for name, m in net:named_modules() do print(name, m:_get_name()) end
	Sequential
0	Linear

?torch.nn.Module.parameters torch.nn.Module.named_parameters
> net = torch.nn.Linear(3, 2)
> for name, p in net:named_parameters() do print(name, p.shape) end
weight	torch.Size([2, 3])
bias	torch.Size([2])
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
8

?torch.nn.Module.deepcopy
> net = torch.nn.Linear(2, 1)
> copy = net:deepcopy()
> copy.weight:equal(net.weight), copy.weight:data_ptr() == net.weight:data_ptr()
true	false

?torch.nn.Module.eval torch.nn.Module.train
> net = torch.nn.Dropout(0.5)
> net:eval().training
false
> net(torch.ones(3))
tensor([1., 1., 1.])
> net:train().training
true

?torch.nn.Module.extend torch.nn.Module.init torch.nn.Module.isinstance
> Double = torch.nn.Module:extend "Double"
> function Double:init(factor) self.factor = factor end
> function Double:forward(x) return x * self.factor end
> m = Double(2)
> m(torch.ones(2)), m:isinstance(torch.nn.Module)
tensor([2., 2.])	true

?torch.nn.Module.share_memory
> torch.nn.Linear(2, 2):share_memory()
Linear(in_features=2, out_features=2, bias=True)

?torch.nn.Module.type
> torch.nn.BatchNorm1d(2):type(torch.float64).num_batches_tracked.dtype
torch.float64

?torch.nn.Module.extra_repr
> torch.nn.Linear(3, 2):extra_repr()
"in_features=3, out_features=2, bias=True"

?torch.nn.Module.get_buffer torch.nn.Module.get_parameter torch.nn.Module.get_submodule torch.nn.Module.set_submodule
> net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
> net:get_parameter("0.weight").shape, net:get_buffer("1.running_mean").shape
torch.Size([2, 3])	torch.Size([2])
> net:set_submodule("1", torch.nn.ReLU())
> net:get_submodule("1")
ReLU()

?torch.nn.Module.load_state_dict torch.nn.Module.state_dict
> a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
> a:load_state_dict(b:state_dict())
<All keys matched successfully>
> a.weight:equal(b.weight)
true
> for name, value in a:state_dict():items() do print(name, value.shape) end
weight	torch.Size([1, 2])
bias	torch.Size([1])

?torch.nn.Module.register_forward_hook torch.nn.Module.register_forward_pre_hook
> net = torch.nn.Linear(2, 1)
> net:register_forward_pre_hook(function(m, inputs) print("before", inputs[1].shape) end);
> handle = net:register_forward_hook(function(m, inputs, output) print("after", output.shape) end)
> net(torch.zeros(4, 2)).shape
before	torch.Size([4, 2])
after	torch.Size([4, 1])
torch.Size([4, 1])
> handle:remove()

?torch.nn.Module.register_full_backward_hook torch.nn.Module.register_full_backward_pre_hook
> net = torch.nn.Linear(2, 1)
> net:register_full_backward_pre_hook(function(m, grad_output) print("before", grad_output[1].shape) end);
> net:register_full_backward_hook(function(m, grad_input, grad_output) print("after", grad_input[1].shape) end);
> net(torch.zeros(4, 2, {requires_grad = true})):sum():backward()
before	torch.Size([4, 1])
after	torch.Size([4, 2])

?torch.nn.Module.register_load_state_dict_pre_hook torch.nn.Module.register_load_state_dict_post_hook
> net = torch.nn.Linear(2, 1)
> net:register_load_state_dict_pre_hook(function(m, state) print("before", state.weight.shape) end);
> net:register_load_state_dict_post_hook(function(m, keys) print("after", #keys.missing_keys) end);
> net:load_state_dict(net:state_dict());
before	torch.Size([1, 2])
after	0

?torch.nn.Module.register_state_dict_pre_hook torch.nn.Module.register_state_dict_post_hook
> net = torch.nn.Linear(2, 1)
> net:register_state_dict_pre_hook(function(m, prefix) print("before", prefix == "") end);
> net:register_state_dict_post_hook(function(m, state) print("after", state.weight.shape) end);
> net:state_dict();
before	true
after	torch.Size([1, 2])

?torch.nn.Module.register_parameter
> net = torch.nn.Identity()
> net:register_parameter("scale", torch.nn.Parameter(torch.ones(2)))
> net.scale
Parameter containing:
tensor([1., 1.], requires_grad=True)

?torch.nn.Module.requires_grad_
> net = torch.nn.Linear(2, 1)
> net:requires_grad_(false).weight.requires_grad
false

?torch.nn.Module.reset_parameters
> net = torch.nn.Linear(2, 1)
> torch.manual_seed(0); net:reset_parameters()
> w = net.weight:clone()
> torch.manual_seed(0); net:reset_parameters()
> net.weight:equal(w)
true

?torch.nn.Module.to_empty
> net = torch.device("meta", function() return torch.nn.Linear(2, 1) end)
> net:to_empty{device = "cpu"}.weight.shape
torch.Size([1, 2])

?torch.nn.Module.zero_grad
> net = torch.nn.Linear(2, 1)
> net(torch.ones(1, 2)):sum():backward()
> net.weight.grad
tensor([[1., 1.]])
> net:zero_grad()
> net.weight.grad
nil
]==]
