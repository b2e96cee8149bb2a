import Bridge
import Crypto
import JWTKit

/// A key with the algorithms it may be used for: the token never chooses how a key is used.
struct VerificationKey: Sendable {
    let keyID: String?
    private let verifiers: [SignatureAlgorithm: any SignatureVerifier]

    init(keyID: String?, verifiers: [SignatureAlgorithm: any SignatureVerifier]) {
        self.keyID = keyID
        self.verifiers = verifiers
    }

    func fits(_ algorithm: SignatureAlgorithm) -> Bool { verifiers[algorithm] != nil }

    func isValid(_ signature: [UInt8], for input: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        verifiers[algorithm]?.isValid(signature, for: input) ?? false
    }
}

/// One key under one algorithm.
protocol SignatureVerifier: Sendable {
    func isValid(_ signature: [UInt8], for input: [UInt8]) -> Bool
}

/// A public key, by jwt-kit.
struct PublicKeyVerifier: SignatureVerifier {
    let algorithm: any JWTAlgorithm

    func isValid(_ signature: [UInt8], for input: [UInt8]) -> Bool {
        // A signature of the wrong length throws; it is as wrong as any other.
        (try? algorithm.verify(signature, signs: input)) ?? false
    }
}

/// A shared secret. The comparison inside swift-crypto takes constant time.
struct SharedSecretVerifier: SignatureVerifier {
    let secret: Secret<[UInt8]>
    let algorithm: SignatureAlgorithm

    func isValid(_ signature: [UInt8], for input: [UInt8]) -> Bool {
        let key = SymmetricKey(data: secret.expose())
        return switch algorithm {
        case .hs256: HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: key)
        case .hs384: HMAC<SHA384>.isValidAuthenticationCode(signature, authenticating: input, using: key)
        case .hs512: HMAC<SHA512>.isValidAuthenticationCode(signature, authenticating: input, using: key)
        default: false
        }
    }
}
