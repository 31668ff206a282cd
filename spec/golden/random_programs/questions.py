"""Statements that ask about tensors, and older statements bent into mistakes."""
import re

from random_programs.values import literal


class Questions:
    """needs Values and a Generator's emit and statements"""

    def ask(self):
        r = self.r
        x, y = self.any_tensor(), self.any_tensor()
        if not x.isidentifier():
            return
        d1, d2 = self.dtype(), self.dtype()
        self.emit("return " + r.choice([
            "%s:item()" % x, "%s:tolist()" % x, "%s:size()" % x, "%s:size(%d)" % (x, self.int()), "%s:stride()" % x,
            "%s:stride(%d)" % (x, self.int()), "%s:numel()" % x, "%s:dim()" % x,
            "%s:is_contiguous()" % x, "%s.shape[%d]" % (x, self.int()), "#%s" % x, "#%s.shape" % x, "%s:element_size()" % x,
            "%s.dtype, %s.device" % (x, x),
            "torch.promote_types(%s, %s)" % (d1, d2), "torch.can_cast(%s, %s)" % (d1, d2),
            "torch.result_type(%s, %s)" % (x, r.choice([y, literal(self.number())])),
            "torch.equal(%s, %s)" % (x, y), "torch.allclose(%s, %s)" % (x, y), "%s == %s" % (x, y), "%s < %s" % (x, y), "%s <= %s" % (x, y),
            "%s:is_floating_point(), %s:is_signed()" % (x, x), "%s:data_ptr() == %s:data_ptr()" % (x, y), "%s.T" % x, "%s.mT" % x,
            "%s.H" % x, "%s:nelement(), %s.ndim" % (x, x), "%s.itemsize, %s.nbytes" % (x, x),
            "torch.finfo(torch.%s).max" % r.choice(["float32", "float16", "bfloat16", "float64"]),
            "torch.iinfo(torch.%s).max" % r.choice(["int8", "int64", "uint8"]), "torch.is_nonzero(%s)" % x, "%s:is_same_size(%s)" % (x, y),
            "torch.unique(%s)" % x, "%s:unique{return_inverse = true, return_counts = true}" % x, "torch.numel(%s)" % x,
            "torch.is_tensor(%s)" % x, "%s:type()" % x, "tostring(%s.shape)" % x,
            "torch.linalg.norm(%s)" % x, "torch.linalg.vector_norm(%s)" % x, "%s.grad" % x, "%s.grad_fn" % x, "torch.get_default_dtype()",
        ]), "ask")
        if self.chance(0.03):
            self.emit("torch.set_default_dtype(%s)" % r.choice(["torch.float64", "torch.float32", "torch.int64", "torch.bfloat16",
                                                                "torch.float16"]), "set_default_dtype")

    def mistake(self):
        r = self.r
        old = [(l, s) for l, s, _ in self.statements if l not in ("seed", "dump", "mistake") and not l.startswith("data")]
        if not old:
            return
        label, source = r.choice(old[-12:])
        names = self.names()
        k = r.random()
        if k < 0.25:
            places = [m for m in re.finditer(r"(?<![\w.\"])-?\d+(\.\d+)?(?![\w.])", source)]
            if not places:
                return
            m = r.choice(places)
            new = r.choice(['"x"', "nil", "true", "-1", "7", "1.5", "{}", "{1}", r.choice(names or ["0"]), "-5", "0"])
            source = source[:m.start()] + new + source[m.end():]
        elif k < 0.5:
            places = [m for m in re.finditer(r"(?<![\w.])t\d+(?=[\[:.,)\s])", source.split(" return")[0])]
            if not places:
                return
            m = r.choice(places[-2:])
            if re.match(r" *[,=]", source[m.end():]) and "=" in source[m.end():m.end() + 9]:
                return
            source = source[:m.start()] + r.choice(names + ["nil", "3", '"a"', "{1, 2}", "2.5"]) + source[m.end():]
        elif k < 0.62:
            source = re.sub(r"\)(?= return)", r.choice([", 1)", ", {bogus = 1})", ", true)", ', "s")', ", nil)", ", {})"]), source, count=1)
        elif k < 0.74:
            source = re.sub(r"(dim|keepdim|dtype|reduction|inplace|weight|size|p) = [\w.\"-]+",
                            lambda m: "%s = %s" % (m.group(1), r.choice(['"x"', "1", "true", "7", "{1}", "1.5"])), source, count=1)
        elif k < 0.85:
            m = re.search(r":(\w{3,})\(", source)
            if not m:
                return
            w = m.group(1)
            i = r.randrange(len(w) - 1)
            source = source[:m.start(1)] + w[:i] + w[i + 1] + w[i] + w[i + 2:] + source[m.end(1):]
        else:
            source = re.sub(r"\(([^()]*), [^(),{}]*\)(?= return)", r"(\1)", source, count=1)
        self.emit(source, "mistake " + label, re.findall(r"^(t\d+(?:, t\d+)*) = ",
                                                         source) and re.findall(r"^(t\d+(?:, t\d+)*) = ", source)[0].split(", "))
