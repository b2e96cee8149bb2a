"""Nodes whose clocks are wrong: a shim, compiled here, that shifts what a process is told of the time of day."""

import functools
import shutil
import subprocess
from pathlib import Path

import instance

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long shift(void) {
    const char *text = getenv("CLOCK_SHIFT_SECONDS");
    return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, out);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += shift();
    return status;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return status;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
"""


@functools.cache
def _shim() -> Path:
    folder = instance.scratch_folder()
    source, shim = folder / "clock.c", folder / "clock.so"
    source.write_text(SOURCE)
    compiler = next(name for name in ["cc", "clang", "gcc"] if shutil.which(name))
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"], check=True)
    return shim


def shifted_by(seconds: int) -> list[str]:
    """What goes in front of a command, so that its clock is so much ahead."""
    return ["env", f"LD_PRELOAD={_shim()}", f"CLOCK_SHIFT_SECONDS={seconds}"]
