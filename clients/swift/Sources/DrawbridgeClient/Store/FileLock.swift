import Foundation

/// A file that one holder at a time has: another process, or another object of this one, waits.
///
/// The system takes it back from a process that ends, however it ends, so that none stays behind.
struct FileLock {
    let path: String

    /// Waits on a thread of its own: the holder may be waiting for the provider.
    func hold() async throws(ClientError) -> SecretLock {
        let held: Result<Int32, ClientError> = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: wait()) }
        }
        let descriptor = try held.get()
        return SecretLock { _ = close(descriptor) }
    }

    private func wait() -> Result<Int32, ClientError> {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return .failure(problem()) }
        while flock(descriptor, LOCK_EX) != 0 {
            // A signal that the app handles ends the waiting, not the wish.
            if errno == EINTR { continue }
            let problem = problem()
            close(descriptor)
            return .failure(problem)
        }
        return .success(descriptor)
    }

    private func problem() -> ClientError {
        .secretStore("\(path) cannot be locked: \(String(cString: strerror(errno)))")
    }
}
