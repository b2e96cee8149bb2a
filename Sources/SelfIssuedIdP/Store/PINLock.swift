import Crypto
import CryptoExtras
import Foundation

/// The lock on the keys of a store: a random key that only the PIN opens. AES-256-GCM under scrypt (RFC 7914).
///
/// The PIN is not on the keys themselves, so it changes in one write.
struct PINLock: Codable, Sendable {
    private let v: Int
    private let n: Int
    private let r: Int
    private let p: Int
    private let salt: String
    private let sealed: String

    /// What trying one PIN costs.
    struct Cost: Sendable {
        /// scrypt's N, a power of two: memory is 1024 bytes times this.
        let rounds: Int

        /// 128 MiB and some tenths of a second for each guess.
        static let usual = Cost(rounds: 1 << 17)
    }

    /// Closes `key` with a PIN.
    init(_ key: SymmetricKey, pin: Redacted<String>, cost: Cost, random: RandomSource) throws(PhoneRefusal) {
        let salt = random.bytes(16)
        (v, n, r, p) = (1, cost.rounds, 8, 1)
        self.salt = Base64URL.encode(salt)
        let bytes = key.withUnsafeBytes { Array($0) }
        sealed = try SealedText.seal(
            bytes, under: Self.derive(pin, salt, n, r, p), for: Self.purpose(n, r, p, self.salt))
    }

    init(json: [UInt8]) throws(PhoneRefusal) {
        guard let read = try? JSONDecoder().decode(PINLock.self, from: Data(json)), read.v == 1,
            (1 << 10...1 << 20).contains(read.n), read.n.nonzeroBitCount == 1, read.r == 8, read.p == 1
        else { throw PhoneRefusal(.storeUnusable, "the store's lock cannot be read") }
        self = read
    }

    /// The key, if this is the PIN.
    func open(_ pin: Redacted<String>) throws(PhoneRefusal) -> SymmetricKey {
        guard let salt = Base64URL.decode(salt) else {
            throw PhoneRefusal(.storeUnusable, "the store's lock cannot be read")
        }
        let purpose = Self.purpose(n, r, p, self.salt)
        guard let bytes = try SealedText.open(sealed, under: Self.derive(pin, salt, n, r, p), for: purpose) else {
            throw PhoneRefusal(.pinWrong, "that is not the PIN; nothing was sent")
        }
        return SymmetricKey(data: bytes)
    }

    func json() throws(PhoneRefusal) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(self))
        } catch {
            throw PhoneRefusal(.storeUnusable, "the store's lock cannot be written")
        }
    }

    private static func purpose(_ n: Int, _ r: Int, _ p: Int, _ salt: String) -> String {
        "drawbridge-phone lock 1\n\(n)\n\(r)\n\(p)\n\(salt)"
    }

    private static func derive(
        _ pin: Redacted<String>, _ salt: [UInt8], _ n: Int, _ r: Int, _ p: Int
    ) throws(PhoneRefusal) -> SymmetricKey {
        do {
            return try KDF.Scrypt.deriveKey(
                from: Array(pin.expose().utf8), salt: salt, outputByteCount: 32, rounds: n, blockSize: r, parallelism: p
            )
        } catch {
            throw PhoneRefusal(.storeUnusable, "no key can be made of the PIN: not enough memory?")
        }
    }
}

/// AES-256-GCM, as base64url of nonce, text and tag.
enum SealedText {
    /// - Parameter purpose: what it is and whose; opens for nothing else.
    static func seal(_ bytes: [UInt8], under key: SymmetricKey, for purpose: String) throws(PhoneRefusal) -> String {
        guard let box = try? AES.GCM.seal(bytes, using: key, authenticating: Data(purpose.utf8)),
            let combined = box.combined
        else { throw PhoneRefusal(.storeUnusable, "the key cannot be sealed") }
        return Base64URL.encode(combined)
    }

    /// - Returns: `nil` when the key is another, or something was changed.
    static func open(_ text: String, under key: SymmetricKey, for purpose: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
        return try? Array(AES.GCM.open(box, using: key, authenticating: Data(purpose.utf8)))
    }
}
