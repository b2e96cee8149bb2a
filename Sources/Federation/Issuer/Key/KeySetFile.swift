import Bridge
import Foundation
import OAuth2

/// A JWK set on disk, read at the start and at each reload.
final class KeySetFile: KeySource {
    private let path: String
    private let allowed: Set<SignatureAlgorithm>
    private let limits: FetchLimits
    private let set: Reloadable<KeySet>

    /// - Throws: ``TrustedIssuerError`` when the file cannot be used.
    init(path: String, allowed: Set<SignatureAlgorithm>, limits: FetchLimits) throws {
        self.path = path
        self.allowed = allowed
        self.limits = limits
        set = Reloadable(try Self.read(path, allowed: allowed, limits: limits))
    }

    func keys(keyID: String?, algorithm: SignatureAlgorithm, at now: Timestamp) -> [IssuerKey] {
        set.current.candidates(keyID: keyID, algorithm: algorithm)
    }

    /// Keeps the keys it has when the file is broken, and says so.
    func reload() throws {
        set.replace(with: try Self.read(path, allowed: allowed, limits: limits))
    }

    /// - Throws: ``TrustedIssuerError`` for a file that is missing or has no key that could be used.
    static func read(
        _ path: String, allowed: Set<SignatureAlgorithm>, limits: FetchLimits
    ) throws -> KeySet {
        func problem(_ text: String) -> TrustedIssuerError {
            TrustedIssuerError(field: "jwks_file", text: "\(path): \(text)")
        }
        guard let handle = FileHandle(forReadingAtPath: path) else { throw problem("cannot be read") }
        defer { try? handle.close() }
        guard let bytes = try? handle.read(upToCount: limits.maximumBytes + 1) else { throw problem("cannot be read") }
        guard bytes.count <= limits.maximumBytes else {
            throw problem("is larger than \(limits.maximumBytes) bytes")
        }
        let set: KeySet
        do {
            set = try KeySet(json: Array(bytes), allowed: allowed, maximumKeys: limits.maximumKeys)
        } catch KeySetError.tooManyKeys {
            throw problem("has more than \(limits.maximumKeys) keys")
        } catch {
            throw problem("is not a JWK set")
        }
        guard !set.keys.isEmpty else { throw problem("has no key for any of the allowed algorithms") }
        return set
    }
}
