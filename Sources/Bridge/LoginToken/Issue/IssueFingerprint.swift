import Crypto
import OAuth2

/// Digests behind an `Idempotency-Key`.
enum IssueFingerprint {
    /// Keys belong to one app and one user; the digest keeps them apart and keeps the key itself out of the store.
    static func keyDigest(_ key: String, bearer: BearerIdentity) -> String {
        digest(["key", bearer.clientID.rawValue, bearer.subject.rawValue, key])
    }

    /// Everything that the answer depends on besides chance and time.
    static func request(_ terms: LoginTokenTerms, bearer: BearerIdentity) -> String {
        let network =
            switch terms.binding.network {
            case .none: "none"
            case .network(let prefix): "network \(prefix)"
            case .exact(let address): "exact \(address)"
            }
        return digest([
            "request", terms.website.id.rawValue, String(terms.lifetime.inMilliseconds),
            terms.target?.serialized ?? "", terms.binding.challenge?.value ?? "", network,
            bearer.sessionID?.rawValue ?? "",
        ])
    }

    private static func digest(_ parts: [String]) -> String {
        var hash = SHA256()
        for part in parts { hash.update(data: Array("\(part.utf8.count):\(part)".utf8)) }
        return Base64URL.encode(Array(hash.finalize()))
    }
}
