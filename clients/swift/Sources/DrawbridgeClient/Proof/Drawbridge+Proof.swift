import Crypto
import Foundation

// Proof of possession (RFC 9449).
extension Drawbridge {
    /// Sends a request, with a proof where one belongs; once more when the provider wants a nonce that came along.
    func send(_ request: ClientRequest, proves: Bool) async throws(ClientError) -> ClientAnswer {
        guard proves, let key = try await proofKey() else { return try await transport.send(request) }
        let first = try await prove(request, key)
        return first.wantsNonce ? try await prove(request, key) : first
    }

    /// Whether token requests are proved.
    var bindsTokens: Bool { if case .none = binding { false } else { true } }

    /// RFC 7638 thumbprint of the key; `nil` when tokens are bound to none.
    func proofThumbprint() async throws(ClientError) -> String? {
        guard let key = try await proofKey() else { return nil }
        let (x, y) = Self.coordinates(key)
        let text = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}"
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)))
    }

    private func proofKey() async throws(ClientError) -> (any ProofKey)? {
        switch binding {
        case .none: return nil
        case .key(let key): return key
        case .storedKey:
            let item = configuration.proofKeyItem
            let store = store
            // One at a time: two that find nothing would make two keys.
            let task =
                readingKey
                ?? Task { () -> Result<any ProofKey, ClientError> in
                    do throws(ClientError) { return .success(try await StoredProofKey(item, in: store)) } catch {
                        return .failure(error)
                    }
                }
            readingKey = task
            let result = await task.value
            if case .failure = result { readingKey = nil }
            return try result.get()
        }
    }

    private func prove(_ request: ClientRequest, _ key: any ProofKey) async throws(ClientError) -> ClientAnswer {
        let target = String(request.address.prefix { $0 != "?" })
        let origin = target.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")
        let (x, y) = Self.coordinates(key)
        let claims = ProofClaims(
            jti: random.text(16), htm: request.method, htu: target, iat: Int(time.now().timeIntervalSince1970),
            nonce: proofNonces[origin],
            ath: request.bearer.map { Base64URL.encode(SHA256.hash(data: Array($0.expose().utf8))) })
        guard let body = try? JSONEncoder().encode(claims) else { throw .configuration("the proof cannot be written") }
        let head =
            "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}}"
        let text = "\(Base64URL.encode(Array(head.utf8))).\(Base64URL.encode(body))"
        let signature = try await key.signature(for: Array(text.utf8))
        let answer = try await transport.send(request.proved(by: "\(text).\(Base64URL.encode(signature))"))
        let nonce = answer.headers["dpop-nonce"] ?? ""
        if (1...1024).contains(nonce.utf8.count), nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            proofNonces[origin] = nonce
        }
        return answer
    }

    private static func coordinates(_ key: any ProofKey) -> (x: String, y: String) {
        let point = key.publicPoint
        return (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.dropFirst(32)))
    }
}

/// RFC 9449 §4.2.
private struct ProofClaims: Encodable {
    let jti: String
    let htm: String
    let htu: String
    let iat: Int
    let nonce: String?
    let ath: String?
}
