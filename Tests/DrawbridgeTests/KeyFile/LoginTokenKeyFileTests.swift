import Bridge
import Foundation
import Testing

@testable import drawbridge

/// The first version's file, as `Tests/EndToEnd/first_version` has one.
@Suite struct LoginTokenKeyFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let text = """
        {"format": "drawbridge-login-token-keys-v1", "keys": [
          {"kid": "a", "created_at": "2026-11-22T11:00:11.977Z", "signs_from": "2026-11-22T11:00:11.977Z",
           "retires_at": "2026-11-22T11:01:15.673Z", "secret": "3vgwR6RrseeY_GYSGgiwertu6gdCUUqq7TCd_pwJewM"},
          {"kid": "b", "created_at": "2026-11-22T11:00:15.673Z", "signs_from": "2026-11-22T11:00:15.673Z",
           "secret": "AdxBLPmdrza7sZgTbLCZZwOuDjcwB4xlMQodf6B048w"}]}
        """

    @Test func `its keys are read with their times`() throws {
        let keys = try #require(try LoginTokenKeyFile.read(try folder.file("keys.json", Self.text)))
        #expect(keys.map(\.id) == ["a", "b"])
        #expect(keys.map { $0.secret.expose().count } == [32, 32])
        #expect(keys.map(\.signsFrom.rfc3339) == ["2026-11-22T11:00:11.977Z", "2026-11-22T11:00:15.673Z"])
        #expect(keys.map { $0.retiresAt?.rfc3339 } == ["2026-11-22T11:01:15.673Z", nil])
    }

    @Test func `there need be none`() throws {
        #expect(try LoginTokenKeyFile.read(folder.path + "/none.json") == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func `a file that others can read is refused`(_ mode: Int) throws {
        let path = try folder.file("keys.json", Self.text, mode: mode)
        #expect(throws: PrivateFileError.readableByOthers(path, mode: UInt32(mode))) {
            try LoginTokenKeyFile.read(path)
        }
    }

    @Test(arguments: [
        "", "{}", #"{"format":"other","keys":[]}"#,
        #"{"format":"drawbridge-login-token-keys-v1","keys":[{"kid":"a","signs_from":"x","secret":""}]}"#,
        text.replacing("3vgw", with: ""), text.replacing(#""kid": "b""#, with: #""kid": "a""#),
        text.replacing("11:01:15.673Z", with: "soon"),
    ])
    func `a file that is not whole is refused without quoting it`(_ text: String) throws {
        let error = #expect(throws: LoginTokenKeyFileError.self) {
            try LoginTokenKeyFile.keys(json: Array(text.utf8), path: "keys.json")
        }
        #expect(error?.description.hasPrefix("keys.json ") == true)
        #expect(error?.description.contains("RrseeY") == false)
    }
}
