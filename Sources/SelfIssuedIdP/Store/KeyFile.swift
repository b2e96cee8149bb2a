import Crypto
import Foundation

/// One website's key as its file holds it.
struct KeyFile: Codable {
    private let v: Int
    let website: String
    let alg: KeyAlgorithm
    let created: Int64
    let jwk: JSONValue
    /// ``PhoneKey/isOwnersChoice``; `nil` for no, as in files from before it was written down.
    private let chosen: Bool?
    /// The secret as it is, when the store has no PIN.
    private let secret: String?
    /// The secret, sealed under the lock's key.
    private let sealed: String?

    init(_ key: PhoneKey, website: String, created: Int64, lock: SymmetricKey?) throws(PhoneRefusal) {
        v = 1
        self.website = website
        alg = key.publicKey.algorithm
        self.created = created
        jwk = key.publicKey.members
        chosen = key.isOwnersChoice ? true : nil
        let bytes = key.secret.expose()
        secret = lock == nil ? Base64URL.encode(bytes) : nil
        let purpose = Self.purpose(website, alg, key.publicKey.thumbprint)
        if let lock { sealed = try SealedText.seal(bytes, under: lock, for: purpose) } else { sealed = nil }
    }

    /// - Parameters:
    ///   - path: for error messages: nothing else may identify a damaged file.
    ///   - website: whose file it should be: one that was copied to another's place is not taken.
    init(json: [UInt8], path: String, website: String?) throws(PhoneRefusal) {
        guard let read = try? JSONDecoder().decode(KeyFile.self, from: Data(json)), read.v == 1,
            website.map({ $0 == read.website }) ?? true, PublicKey(jwk: read.jwk)?.algorithm == read.alg,
            (read.secret == nil) != (read.sealed == nil)
        else {
            throw PhoneRefusal(.storeUnusable, "the key file \(path)\(website.map { " of \($0)" } ?? "") is damaged")
        }
        self = read
    }

    var isSealed: Bool { sealed != nil }
    var thumbprint: String { PublicKey(jwk: jwk)?.thumbprint ?? "" }

    func json() throws(PhoneRefusal) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        do {
            return Array(try encoder.encode(self)) + Array("\n".utf8)
        } catch {
            throw PhoneRefusal(.storeUnusable, "the key file of \(website) cannot be written")
        }
    }

    func key(lock: SymmetricKey?) throws(PhoneRefusal) -> PhoneKey {
        let bytes: [UInt8]?
        switch (secret, sealed, lock) {
        case (let secret?, nil, _): bytes = Base64URL.decode(secret)
        case (nil, let sealed?, let lock?):
            bytes = SealedText.open(sealed, under: lock, for: Self.purpose(website, alg, thumbprint))
        default: bytes = nil
        }
        guard let bytes, var key = PhoneKey(alg, secret: Redacted(bytes)), key.publicKey.thumbprint == thumbprint
        else { throw PhoneRefusal(.storeUnusable, "the key file of \(website) is damaged, or sealed by another lock") }
        key.isOwnersChoice = chosen ?? false
        return key
    }

    private static func purpose(_ website: String, _ algorithm: KeyAlgorithm, _ thumbprint: String) -> String {
        "drawbridge-phone key 1\n\(website)\n\(algorithm.rawValue)\n\(thumbprint)"
    }
}
