import Crypto
public import Foundation

/// Keeps each website's key in a file of its own that only this user may read, under a PIN when there is one.
public struct FileKeyStore: KeyStore {
    private static let lockName = "lock.json"
    private static let suffix = ".key"

    private let folder: PrivateFolder
    private let pin: @Sendable () async -> Redacted<String>?
    private let cost: PINLock.Cost
    private let random: RandomSource

    /// - Parameters:
    ///   - folder: made on the first write, with mode 0700; one that is there must have no other.
    ///   - pin: asked when one is set and a key is used; `nil` when no answer comes.
    public init(folder: URL, pin: @escaping @Sendable () async -> Redacted<String>?) {
        self.init(folder: folder, cost: .usual, random: .system, pin: pin)
    }

    init(
        folder: URL, cost: PINLock.Cost, random: RandomSource, pin: @escaping @Sendable () async -> Redacted<String>?
    ) {
        self.folder = PrivateFolder(folder)
        self.cost = cost
        self.random = random
        self.pin = pin
    }

    /// As ``KeyStore/holds(_:)`` says.
    public func holds(_ website: Website) async throws(PhoneRefusal) -> Bool {
        try file(of: website.description) != nil
    }

    /// As ``KeyStore/key(of:)`` says. The PIN is asked also for a key that is not under it yet.
    public func key(of website: Website) async throws(PhoneRefusal) -> PhoneKey? {
        guard let file = try file(of: website.description) else { return nil }
        return try file.key(lock: try await unlock())
    }

    /// As ``KeyStore/keep(_:for:at:)`` says.
    public func keep(_ key: PhoneKey, for website: Website, at now: Int64) async throws(PhoneRefusal) -> PhoneKey {
        let lock = try await unlock()
        let name = website.description
        let file = try KeyFile(key, website: name, created: now, lock: lock)
        if try folder.write(file.json(), to: Self.fileName(name), replacing: false) { return key }
        guard let winner = try self.file(of: name) else {
            throw PhoneRefusal(.storeUnusable, "the key of \(name) came and went")
        }
        return try winner.key(lock: lock)
    }

    /// Every key, in the order of websites. Passes over files that cannot be read: ``unreadable()`` says which.
    public func list() throws(PhoneRefusal) -> [KeptKey] {
        try readAll().files.map(\.kept).sorted { $0.website < $1.website }
    }

    /// Why ``list()`` passes over files, each named.
    public func unreadable() throws(PhoneRefusal) -> [PhoneRefusal] { try readAll().refusals }

    /// What may be shown of a website's key, without asking for a PIN; `nil` when there is none.
    public func kept(_ website: Website) throws(PhoneRefusal) -> KeptKey? {
        try file(of: website.description)?.kept
    }

    /// Removes a key: to that website its owner is a new person from now on.
    /// - Returns: whether there was one.
    public func forget(_ website: Website) throws(PhoneRefusal) -> Bool {
        _ = try folder.names()
        return try folder.remove(Self.fileName(website.description))
    }

    /// Sets the PIN, or changes it. A caller that breaks off in the middle calls it again.
    /// - Throws: also when a key cannot be read: it would stay without the PIN. Nothing is changed then.
    public func setPIN(_ new: Redacted<String>) async throws(PhoneRefusal) {
        _ = try files()
        let lock = try await unlock() ?? SymmetricKey(data: random.bytes(32))
        try folder.write(
            try PINLock(lock, pin: new, cost: cost, random: random).json(), to: Self.lockName, replacing: true)
        try rewrite(from: lock, to: lock)
    }

    /// Takes the PIN off: keys first, the lock last.
    public func removePIN() async throws(PhoneRefusal) {
        guard let lock = try await unlock() else { return }
        try rewrite(from: lock, to: nil)
        try folder.remove(Self.lockName)
    }

    private func rewrite(from old: SymmetricKey, to new: SymmetricKey?) throws(PhoneRefusal) {
        for file in try files() where file.isSealed != (new != nil) {
            let moved = try KeyFile(
                try file.key(lock: old), website: file.website, created: file.created, lock: new)
            try folder.write(moved.json(), to: Self.fileName(file.website), replacing: true)
        }
    }

    private func unlock() async throws(PhoneRefusal) -> SymmetricKey? {
        guard let json = try folder.read(Self.lockName) else { return nil }
        let lock = try PINLock(json: json)
        guard let pin = await pin() else {
            throw PhoneRefusal(.pinNeeded, "the keys are under a PIN; nothing was sent")
        }
        return try lock.open(pin)
    }

    private func file(of website: String) throws(PhoneRefusal) -> KeyFile? {
        try file(named: Self.fileName(website), of: website)
    }

    private func file(named name: String, of website: String?) throws(PhoneRefusal) -> KeyFile? {
        guard let json = try folder.read(name) else { return nil }
        return try KeyFile(json: json, path: folder.path(name), website: website)
    }

    private func files() throws(PhoneRefusal) -> [KeyFile] {
        let (files, refusals) = try readAll()
        if let first = refusals.first { throw first }
        return files
    }

    private func readAll() throws(PhoneRefusal) -> (files: [KeyFile], refusals: [PhoneRefusal]) {
        var files: [KeyFile] = []
        var refusals: [PhoneRefusal] = []
        for name in try folder.names() where name.hasSuffix(Self.suffix) {
            do throws(PhoneRefusal) {
                if let file = try file(named: name, of: nil) { files.append(file) }
            } catch let refusal {
                refusals.append(refusal)
            }
        }
        return (files, refusals)
    }

    /// A digest: no name of a website leads out of the folder, and none is read over a shoulder.
    private static func fileName(_ website: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(website.utf8))) + suffix
    }
}

extension KeyFile {
    var kept: KeptKey {
        KeptKey(
            website: website, algorithm: alg, thumbprint: thumbprint, jwk: jwk, createdAt: created, isSealed: isSealed)
    }
}
