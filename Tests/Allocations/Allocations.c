#include "Allocations.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define REJOIN_IS_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(REJOIN_IS_SANITIZED)

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

// What glibc calls its own functions, which those below stand in front of.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *pointer);

static _Thread_local int64_t held __attribute__((tls_model("initial-exec")));
static _Thread_local int64_t peak __attribute__((tls_model("initial-exec")));

static void *took(void *pointer) {
  if (pointer != NULL) {
    held += (int64_t)malloc_usable_size(pointer);
    if (held > peak) peak = held;
  }
  return pointer;
}

void *malloc(size_t size) { return took(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return took(__libc_calloc(count, size)); }

void *memalign(size_t alignment, size_t size) { return took(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return took(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *pointer = took(__libc_memalign(alignment, size));
  if (pointer == NULL) return ENOMEM;
  *result = pointer;
  return 0;
}

void free(void *pointer) {
  if (pointer != NULL) held -= (int64_t)malloc_usable_size(pointer);
  __libc_free(pointer);
}

void *realloc(void *pointer, size_t size) {
  if (pointer != NULL) held -= (int64_t)malloc_usable_size(pointer);
  return took(__libc_realloc(pointer, size));
}

bool rejoin_allocations_are_counted(void) { return true; }

void rejoin_allocations_begin(void) {
  held = 0;
  peak = 0;
}

int64_t rejoin_allocations_peak(void) { return peak; }

#else

bool rejoin_allocations_are_counted(void) { return false; }

void rejoin_allocations_begin(void) {}

int64_t rejoin_allocations_peak(void) { return 0; }

#endif
