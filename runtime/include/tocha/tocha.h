/* tocha.h: includes all headers that a host program needs. */
#ifndef TOCHA_H
#define TOCHA_H

#include "tocha/amp.h"
#include "tocha/autograd.h"
#include "tocha/binding.h"
#include "tocha/confine.h"
#include "tocha/context.h"
#include "tocha/data.h"
#include "tocha/define.h"
#include "tocha/device.h"
#include "tocha/dlpack.h"
#include "tocha/image.h"
#include "tocha/io.h"
#include "tocha/modules.h"
#include "tocha/nn.h"
#include "tocha/ops.h"
#include "tocha/optim.h"
#include "tocha/optimizers.h"
#include "tocha/options.h"
#include "tocha/profiler.h"
#include "tocha/random.h"
#include "tocha/reader.h"
#include "tocha/reflect.h"
#include "tocha/scheduler.h"
#include "tocha/schedulers.h"
#include "tocha/serialization.h"
#include "tocha/share.h"
#include "tocha/subscript.h"
#include "tocha/tensor.h"
#include "tocha/types.h"

#endif
