import OAuth2
import Testing

@testable import Bridge

/// Contract §16: what may end everything of a user.
@Suite struct EndingEverythingTests {
    private static let scope = Scope(tokens: [Scope.openID, Scope.deviceSSO])

    private static func session(_ number: Int, _ lineage: Lineage, of client: ClientID = "own") -> AppSession {
        AppSession(id: SessionID(rawValue: "\(number)"), lineage: lineage, clientID: client, createdAt: noon)
    }

    /// As many sessions of the operator's own app, each by the device secret of the one before, and a web view's below.
    private static func web(below count: Int, first: ClientID = "own") -> (view: WebSession, above: [AppSession]) {
        let signIn = Lineage.signIn(
            of: "alice", authentication: Authentication(time: noon), at: noon, lifetime: .seconds(600))
        var last = session(1, signIn, of: first)
        var apps = [last]
        for number in 1..<count {
            last = session(number + 1, last.exchanged(for: scope, at: noon, lifetime: .seconds(600)))
            apps.append(last)
        }
        let view = WebSession(
            id: "view", secretDigest: "d",
            lineage: last.exchanged(for: scope, at: noon, lifetime: .seconds(600)), clientID: "web", createdAt: noon,
            idleLifetime: .seconds(600), lastSeenAt: noon)
        return (view, apps)
    }

    private static func refusal(
        _ chain: (view: WebSession, above: [AppSession])
    ) async throws -> RefusalReason? {
        var own = Client(id: "own", name: "Own", kind: .native)
        own.isFirstParty = true
        let other = Client(id: "other", name: "Other", kind: .native)
        let apps = chain.above
        let rule = EndingEverything(
            clients: ClientDirectory([own, other], defaultTarget: nil), webSession: { _ in nil },
            appSession: { id in apps.first { $0.id == id } })
        return try await rule.refusal(in: chain.view)
    }

    @Test(arguments: [(1, "own", true), (3, "own", true), (1, "other", false), (3, "other", false)])
    func `a web view may what each app may that it came by`(count: Int, first: String, may: Bool) async throws {
        let refusal = try await Self.refusal(Self.web(below: count, first: ClientID(rawValue: first)))
        #expect(refusal == (may ? nil : .clientWithoutRight))
    }

    @Test func `a chain of exchanges without end is refused, not followed`() async throws {
        let longest = EndingEverything.longestChain
        let atLimit = try await Self.refusal(Self.web(below: longest))
        #expect(atLimit == nil)
        let beyond = try await Self.refusal(Self.web(below: longest + 1))
        #expect(beyond == .clientWithoutRight)
    }
}
