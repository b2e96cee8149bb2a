import CAllocator

/// How glibc's allocator divides memory among threads, and when it gives memory back.
enum AllocatorArenas {
    /// Two instead of eight per processor: with requests hopping between threads, each arena keeps what others have
    /// freed, which measured 28 MiB after 115 000 sessions. More of them bring no speed: introspection and userinfo
    /// measured the same with two and with eight, within the noise.
    static func limit() {
        #if canImport(Glibc)
            _ = mallopt(M_ARENA_MAX, 2)
            // Fixed, or the first password's 16 MiB would raise it, and later ones would stay in the heap for good.
            _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
        #endif
    }
}
