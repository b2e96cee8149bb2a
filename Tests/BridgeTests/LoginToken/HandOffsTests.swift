import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Contract §4.6.
@Suite struct HandOffsTests {
    private static let portal: ClientID = "portal"

    /// A portal's browser, and whom it asks.
    private struct Desk {
        let handOffs: HandOffs
        let session: WebSession

        init(_ service: Service, _ tries: any RecentTries) throws {
            var portal = Client(
                id: HandOffsTests.portal, name: "Portal", kind: .web, mayReach: [website],
                returnPaths: try ReturnPathPolicy(entries: ["/"], defaultPath: "/"))
            portal.isPortal = true
            service.clients.add(portal)
            session = WebSession(
                id: "browser", secretDigest: "d",
                lineage: .signIn(
                    of: "alice", authentication: Authentication(), at: noon, lifetime: .seconds(43_200)),
                clientID: portal.id, createdAt: noon, idleLifetime: .seconds(600), lastSeenAt: noon)
            handOffs = HandOffs(issuer: service.issuer, tries: tries)
        }

        func follow(_ website: ClientID = website, redirect: String? = nil) async throws -> Bool {
            let order = HandOffs.Request(
                website: website.rawValue, redirect: redirect.map { Array($0.utf8) },
                state: HandOffState(String(repeating: "n", count: 22)))
            guard
                case .link = try await handOffs.follow(.success(order), from: session, origin: origin())
            else { return false }
            return true
        }

        func send(unreadable flaw: OAuthError, fromPage: Bool) async throws {
            if fromPage {
                _ = try await handOffs.link(reading: { throw flaw }, from: session, origin: origin())
            } else {
                _ = try await handOffs.follow(.failure(flaw), from: session, origin: origin())
            }
        }
    }

    private static func address(landingAt path: String, more: String = "") -> String {
        let state = String(repeating: "n", count: 22)
        return "\(HandOffs.path)?client_id=shop&state=\(state)&redirect=\(PercentEncoding.encode(path))\(more)"
    }

    private static let longPaths: [String] = [
        "/" + text("a", 999), "/" + text("a", 1_023), text("/a", 512), "/a?" + text("%D0%91", 170),
    ]

    private static func text(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: count) }

    @Test(arguments: longPaths)
    func `a path to land on keeps its 1,024 bytes on the way by the sign-in page`(_ path: String) {
        let address = Self.address(landingAt: path)
        #expect(address.utf8.count > ReturnPath.maximumLength)
        #expect(HandOffs.checked(address) == address)
    }

    private static let otherAddresses: [String] = [
        address(landingAt: "/\(text("a", 1_024))"),
        address(landingAt: "/a", more: "&x=\(text("a", HandOffs.maximumLength))"),
        address(landingAt: "/a", more: "&redirect=%2Fb"), address(landingAt: "/a", more: "#b"),
        "https://evil.example\(address(landingAt: "/a"))", "/\(address(landingAt: "/a"))", HandOffs.path,
        "\(HandOffs.path)/..?redirect=%2Fa", "\(HandOffs.path)s?redirect=%2Fa", "\(HandOffs.path)?redirect=%2Fa%0A",
    ]

    @Test(arguments: otherAddresses)
    func `whatever else a sign-in is to lead to is no hand-off`(_ address: String) {
        #expect(HandOffs.checked(address) == nil)
    }

    @Test func `a second try is stuck for ten seconds after the first, not for more, and is recorded`() async throws {
        try await withService { service async throws in
            let desk = try Desk(service, InProcessRecentTries(time: service.clock.source))
            #expect(try await desk.follow())
            service.clock.advance(.milliseconds(9_999))
            #expect(try await !desk.follow())
            #expect(try await service.events().last == "login_token.refused hand_off_stuck")
            service.clock.advance(.milliseconds(1))
            #expect(try await desk.follow())
            service.clock.advance(.seconds(11))
            #expect(try await desk.follow())
        }
    }

    @Test func `what cannot be read counts as an issue, and is recorded`() async throws {
        try await withService { service async throws in
            let desk = try Desk(service, InProcessRecentTries(time: service.clock.source))
            for number in 1...5 {
                let error = await #expect(throws: OAuthError.self) {
                    try await desk.send(unreadable: OAuthError(.invalidRequest), fromPage: number > 3)
                }
                #expect(error?.code == .invalidRequest)
                #expect(try await service.events().last == "login_token.refused invalid_request")
            }
            let error = await #expect(throws: OAuthError.self) { try await desk.follow() }
            #expect(error?.code == .rateLimited)
        }
    }

    @Test func `a try that was refused, or over a limit, is none`() async throws {
        try await withService { service async throws in
            let desk = try Desk(service, InProcessRecentTries(time: service.clock.source))
            await #expect(throws: OAuthError.self) { try await desk.follow(redirect: "//evil.example") }
            await #expect(throws: OAuthError.self) { try await desk.follow("unreachable") }
            #expect(try await desk.follow())
            // The burst of a device is five: two refusals and one link are gone.
            for _ in 0..<2 { #expect(try await !desk.follow()) }
            service.clock.advance(.seconds(10))
            let error = await #expect(throws: OAuthError.self) { try await desk.follow() }
            #expect(error?.code == .rateLimited)
            service.clock.advance(.seconds(60))
            #expect(try await desk.follow(), "not stuck by the try that the limit refused")
        }
    }
}
