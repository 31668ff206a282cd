-- initializers.lua: the list of initializers (torch.nn.init). Plain data; list/write_modules.lua turns it into C.
--
--   initializer "name_" {"(Tensor tensor, ...)", doc = "One sentence."}
--
-- is tocha_tensor *tocha_init_NAME(cx, args...), which fills the tensor and returns it, for scripts, host programs and the
-- list of modules alike. Adding one: an entry here, a function in init.c.

initializer "uniform_" {"(Tensor tensor, float a=0.0, float b=1.0, Generator? generator)", doc = "Uniform in [a, b)."}
initializer "normal_" {"(Tensor tensor, float mean=0.0, float std=1.0, Generator? generator)", doc = "Normal."}
initializer "trunc_normal_" {
  "(Tensor tensor, float mean=0.0, float std=1.0, float a=-2.0, float b=2.0, Generator? generator)",
  doc = "Normal, drawn anew outside of [a, b].",
}
initializer "constant_" {"(Tensor tensor, Scalar val)", doc = "val everywhere."}
initializer "ones_" {"(Tensor tensor)", doc = "1 everywhere."}
initializer "zeros_" {"(Tensor tensor)", doc = "0 everywhere."}
initializer "eye_" {"(Tensor tensor)", doc = "The identity matrix."}
initializer "xavier_uniform_" {
  "(Tensor tensor, float gain=1.0, Generator? generator)",
  doc = "Uniform within gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).",
}
initializer "xavier_normal_" {
  "(Tensor tensor, float gain=1.0, Generator? generator)",
  doc = "Normal with deviation gain * sqrt(2 / (fan_in + fan_out)).",
}
initializer "kaiming_uniform_" {
  "(Tensor tensor, float a=0, string mode='fan_in', string nonlinearity='leaky_relu', Generator? generator)",
  doc = "Uniform within gain * sqrt(3 / fan) (He et al. 2015).",
}
initializer "kaiming_normal_" {
  "(Tensor tensor, float a=0, string mode='fan_in', string nonlinearity='leaky_relu', Generator? generator)",
  doc = "Normal with deviation gain / sqrt(fan).",
}
