import Crypto
import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// A key of this device that tokens are bound to (RFC 9449), for ES256. On a phone it belongs into the Secure Enclave.
public protocol ProofKey: Sendable {
    /// The public point: x and y, 32 bytes each.
    var publicPoint: [UInt8] { get }
    /// Signs with ECDSA over SHA-256.
    /// - Returns: r and s, 32 bytes each.
    func signature(for message: [UInt8]) async throws(ClientError) -> [UInt8]
}

/// Whether the app's tokens are bound to a key, and to which.
public enum TokenBinding: Sendable {
    /// Anyone who has a token can use it.
    case none
    /// To a key that is made at the first use and kept in the secret store; apps that share a sign-in share it.
    case storedKey
    /// To a key of the app's own.
    case key(any ProofKey)
}

/// A key that is kept where the app's other secrets are.
struct StoredProofKey: ProofKey {
    private let key: P256.Signing.PrivateKey

    /// Reads the key of this item, or makes it.
    init(_ item: SecretItem, in store: any SecretStore) async throws(ClientError) {
        if let kept = try await Self.read(item, store) {
            key = kept
        } else {
            key = try await store.locked(item) { () async throws(ClientError) in try await Self.make(item, store) }
        }
    }

    private static func make(
        _ item: SecretItem, _ store: any SecretStore
    ) async throws(ClientError) -> P256.Signing.PrivateKey {
        // Another process may have made one while this one waited.
        if let kept = try await read(item, store) { return kept }
        let made = P256.Signing.PrivateKey()
        try await store.write(Redacted(Base64URL.encode(made.rawRepresentation)), to: item)
        // Where the store has no lock: what is there now is the one for all.
        return try await read(item, store) ?? made
    }

    private static func read(
        _ item: SecretItem, _ store: any SecretStore
    ) async throws(ClientError) -> P256.Signing.PrivateKey? {
        guard let text = try await store.read(item), let bytes = Base64URL.decode(text.expose()) else { return nil }
        return try? P256.Signing.PrivateKey(rawRepresentation: bytes)
    }

    var publicPoint: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func signature(for message: [UInt8]) async throws(ClientError) -> [UInt8] {
        guard let signature = try? key.signature(for: message) else { throw .secretStore("the key cannot sign") }
        return Array(signature.rawRepresentation)
    }
}

#if canImport(CryptoKit)
    /// A key that never leaves the Secure Enclave; what the store holds is of no use on another device.
    public struct SecureEnclaveProofKey: ProofKey {
        private let key: SecureEnclave.P256.Signing.PrivateKey

        /// Reads the key of this item, or makes it.
        /// - Throws: ``ClientError/secretStore(_:)`` where there is no Secure Enclave.
        public init(_ item: SecretItem, in store: any SecretStore) async throws(ClientError) {
            if let kept = try await store.read(item), let bytes = Data(base64Encoded: kept.expose()),
                let key = try? SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: bytes)
            {
                self.key = key
                return
            }
            guard let made = try? SecureEnclave.P256.Signing.PrivateKey() else {
                throw .secretStore("this device has no Secure Enclave")
            }
            try await store.write(Redacted(made.dataRepresentation.base64EncodedString()), to: item)
            key = made
        }

        /// As ``ProofKey/publicPoint`` says.
        public var publicPoint: [UInt8] { Array(key.publicKey.rawRepresentation) }

        /// As ``ProofKey/signature(for:)`` says.
        public func signature(for message: [UInt8]) async throws(ClientError) -> [UInt8] {
            guard let signature = try? key.signature(for: message) else { throw .secretStore("the key cannot sign") }
            return Array(signature.rawRepresentation)
        }
    }
#endif
