import Foundation

/// Wakes one thread that waits, at most for a while.
///
/// The wait is measured by the monotonic clock (ADR-0010). A semaphore's on Linux goes by the time of day: a clock that
/// is set back during a wait would make it longer by so much.
final class Bell: @unchecked Sendable {
    // Where they are must not change; what they are is guarded by the mutex.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isRung = false

    init() {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Wakes the waiting thread, or the next one to wait.
    func ring() {
        pthread_mutex_lock(mutex)
        isRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// - Returns: whether it was rung since the last wait.
    func wait(atMost patience: Duration) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let (seconds, attoseconds) = patience.components
        let nanoseconds = deadline.tv_nsec + Int(attoseconds / 1_000_000_000)
        deadline.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer {
            isRung = false
            pthread_mutex_unlock(mutex)
        }
        while !isRung, pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT {}
        return isRung
    }
}
