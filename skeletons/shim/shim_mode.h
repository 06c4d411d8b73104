// Cuvier host shim: how it is built. By default the headers hold everything. With CUVIER_SHIM_LIBRARY defined they only
// declare, and the program is linked with shim.cpp, compiled with the same macro and the same -fsanitize flags.
#pragma once

#ifdef CUVIER_SHIM_LIBRARY
#define CUVIER_SHIM_API
#else
#define CUVIER_SHIM_API inline
#endif

#if defined(__SANITIZE_ADDRESS__)
#define CUVIER_SHIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUVIER_SHIM_ASAN 1
#endif
#endif

// Part of the name of one function that every program needs: a program and a library that disagree do not link.
#ifdef CUVIER_SHIM_ASAN
#define CUVIER_SHIM_FLAVOUR with_address_sanitizer
#else
#define CUVIER_SHIM_FLAVOUR without_address_sanitizer
#endif
