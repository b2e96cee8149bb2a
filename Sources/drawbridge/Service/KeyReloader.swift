import Bridge
import Synchronization

/// Holds the login token keys of a file, and takes in a changed file.
final class KeyReloader: Sendable {
    let ring: Reloadable<LoginTokenKeyRing>
    private let path: String
    private let time: TimeSource
    private let keys: Mutex<[LoginTokenKey]>

    /// - Throws: what reading the file threw; a server without keys must not start.
    init(path: String, time: TimeSource = .system) throws {
        self.path = path
        self.time = time
        let initial = LoginTokenKeyMerge.merge(try LoginTokenKeyFile.read(path), at: time.now())
        let ring = try LoginTokenKeyRing(keys: initial)
        guard ring.signingKeyID(at: time.now()) != nil else {
            throw LoginTokenKeyFileError(path: path, problem: "has no key that may sign now")
        }
        self.ring = Reloadable(ring)
        keys = Mutex(initial)
    }

    /// Rereads the file; when it is not acceptable, what is in force stays.
    func reload() throws {
        let file = try LoginTokenKeyFile.read(path)
        let now = time.now()
        try keys.withLock { keys in
            let fresh = LoginTokenKeyMerge.merge(file, keeping: keys, at: now)
            let ring = try LoginTokenKeyRing(keys: fresh)
            guard ring.signingKeyID(at: now) != nil else {
                throw LoginTokenKeyFileError(path: path, problem: "has no key that may sign now")
            }
            keys = fresh
            self.ring.replace(with: ring)
        }
    }
}
