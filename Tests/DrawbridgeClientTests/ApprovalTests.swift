import DrawbridgeClient
import Foundation
import Testing

/// The app as the phone that signs a computer's browser in.
@Suite struct ApprovalTests {
    private static let id = "AAAAAAAAAAAAAAAAAAAAAA"
    private static let link = "\(FakeProvider.issuer)/x/\(id)"
    private let device = Device()

    private func prepare(refresh: String? = "rt_1") async throws -> Drawbridge {
        try await device.signIn(try device.app(), refresh: refresh)
        await device.provider.answer(
            "/api/xd/\(Self.id)/scan",
            .json([
                "origin": FakeProvider.issuer, "browser": "Firefox", "system": "Windows", "network": "203.0.113.0/24",
                "same_network": false, "known_browser": true, "age": 7, "txn": "t1", "expires_in": 113,
            ]))
        await device.provider.answer(
            "/api/xd/\(Self.id)/approve", .json(["confirm_code": "482913", "expires_in": 60]))
        await device.provider.answer("/api/xd/\(Self.id)/deny", ClientAnswer(status: 204))
        return try device.app()
    }

    private func sent(_ step: String) async throws -> [String: String] {
        let request = try #require(await device.provider.asked("/api/xd/\(Self.id)/\(step)").first)
        return try JSONDecoder().decode([String: String].self, from: Data(request.body.utf8))
    }

    @Test func `a scanned link is described, approved, and answered with digits`() async throws {
        let digits = try await prepare().approveSignIn(link: Self.link) { asking in
            asking.browser == "Firefox" && asking.system == "Windows" && asking.network == "203.0.113.0/24"
                && !asking.isSameNetwork && asking.isKnownBrowser && asking.age == 7 ? .approve : .report
        }
        #expect(digits?.digits.expose() == "482913")
        #expect(digits?.expiresIn == 60)
        #expect(try await sent("approve") == ["txn": "t1"])
    }

    @Test func `an approval is made with a fresh token`() async throws {
        let app = try await prepare()
        _ = try await app.approveSignIn(link: Self.link) { _ in .approve }
        let scan = try #require(await device.provider.asked("/api/xd/\(Self.id)/scan").first)
        let approval = try #require(await device.provider.asked("/api/xd/\(Self.id)/approve").first)
        #expect(await device.provider.asked("/token").last?.form["grant_type"] == "refresh_token")
        #expect(scan.bearer != nil && approval.bearer != nil)
    }

    @Test func `an app without a refresh token lets a computer in, and links a key, with what it has`() async throws {
        let app = try await prepare(refresh: nil)
        await device.provider.answer("/api/xd/code", .json(["code": "123456", "expires_in": 60]))
        await device.provider.answer(
            "/api/self-issued/link-nonce",
            .json(["nonce": "n1", "aud": "a1", "client_id": "c1", "link_code": "l1", "expires_in": 300]))
        await device.provider.answer("/api/self-issued/links", .json(["thumbprint": "k1"], status: 201))
        let approved = try await app.approveSignIn(link: Self.link) { _ in .approve }
        let shown = try await app.signInDigits()
        let linked = try await app.linkPhoneKey { _ in Redacted("proof") }
        #expect(approved?.digits.expose() == "482913")
        #expect(shown.digits.expose() == "123456")
        #expect(linked == "k1")
        #expect(await device.provider.asked("/token").count == 1)
    }

    @Test func `a no is told, and a report too, and neither gives digits`() async throws {
        let app = try await prepare()
        #expect(try await app.approveSignIn(link: Self.link) { _ in .decline } == nil)
        #expect(try await sent("deny") == ["txn": "t1"])
        #expect(try await app.approveSignIn(link: Self.link) { _ in .report } == nil)
        let last = try #require(await device.provider.asked("/api/xd/\(Self.id)/deny").last)
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(last.body.utf8)) == ["txn": "t1", "report": "1"])
        #expect(await device.provider.asked("/api/xd/\(Self.id)/approve").isEmpty)
    }

    @Test(arguments: [
        "https://evil.example/x/AAAAAAAAAAAAAAAAAAAAAA", "https://id.example.com.evil.example/x/AAAAAAAAAAAAAAAAAAAAAA",
        "http://id.example.com/x/AAAAAAAAAAAAAAAAAAAAAA", "https://id.example.com/x/short",
        "https://id.example.com/x/../api/xd/code?AAAAA", "https://id.example.com/x/AAAAAAAAAAAAAAAAAAAAA/",
        "https://id.example.com@evil.example/x/AAAAAAAAAAAAAAAAAAAAAA", "",
    ])
    func `attack: a link of another place is not followed, and no token leaves`(_ link: String) async throws {
        let app = try await prepare()
        let before = await device.provider.requests.count
        await #expect(throws: ClientError.self) { try await app.approveSignIn(link: link) { _ in .approve } }
        #expect(await device.provider.requests.count == before)
    }

    @Test func `letters are looked up first`() async throws {
        let app = try await prepare()
        await device.provider.answer("/api/xd/by-code", .json(["id": Self.id, "link": Self.link, "expires_in": 100]))
        let digits = try await app.approveSignIn(letters: "bcdf ghjk") { _ in .approve }
        #expect(digits?.digits.expose() == "482913")
        let asked = try #require(await device.provider.asked("/api/xd/by-code").first)
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(asked.body.utf8)) == ["user_code": "bcdf ghjk"])
    }

    @Test func `another phone was first`() async throws {
        let app = try await prepare()
        await device.provider.answer("/api/xd/\(Self.id)/scan", .refusal("already_scanned"))
        let error = await #expect(throws: ClientError.self) {
            try await app.approveSignIn(link: Self.link) { _ in .approve }
        }
        #expect(error == .refused(OAuthRefusal(code: "already_scanned", explanation: "because", requestID: "r1")))
    }

    @Test func `digits can be shown for a computer whose code cannot be scanned, and print as nothing`() async throws {
        let app = try await prepare()
        await device.provider.answer("/api/xd/code", .json(["code": "123456", "expires_in": 60]))
        let digits = try await app.signInDigits()
        #expect(digits.digits.expose() == "123456")
        #expect(!"\(digits)".contains("123456"))
    }
}
