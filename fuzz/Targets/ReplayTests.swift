import Foundation
import OAuth2
import Testing

@testable import Bridge

/// What the fuzzer kept, tried again: the inputs that reach every branch that it found, and those that broke a promise.
@Suite struct ReplayTests {
    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "corpus")

    private static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = corpora.appending(path: target)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted().map {
            ($0, Array(try Data(contentsOf: folder.appending(path: $0))))
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `no input that was kept breaks a promise`(_ name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Self.inputs(of: name)
        #expect(inputs.count >= 3)
        for input in inputs {
            let broken = await target.run(input.bytes)
            #expect(broken == nil, "\(input.name)")
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `no input that is cut or altered breaks a promise`(_ name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        for input in try Self.inputs(of: name).prefix(6) where input.bytes.count < 2048 {
            for index in stride(from: 0, to: input.bytes.count, by: 1 + input.bytes.count / 4) {
                var altered = input.bytes
                altered[index] ^= 0x20
                #expect(await target.run(altered) == nil, "\(input.name) at \(index)")
                #expect(await target.run(Array(input.bytes[..<index])) == nil, "\(input.name) up to \(index)")
            }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `no input that is near to those that were kept breaks a promise`(_ name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        var neighbours = Neighbours(try Self.inputs(of: name).map(\.bytes), seed: 1)
        for _ in 0..<2000 {
            let input = neighbours.next()
            let broken = await target.run(input)
            #expect(broken == nil, "\(Base64URL.encode(input))")
        }
    }

    @Test func `neighbours are the same for the same seed, and others for another`() {
        func first(_ seed: UInt64) -> [[UInt8]] {
            var neighbours = Neighbours([Array("abc=1".utf8), Array("{}".utf8)], seed: seed)
            return (0..<100).map { _ in neighbours.next() }
        }
        #expect(first(1) == first(1))
        #expect(first(1) != first(2))
        #expect(Set(first(1)).count > 50)
    }

    @Test func `every corpus has a target, and all together measure two megabytes at most`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path(percentEncoded: false))
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        let size = try folders.flatMap { try Self.inputs(of: $0) }.reduce(0) { $0 + $1.bytes.count }
        #expect(size <= 2 << 20)
    }

    @Test(arguments: [
        ("/a/../b", "/b"), ("/a/%2e%2E/b", "/b"), ("/a/.", "/a/"), ("/a/..", "/"), ("\\a\\b", "/a/b"),
        ("/a\t/b", "/a/b"),
        ("/a b", "/a%20b"), ("/é", "/%C3%A9"), (" /a ", "/a"), ("/a/./b", "/a/b"), ("/a//b", "/a//b"),
    ])
    func `the second reading of a path mends as browsers do`(_ location: String, _ path: String) {
        #expect(BrowserPath(Array(location.utf8)).path == path)
    }

    @Test(arguments: ["//evil.example", "/\\evil.example", "\\/evil.example", "/\t/evil.example", " //evil.example"])
    func `the second reading of a path sees who leaves the host`(_ location: String) {
        #expect(BrowserPath(Array(location.utf8)).leavesHost)
        #expect(throws: ReturnPathRefusal.self) { try ReturnPath.parse(Array(location.utf8)).get() }
    }

    @Test func `a promise that does not hold is told`() async {
        let careless = FuzzTarget("careless") { input in
            BrowserPath(input).leavesHost ? "a browser goes elsewhere" : nil
        }
        #expect(await careless.run(Array("/\\evil.example".utf8)) == "a browser goes elsewhere")
        #expect(await careless.run(Array("/contacts".utf8)) == nil)
    }
}
