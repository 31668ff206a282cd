-- initializers.lua: the list of initializers (torch.nn.init). Plain data; list/write_modules.lua turns it into C.
--
--   initializer "name_" {"(Tensor tensor, ...)", doc = "One sentence."}
--
-- declares tocha_tensor *tocha_init_NAME(cx, args...), which fills the tensor and returns it. Scripts, host programs and the
-- list of modules use it. A new initializer needs an entry here and a function in init.c.

initializer "uniform_" {"(Tensor tensor, float a=0.0, float b=1.0, Generator? generator)", doc = "Fills the tensor with uniform numbers in [a, b)."}
initializer "normal_" {"(Tensor tensor, float mean=0.0, float std=1.0, Generator? generator)", doc = "Fills the tensor with normal numbers of this mean and standard deviation."}
initializer "trunc_normal_" {
  "(Tensor tensor, float mean=0.0, float std=1.0, float a=-2.0, float b=2.0, Generator? generator)",
  doc = "Fills the tensor with normal numbers of this mean and standard deviation, those outside of [a, b] drawn again.",
}
initializer "constant_" {"(Tensor tensor, Scalar val)", doc = "Fills the tensor with val."}
initializer "ones_" {"(Tensor tensor)", doc = "Fills the tensor with 1."}
initializer "zeros_" {"(Tensor tensor)", doc = "Fills the tensor with 0."}
initializer "eye_" {"(Tensor tensor)", doc = "Makes the tensor, a matrix, the identity: 1 on the diagonal, 0 elsewhere."}
initializer "xavier_uniform_" {
  "(Tensor tensor, float gain=1.0, Generator? generator)",
  doc = "Fills the tensor with uniform numbers in [-x, x), x = gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).",
}
initializer "xavier_normal_" {
  "(Tensor tensor, float gain=1.0, Generator? generator)",
  doc = "Fills the tensor with normal numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010).",
}
initializer "kaiming_uniform_" {
  "(Tensor tensor, float a=0, string mode='fan_in', string nonlinearity='leaky_relu', Generator? generator)",
  doc = "Fills the tensor with uniform numbers in [-x, x), x = gain * sqrt(3 / fan), fan being fan_in or fan_out by mode (He et al. 2015).",
}
initializer "kaiming_normal_" {
  "(Tensor tensor, float a=0, string mode='fan_in', string nonlinearity='leaky_relu', Generator? generator)",
  doc = "Fills the tensor with normal numbers of standard deviation gain / sqrt(fan), fan being fan_in or fan_out by mode (He et al. 2015).",
}
