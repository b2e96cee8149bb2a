import Bridge
import Foundation
import Testing

@testable import drawbridge

@Suite struct LoginTokenKeyFileTests {
    private let folder: TemporaryFolder
    private let start = Timestamp(seconds: 1_800_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func rotated(after delay: Duration = .zero) -> LoginTokenKeyFile {
        var file = LoginTokenKeyFile.initial(at: start, random: .system)
        _ = file.rotate(
            at: start + .seconds(100), activation: start + .seconds(100) + delay, tokenLifetime: .seconds(60),
            random: .system)
        return file
    }

    @Test func `what is written is read back, for its owner only`() throws {
        let path = folder.path + "/keys.json"
        let file = rotated()
        try file.write(path)
        let read = try LoginTokenKeyFile.read(path)
        #expect(read.entries.map(\.id) == file.entries.map(\.id))
        #expect(read.entries.map { $0.secret.expose() } == file.entries.map { $0.secret.expose() })
        #expect(read.entries.map(\.retiresAt) == file.entries.map(\.retiresAt))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys.json"])
    }

    @Test func `a file that is missing is named with the command that makes it`() {
        let path = folder.path + "/none.json"
        let error = #expect(throws: LoginTokenKeyFileError.self) { try LoginTokenKeyFile.read(path) }
        #expect(error?.description == "\(path) does not exist; make it with `drawbridge keys init`")
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func `a file that others can read is refused`(_ mode: Int) throws {
        let path = folder.path + "/keys.json"
        try rotated().write(path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(throws: PrivateFileError.readableByOthers(path, mode: UInt32(mode))) {
            try LoginTokenKeyFile.read(path)
        }
    }

    @Test func `an added key signs from its activation on, and the older one until then`() {
        let file = rotated(after: .seconds(300))
        #expect(file.signing(at: start + .seconds(399))?.id == file.entries[0].id)
        #expect(file.signing(at: start + .seconds(400))?.id == file.entries[1].id)
    }

    @Test func `an older key verifies until its last token has expired`() {
        let file = rotated(after: .seconds(300))
        #expect(file.entries[0].retiresAt == start + .seconds(460))
        #expect(!file.entries[0].isRetired(at: start + .milliseconds(459_999)))
        #expect(file.entries[0].isRetired(at: start + .seconds(460)))
        #expect(file.entries[1].retiresAt == nil)
    }

    @Test func `a rotation drops only keys whose tokens are all dead`() {
        var file = rotated()
        let first = file.entries[0].id
        var early = file
        let kept = early.rotate(
            at: start + .seconds(159), activation: start + .seconds(159), tokenLifetime: .seconds(60), random: .system)
        #expect(kept.dropped == [])
        #expect(early.entries.count == 3)
        let (_, dropped) = file.rotate(
            at: start + .seconds(160), activation: start + .seconds(160), tokenLifetime: .seconds(60), random: .system)
        #expect(dropped == [first])
        #expect(file.entries.count == 2)
    }

    @Test func `rotating again before the first rotation takes effect keeps the signing key alive`() {
        var file = rotated(after: .seconds(300))
        _ = file.rotate(
            at: start + .seconds(110), activation: start + .seconds(1000), tokenLifetime: .seconds(60), random: .system)
        for second in stride(from: 0, through: 2000, by: 10) {
            let now = start + .seconds(second)
            #expect(file.signing(at: now) != nil, "nothing signs after \(second) s")
        }
        #expect(file.entries[1].retiresAt == start + .seconds(1060))
    }

    @Test func `the listing says what each key does and no secret`() {
        let file = rotated(after: .seconds(300))
        let text = KeyListing(KeyOverview.all(in: file, at: start + .seconds(200))).text
        #expect(text.contains("\(file.entries[0].id)  login tokens  HS256  signing  "))
        #expect(text.contains("\(file.entries[1].id)  login tokens  HS256  waiting  "))
        for entry in file.entries {
            #expect(!text.contains(Data(entry.secret.expose()).base64EncodedString().prefix(10)))
        }
        #expect("\(file)".contains("<redacted>"))
    }

    @Test(arguments: [
        "", "{}", #"{"format":"other","keys":[]}"#,
        #"{"format":"drawbridge-login-token-keys-v1","keys":[{"kid":"a","created_at":"x","signs_from":"x","secret":""}]}"#,
    ])
    func `a file that is not whole is refused without quoting it`(_ text: String) throws {
        #expect(throws: LoginTokenKeyFileError.self) {
            try LoginTokenKeyFile(json: Array(text.utf8), path: "keys.json")
        }
    }
}
