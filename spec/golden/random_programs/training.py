"""Statements that train: autograd, modules, losses, optimizers, data sets."""
import re

from random_programs.values import FLOATS, literal


class Training:
    """needs Values and a Generator's emit and assign"""

    def leaves(self):
        return [n for n, t in self.objects.items() if t.requires_grad and t.is_leaf][:4]

    def autograd(self):
        r = self.r
        x = self.float_tensor()
        if not x.isidentifier():
            x, t = self.hold(x)
            if t is None:
                return
        t = self.objects[x]
        k = r.random()
        leaves = self.leaves()
        if k < 0.1:
            self.emit(r.choice(["%s:requires_grad_() return %s", "%s.requires_grad = true return %s", "%s:requires_grad_(false) return %s",
                                "%s.requires_grad = false return %s"]) % (x, x), "requires_grad", [x])
        elif k < 0.45:
            y = self.tensor(lambda t: t.requires_grad and not t.is_leaf) or x
            t = self.objects.get(y)
            if t is None:
                return
            if t.dim() == 0 or self.chance(0.06):
                z, given = y, None
            elif self.chance(0.5):
                z, given = "(%s)%s" % (y, r.choice([":sum()", ":sum()", ":mean()", ":pow(2):sum()", ":max()", ":exp():sum()", ":std()",
                                                    ":norm()", ":prod()"])), None
            else:
                z, given = y, self.of_shape(t.shape, t.dtype) if not self.chance(0.05) else self.any_tensor()
            kw = self.options(("retain_graph", self.maybe(0.35, "true")), ("create_graph", self.maybe(0.08, "true")))
            if given and self.chance(0.3):
                kw = "{gradient = %s%s}" % (given, ", " + kw[1:-1] if kw else "")
                given = None
            self.emit("%s:backward(%s) return %s" % (z, self.arguments(given, kw), ", ".join(n + ".grad" for n in leaves) or "nil"),
                      "backward", [])
        elif k < 0.6:
            y = self.tensor(lambda t: t.requires_grad and not t.is_leaf) or x
            t = self.objects.get(y)
            if t is None:
                return
            inputs = r.sample(leaves, min(len(leaves), r.choice([1, 1, 2]))) or [x]
            if self.chance(0.2):
                inputs.append(self.tensor(lambda t: t.requires_grad) or x)
            z = y if t.dim() == 0 else "(%s):%s" % (y, r.choice(["sum()", "pow(2):sum()", "sin():sum()"]))
            kw = self.options(("allow_unused", self.maybe(0.5, "true")), ("create_graph", self.maybe(0.25, "true")),
                              ("retain_graph", self.maybe(0.4, "true")))
            given = inputs[0] if len(inputs) == 1 and self.chance(0.6) else "{" + ", ".join(inputs) + "}"
            names = [self.name() for _ in inputs]
            self.emit("%s = torch.autograd.grad(%s) return %s" % (", ".join(names), self.arguments(z, given, kw), ", ".join(names)),
                      "autograd.grad", names)
        elif k < 0.66:
            scale = r.choice(["g * 2", "g:clamp(-1, 1)", "nil", "-g", "g:detach() + 1"])
            self.emit("h = %s:register_hook(function(g) return %s end)" % (x, scale), "hook")
            if self.chance(0.2):
                self.emit("h:remove()", "hook")
        elif k < 0.70:
            self.emit("%s:retain_grad() return %s.grad" % (x, x), "retain_grad")
        elif k < 0.76:
            self.assign(r.choice(["%s:detach()", "%s.data", "%s:clone()", "%s:detach():requires_grad_()", "%s:detach_()", "%s.grad"]) % x,
                        "detach")
        elif k < 0.84:
            f = r.choice(["torch.no_grad", "torch.no_grad", "torch.enable_grad", "torch.inference_mode"])
            e = r.choice(["%s * 2", "%s[0]", "%s:view(-1)", "%s:t()", "%s:sum()", "%s:detach()", "%s:requires_grad_()", "%s + 1",
                          "%s:exp()"]) % x
            self.assign("%s(function() return %s end)" % (f, e), f)
        elif k < 0.88:
            self.emit("torch.set_grad_enabled(%s) return torch.is_grad_enabled()" % r.choice(["true", "false", "true"]), "set_grad_enabled")
        elif k < 0.93:
            self.emit(r.choice(["%s.grad = nil return %s.grad", "%s.grad:zero_() return %s.grad", "%s.grad = torch.ones_like(%s)",
                                "%s.grad = torch.ones(2) return %s"]) % (x, x), "grad=")
        elif k < 0.97:
            self.emit("%s.data:mul_(2) return %s" % (x, x), "data", [x])
        else:
            self.emit("return %s.is_leaf, %s._version, %s:_is_view(), %s.requires_grad, %s.retains_grad" % (x, x, x, x, x), "flags")

    def module(self):
        r = self.r
        k = r.random()
        flag = lambda p=0.3: self.maybe(p, r.choice(["true", "false"]))
        if k < 0.5 or not self.modules:
            x = self.tensor(lambda t: t.dtype in FLOATS and t.dim() > 0)
            width = self.objects[x].shape[-1] if x and self.objects[x].dim() else r.randint(1, 4)
            text = self.layer(width)
            if self.chance(0.3):
                text = "torch.nn.Sequential(%s)" % ", ".join(self.layer(width if i == 0 else self.last,
                                                                        True) for i in range(r.randint(1, 4)))
            self.count += 1
            name = "m%d" % self.count
            if self.emit("%s = %s return %s" % (name, text, name), "nn " + re.sub(r"\(.*", "", text).replace("torch.nn.", "")):
                self.modules[name] = text
                if x and not self.chance(0.2):
                    self.assign("%s(%s)" % (name, x), "nn forward " + re.sub(r"\(.*", "", text).replace("torch.nn.", ""))
            return
        if k < 0.6:
            return self.loss_module()
        name = r.choice(list(self.modules))
        if k < 0.75:
            x = self.float_tensor()
            self.assign("%s(%s)" % (name, x), "nn forward")
        elif k < 0.85:
            self.emit(r.choice([
                "local r = {} for n, p in %s:named_parameters() do r[#r + 1] = n r[#r + 1] = p end return r" % name,
                "local r = {} for k, v in pairs(%s:state_dict()) do r[#r + 1] = k r[#r + 1] = v end return r" % name,
                "local r = {} for p in %s:parameters() do r[#r + 1] = p.grad or 'none' end return r" % name,
                "local r = {} for n, c in %s:named_modules() do r[#r + 1] = n r[#r + 1] = c end return r" % name,
                "%s:eval() return %s.training" % (name, name), "%s:train() return %s.training" % (name, name),
                "%s:zero_grad() return %s" % (name, name), "%s:double() return %s" % (name, name),
                "%s:to(torch.float32) return %s" % (name, name),
                "%s:half() return %s" % (name, name), "%s:requires_grad_(false) return %s" % (name, name),
                "return %s.weight, %s.bias" % (name, name), "return %s[0]" % name, "return #%s" % name,
                "return %s:load_state_dict(%s:state_dict())" % (name, r.choice(list(self.modules))),
                "%s:apply(function(m) if m.weight then torch.nn.init.%s end end) return %s" % (name, r.choice([
                    "constant_(m.weight, 0.5)", "xavier_uniform_(m.weight)", "kaiming_normal_(m.weight)", "normal_(m.weight, {std = 0.1})",
                    "zeros_(m.weight)",
                    "xavier_normal_(m.weight, 2.0)", "kaiming_uniform_{m.weight, nonlinearity = 'relu'}", "trunc_normal_(m.weight)",
                    "eye_(m.weight)"]), name + ":state_dict()"),
            ]), "nn method")
        else:
            x = self.float_tensor()
            leaves = ", ".join(n + ".grad" for n in self.leaves()) or "nil"
            grads = "local r = {} for p in %s:parameters() do r[#r + 1] = p.grad or 'none' end" % name
            self.emit("%s(%s):sum():backward() %s return r, %s" % (name, x, grads, leaves), "nn backward")

    def layer(self, width, inside=False):
        r = self.r
        nn = "torch.nn."
        self.last = width
        k = r.random()
        if k < 0.4:
            out = r.randint(1, 4)
            self.last = out
            if self.chance(0.03):
                width += 1
            kw = self.options(("bias", self.maybe(0.25, r.choice(["true", "false"]))), ("dtype", self.maybe(0.06, "torch.float64")))
            return nn + "Linear(%s)" % self.arguments(str(width), str(out), kw)
        inplace = self.options(("inplace", self.maybe(0.2, "true"))) or ""
        f = lambda *a: literal(r.choice(a))
        return nn + r.choice([
            "ReLU(%s)" % inplace, "ReLU6(%s)" % inplace, "LeakyReLU(%s)" % self.arguments(self.maybe(0.5, f(0.1, 0.2, 0)), inplace or None),
            "ELU(%s)" % self.arguments(self.maybe(0.5, f(0.5, 2, 1.5)), inplace or None),
            "CELU(%s)" % self.arguments(self.maybe(0.5, f(0.5, 2.0)), inplace or None),
            "SELU(%s)" % inplace, "GELU()", 'GELU("tanh")', 'GELU{approximate = "tanh"}', "SiLU(%s)" % inplace, "Mish(%s)" % inplace,
            "Sigmoid()", "LogSigmoid()", "Tanh()", "Softsign()",
            "Tanhshrink()", "Hardsigmoid(%s)" % inplace, "Hardswish(%s)" % inplace,
            "Softplus(%s)" % self.arguments(self.maybe(0.5, f(0.5, 2, 1)), self.maybe(0.2, f(1, 20))),
            "Hardtanh(%s)" % self.arguments(self.maybe(0.4, f(-2.0, -0.5, 0)), self.maybe(0.4, f(0.5, 2, 1))),
            "Threshold(%s, %s)" % (f(0.1, 0, -1), f(0.5, 0, 7)),
            "Hardshrink(%s)" % (self.maybe(0.5, f(0.1, 1.0)) or ""), "Softshrink(%s)" % (self.maybe(0.5, f(0.1, 1.0, -1)) or ""),
            "PReLU(%s)" % (self.maybe(0.3, f(1, 2, 3)) or ""), "GLU(%s)" % (self.maybe(0.5, f(0, -1, 1)) or ""),
            "Softmax(%s)" % (self.maybe(0.8, f(0, 1, -1)) or ""),
            "LogSoftmax{dim = %s}" % f(0, 1, -1), "Softmin{dim = %s}" % f(0, -1),
            "Flatten(%s)" % self.arguments(self.maybe(0.4, f(0, 1)), self.maybe(0.2, f(-1, 1))),
            "Dropout(%s)" % self.arguments(self.maybe(0.6, f(0.1, 0.5, 0, 1, 1.5)), inplace or None), "Dropout1d(%s)" % f(0.2, 0.5),
            "Dropout2d(%s)" % f(0.2, 0.5), "AlphaDropout(%s)" % f(0.2, 0.5),
            "Identity()", "Unflatten(%s, %s)" % (f(-1, 1, 0), f([2, -1], [1, -1])),
        ])

    def loss_module(self):
        r = self.r
        reduction = ("reduction", self.maybe(0.6, r.choice(['"mean"', '"sum"', '"none"', '"mean"', '"average"'])))
        kind = r.choice(["L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "CrossEntropyLoss", "CrossEntropyLoss", "NLLLoss", "BCELoss",
                         "BCEWithLogitsLoss", "KLDivLoss", "HingeEmbeddingLoss"])
        shape = self.shape(self.pick(1, 2, 2, 3))
        leaf = "torch.randn(%s)" % literal(shape)
        kw = [reduction]
        if kind in ("CrossEntropyLoss", "NLLLoss"):
            c = r.randint(2, 4)
            n = r.randint(1, 4)
            shape = r.choice([[n, c], [n, c], [n, c], [c], [n, c, 2]])
            at = 0 if len(shape) == 1 else 1
            leaf = "torch.randn(%s)" % literal(shape)
            target = self.positions(c, [k for i, k in enumerate(shape) if i != at])
            if kind == "NLLLoss":
                leaf += ":log_softmax(%d)" % at
            else:
                if self.chance(0.2):
                    target = "torch.softmax(torch.randn(%s), %d)" % (literal(shape), at)
                kw.append(("label_smoothing", self.maybe(0.3, literal(r.choice([0.1, 0.5, 0.0])))))
            kw += [("weight", self.maybe(0.3, "torch.rand(%d)" % c)), ("ignore_index", self.maybe(0.3, literal(r.choice([0, 1, -100]))))]
        elif kind == "BCELoss":
            leaf, target = "torch.rand(%s)" % literal(shape), "torch.rand(%s)" % literal(shape)
            kw.append(("weight", self.maybe(0.25, "torch.rand(%s)" % literal(shape))))
        elif kind == "BCEWithLogitsLoss":
            target = "torch.rand(%s)" % literal(shape)
            kw += [("weight", self.maybe(0.25, "torch.rand(%s)" % literal(shape))),
                   ("pos_weight", self.maybe(0.25, "torch.rand(%s)" % literal(shape[-1:])))]
        elif kind == "KLDivLoss":
            leaf += ":log_softmax(-1)"
            target = "torch.softmax(torch.randn(%s), -1)" % literal(shape)
            if self.chance(0.3):
                target += ":log()"
                kw.append(("log_target", "true"))
        elif kind == "HingeEmbeddingLoss":
            target = "torch.randint(0, 2, %s) * 2 - 1" % literal(shape)
            kw.append(("margin", self.maybe(0.3, literal(r.choice([0.5, 2.0])))))
        else:
            target = self.fresh(shape if not self.chance(0.08) else self.shape(), "float32" if not self.chance(0.1) else None)
            if kind == "SmoothL1Loss":
                kw.append(("beta", self.maybe(0.4, literal(r.choice([0.5, 2.0, 0, -1.0])))))
            if kind == "HuberLoss":
                kw.append(("delta", self.maybe(0.4, literal(r.choice([0.5, 2.0, 0.0])))))
        if self.chance(0.08):
            target = self.any_tensor()
        x, t = self.assign(leaf, "create")
        if t is not None and self.chance(0.6):
            self.emit("%s:requires_grad_() return %s" % (x, x), "create", [x])
        name = self.name()
        self.emit("local l = torch.nn.%s(%s) %s = l(%s, %s) return l, %s" % (kind, self.options(*kw) or "", name, x, target, name),
                  "nn " + kind, [name])
        y = self.objects.get(name)
        if y is not None and y.requires_grad and self.chance(0.7):
            self.emit("%s%s:backward() return %s.grad" % (name, "" if y.dim() == 0 else ":sum()", x), "backward " + kind)

    def optimizer(self):
        r = self.r
        leaves = self.leaves()
        while len(leaves) < r.randint(1, 2):
            n, t = self.assign("torch.randn(%s, {requires_grad = true})" % literal(self.shape()), "create")
            if t is None or not t.requires_grad:
                return
            leaves = self.leaves()
        o = lambda n, p, *a: (n, self.maybe(p, literal(r.choice(a))))
        kind = r.choice(["SGD", "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta"])
        kw = [o("lr", 0.8, 0.1, 0.01, 1.0, 0.5, -0.1 if self.chance(0.1) else 0.2), o("weight_decay", 0.3, 0.1, 0.01, 1),
              o("maximize", 0.15, True)]
        kw += {"SGD": [o("momentum", 0.5, 0.9, 0.5), o("dampening", 0.2, 0.1), o("nesterov", 0.25, True)],
               "Adam": [o("betas", 0.3, [0.8, 0.9], [0.5, 0.99], [1.5, 0.9]), o("eps", 0.2, 1e-4, 0.1), o("amsgrad", 0.3, True)],
               "AdamW": [o("betas", 0.3, [0.8, 0.9], [0.5, 0.99]), o("eps", 0.2, 1e-4), o("amsgrad", 0.3, True)],
               "RMSprop": [o("alpha", 0.3, 0.9, 0.5), o("momentum", 0.3, 0.9), o("centered", 0.3, True), o("eps", 0.2, 1e-3)],
               "Adagrad": [o("lr_decay", 0.3, 0.1), o("initial_accumulator_value", 0.3, 0.5), o("eps", 0.2, 1e-3)],
               "Adadelta": [o("rho", 0.3, 0.5), o("eps", 0.2, 1e-3)]}[kind]
        if self.chance(0.2) and len(leaves) > 1:
            params = "{{params = {%s}}, {params = {%s}, lr = 0.3}}" % (leaves[0], leaves[1])
        else:
            params = "{" + ", ".join(leaves[:2]) + "}"
        used = leaves[:2]
        if not self.emit("opt = torch.optim.%s(%s) return opt" % (kind, self.arguments(params, self.options(*kw))), "optim." + kind):
            return
        for _ in range(r.randint(1, 3)):
            loss = " + ".join("(%s * %s):sum()" % (n, r.choice([n, "2", n + ":detach()", n + ":exp()"])) for n in used)
            zero = r.choice(["opt:zero_grad() ", "opt:zero_grad() ", "", "opt:zero_grad{set_to_none = false} "])
            self.emit("%slocal l = %s l:backward() opt:step() return l, %s" % (zero, loss, ", ".join(used)), "optim step " + kind, used)
        if self.chance(0.2):
            self.emit("opt:add_param_group{params = {torch.ones(2, {requires_grad = true})}, lr = 0.5} return opt", "optim add_param_group")

    def data(self):
        r = self.r
        n = r.randint(1, 9)
        parts = [self.fresh([n] + self.shape(self.pick(0, 1)), None) for _ in range(r.randint(1, 2))]
        self.emit("ds = torch.utils.data.TensorDataset(%s) return #ds" % ", ".join(parts), "data TensorDataset")
        k = r.random()
        vars = "a, b" if len(parts) == 2 else "a"
        if k < 0.5:
            kw = self.options(("batch_size", self.maybe(0.8, str(r.randint(1, 4)))),
                              ("shuffle", self.maybe(0.5, r.choice(["true", "true", "false"]))), ("drop_last", self.maybe(0.3, "true")))
            loader = "local l = torch.utils.data.DataLoader(%s)" % self.arguments("ds", kw)
            self.emit("local r = {} %s r[1] = #l for %s in l do r[#r + 1] = {%s} end return r" % (loader, vars, vars), "data DataLoader")
        elif k < 0.8:
            a = r.randint(0, n)
            lengths = "{%d, %d}" % (a, n - a) if self.chance(0.6) else r.choice(["{0.5, 0.5}", "{0.3, 0.3, 0.4}", "{%d, 1}" % n])
            gen = self.maybe(0.3, "{generator = torch.Generator():manual_seed(%d)}" % r.randrange(9))
            split = "local p, q = torch.utils.data.random_split(%s)" % self.arguments("ds", lengths, gen)
            self.emit("%s local r = {#p, #q} for i = 0, #p - 1 do r[#r + 1] = {p[i]} end return r" % split, "data random_split")
        else:
            self.emit("return ds[%d]" % r.randint(-1, n), "data item")
