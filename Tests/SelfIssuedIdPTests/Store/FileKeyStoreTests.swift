import Foundation
import Synchronization
import Testing

@testable import SelfIssuedIdP

@Suite struct FileKeyStoreTests: ~Copyable {
    private let folder: URL
    private let website: Website

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        website = try #require(WebAddress("https://example.com/")).website
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func store(_ pin: String? = nil) -> FileKeyStore {
        FileKeyStore(folder: folder, cost: .init(rounds: 1024), random: .system) { pin.map { Redacted($0) } }
    }

    private func keyFile() throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return folder.appending(path: try #require(names.first { $0.hasSuffix(".key") }))
    }

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func setMode(_ mode: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path(percentEncoded: false))
    }

    @Test(arguments: KeyAlgorithm.allCases)
    func `a key is the same the next time`(_ algorithm: KeyAlgorithm) async throws {
        let key = try PhoneKey(algorithm)
        #expect(try await !store().holds(website))
        #expect(try await store().key(of: website) == nil)
        _ = try await store().keep(key, for: website, at: 1)
        #expect(try await store().holds(website))
        #expect(try await store().key(of: website)?.publicKey.text == key.publicKey.text)
        #expect(try store().list().map(\.website) == ["https://example.com"])
    }

    @Test(arguments: [false, true])
    func `whether its owner chose a key's kind is kept with it, under a PIN too`(isChosen: Bool) async throws {
        var key = try PhoneKey(.es256)
        key.isOwnersChoice = isChosen
        _ = try await store().keep(key, for: website, at: 1)
        #expect(try await store().key(of: website)?.isOwnersChoice == isChosen)
        try await store().setPIN(Redacted("2468"))
        #expect(try await store("2468").key(of: website)?.isOwnersChoice == isChosen)
    }

    @Test func `nobody else may read a key, nor enter its folder`() async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        #expect(try mode(folder) == 0o700)
        #expect(try mode(keyFile()) == 0o600)
    }

    @Test func `of first writes at once none finds the folder open to others`() async throws {
        let (store, website) = (store(), website)
        for _ in 0..<100 {
            let kept = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await store.keep(PhoneKey(.es256), for: website, at: 1).publicKey.text }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(kept.count == 1)
            try FileManager.default.removeItem(at: folder)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o602])
    func `a key that others could take is not used`(_ mode: Int) async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        try setMode(mode, keyFile())
        let phone = Phone(store: store())
        #expect(await phone.refusal() == .storeOpenToOthers)
        #expect(phone.consent.asked.isEmpty)
    }

    @Test func `a folder that others may enter is not used`() async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        try setMode(0o755, folder)
        #expect(await Phone(store: store()).refusal() == .storeOpenToOthers)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"), arguments: [true, false])
    func `what another account owns is not used, whatever its mode`(isFolder: Bool) async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        let place = try isFolder ? folder : keyFile()
        try #require(chown(place.path(percentEncoded: false), 12_345, gid_t.max) == 0)
        #expect(await Phone(store: store()).refusal() == .storeOpenToOthers)
    }

    @Test func `a link in the place of a key is not followed`() async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        let file = try keyFile()
        let elsewhere = folder.appending(path: "elsewhere")
        try FileManager.default.moveItem(at: file, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
        #expect(await Phone(store: store()).refusal() == .storeUnusable)
    }

    @Test func `of two first visits at once one key stays`() async throws {
        let first = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        let second = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        #expect(first.publicKey.thumbprint == second.publicKey.thumbprint)
    }

    @Test func `a key put in another website's place is not taken`() async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        let mine = try keyFile()
        let bytes = try Data(contentsOf: mine)
        let other = try #require(WebAddress("https://other.example/")).website
        _ = try await store().keep(PhoneKey(.es256), for: other, at: 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        for name in names where !mine.path.hasSuffix(name) { try bytes.write(to: folder.appending(path: name)) }
        await #expect(throws: PhoneRefusal.self) { try await store().key(of: other) }
    }

    @Test func `forgetting makes somebody new`() async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        #expect(try store().forget(website))
        #expect(try !store().forget(website))
        #expect(try await store().key(of: website) == nil)
    }

    @Test func `of a file that is damaged the others are no part, and words say which it is`() async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        let damaged = try keyFile()
        try Data("{".utf8).write(to: damaged)
        let other = try #require(WebAddress("https://other.example/")).website
        _ = try await store().keep(PhoneKey(.es256), for: other, at: 2)
        #expect(try store().list().map(\.website) == ["https://other.example"])
        #expect(try store().kept(other)?.createdAt == 2)
        let words = try store().unreadable().map(\.words)
        #expect(words == ["the key file \(damaged.path(percentEncoded: false)) is damaged"])
        await #expect(throws: PhoneRefusal.self) { try await store().setPIN(Redacted("2468")) }
        _ = try store().forget(website)
        #expect(try store().unreadable().isEmpty)
        #expect(try await store().key(of: other) != nil, "no PIN was set")
    }

    @Test func `under a PIN the key is not in the file`() async throws {
        let key = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        try await store().setPIN(Redacted("2468"))
        let text = try String(contentsOf: keyFile(), encoding: .utf8)
        #expect(!text.contains(Base64URL.encode(key.secret.expose())))
        #expect(try store().list().map(\.isSealed) == [true])
        #expect(try await store("2468").key(of: website)?.publicKey.text == key.publicKey.text)
    }

    @Test func `a wrong PIN opens nothing and sends nothing`() async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        try await store().setPIN(Redacted("2468"))
        let phone = Phone(store: store("1357"))
        #expect(await phone.refusal() == .pinWrong)
        #expect(phone.website.posts.isEmpty)
        #expect(await Phone(store: store()).refusal() == .pinNeeded)
    }

    @Test func `a new key goes under the PIN at once`() async throws {
        try await store().setPIN(Redacted("2468"))
        _ = try await store("2468").keep(PhoneKey(.es256), for: website, at: 1)
        #expect(try store().list().map(\.isSealed) == [true])
        #expect(await Phone(store: store("1357")).refusal() == .pinWrong)
    }

    @Test func `the PIN changes, and comes off`() async throws {
        let key = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        try await store().setPIN(Redacted("2468"))
        await #expect(throws: PhoneRefusal.self) { try await store("1357").setPIN(Redacted("9999")) }
        try await store("2468").setPIN(Redacted("8642"))
        await #expect(throws: PhoneRefusal.self) { try await store("2468").key(of: website) }
        try await store("8642").removePIN()
        #expect(try await store().key(of: website)?.publicKey.text == key.publicKey.text)
    }

    @Test func `a setting of the PIN that broke off is finished by the next one`() async throws {
        let key = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        let plain = try Data(contentsOf: keyFile())
        try await store().setPIN(Redacted("2468"))
        try plain.write(to: keyFile())
        #expect(await Phone(store: store("1357")).refusal() == .pinWrong, "the PIN is asked for plain keys as well")
        #expect(try await store("2468").key(of: website)?.publicKey.text == key.publicKey.text)
        try await store("2468").setPIN(Redacted("2468"))
        #expect(try store().list().map(\.isSealed) == [true])
    }

    @Test(
        arguments: [
            ("n", 1 << 21), ("n", 1 << 9), ("n", 3000), ("r", 9), ("p", 2), ("v", 2),
        ] as [(String, Int64)])
    func `a lock that would cost more than ours, or less, is refused before the PIN is asked`(
        _ member: String, _ value: Int64
    ) async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        try await store().setPIN(Redacted("2468"))
        let file = folder.appending(path: "lock.json")
        var members = try #require(JSONValue(json: try Data(contentsOf: file))?.members)
        #expect(members[member] != nil)
        members[member] = .integer(value)
        try Data(JSONValue.object(members).text.utf8).write(to: file)
        let guarded = FileKeyStore(folder: folder, cost: .init(rounds: 1024), random: .system) {
            Issue.record("the PIN is asked")
            return nil
        }
        #expect(await Phone(store: guarded).refusal() == .storeUnusable)
    }

    @Test(arguments: ["jwk", "website", "sealed", "alg"])
    func `a sealed key that was changed does not open`(_ member: String) async throws {
        _ = try await store().keep(PhoneKey(.es256), for: website, at: 1)
        try await store().setPIN(Redacted("2468"))
        let file = try keyFile()
        var members = try #require(JSONValue(json: try Data(contentsOf: file))?.members)
        switch member {
        case "jwk": members["jwk"] = try PhoneKey(.es256).publicKey.members
        case "alg": members["alg"] = "RS256"
        default: members[member] = .string((members[member]?.string ?? "") + "x")
        }
        try Data(JSONValue.object(members).text.utf8).write(to: file)
        await #expect(throws: PhoneRefusal.self) { try await store("2468").key(of: website) }
    }
}
