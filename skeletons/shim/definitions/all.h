// Cuvier host shim: what the headers declare.
#pragma once

#include "copy.h"
#include "device.h"
#include "error.h"
#include "launch.h"
#include "memory.h"
#include "shared.h"
#include "stream.h"
#include "warp.h"
