import OAuth2

/// Opens what ``SigningKeyMaker`` sealed, each key once.
struct SealedKeyOpener: Sendable {
    enum Opened: Sendable {
        case shared(Secret<[UInt8]>)
        case published(SigningKey)
    }

    private let master: MasterKey
    private var opened: [String: (sealedKey: String, key: Opened)] = [:]

    init(master: MasterKey) { self.master = master }

    /// - Throws: ``MasterKeyError`` for one that was sealed with another master key, is damaged, or is not the key that
    ///   its name says.
    mutating func open(_ sealed: SealedSigningKey) throws(MasterKeyError) -> Opened {
        if let known = opened[sealed.id], known.sealedKey == sealed.sealedKey { return known.key }
        let bytes: [UInt8]
        do throws(MasterKeyError) {
            bytes = try master.open(sealed.sealedKey, name: SigningKeyMaker.sealName(sealed.id, sealed.algorithm))
        } catch {
            throw MasterKeyError(name: sealed.id)
        }
        let key: Opened
        if let algorithm = sealed.algorithm.published {
            guard let pair = try? SigningKey(algorithm: algorithm, privateBytes: bytes), pair.id == sealed.id else {
                throw MasterKeyError(name: sealed.id)
            }
            key = .published(pair)
        } else {
            guard bytes.count >= SecretKey.shortestSecret else { throw MasterKeyError(name: sealed.id) }
            key = .shared(Secret(bytes))
        }
        opened[sealed.id] = (sealed.sealedKey, key)
        return key
    }

    mutating func forget(allBut ids: Set<String>) { opened = opened.filter { ids.contains($0.key) } }
}

extension SealedSigningKey {
    /// Whether it was sealed with this master key; whether it is in use is another question.
    package func isOpened(by master: MasterKey) -> Bool {
        var opener = SealedKeyOpener(master: master)
        return (try? opener.open(self)) != nil
    }
}
