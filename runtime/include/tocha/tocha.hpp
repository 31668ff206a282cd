/* tocha.hpp: Tocha for C++17 and later: owners, operators, exceptions, modules. It is made of inline functions around
 * the C interface, with which it can be mixed freely; programs link to libtocha alone.
 *
 *   tocha::Context cx;
 *   tocha::Tensor w = tocha::randn(cx, {3, 1}).requires_grad_();
 *   tocha::Tensor loss = (matmul(x, w) - y).pow(2).mean();
 *   loss.backward();
 *   std::cout << w.grad() << "\n";
 *
 * Whatever a call leaves is released before it returns, so that a program needs no scopes. What fails throws a
 * tocha::Error. Operators are functions of namespace tocha (torch), tocha::functional (torch.nn.functional),
 * tocha::linalg and tocha::special, and methods of Tensor; modules and their initializers are in tocha::nn,
 * optimizers in tocha::optim. */
#ifndef TOCHA_HPP
#define TOCHA_HPP

#include "tocha/cpp/checkpoint.hpp"
#include "tocha/cpp/context.hpp"
#include "tocha/cpp/data.hpp"
#include "tocha/cpp/error.hpp"
#include "tocha/cpp/functions.hpp"
#include "tocha/cpp/module.hpp"
#include "tocha/cpp/modules.hpp"
#include "tocha/cpp/optimizer.hpp"
#include "tocha/cpp/optimizers.hpp"
#include "tocha/cpp/scheduler.hpp"
#include "tocha/cpp/share.hpp"
#include "tocha/cpp/tensor.hpp"
#include "tocha/cpp/values.hpp"

#endif
