import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Sessions that grow over every edge, and end.
private struct LineageReplay: ModelReplay {
    private static let hour = Duration.seconds(3600)
    private static let words = [Scope.openID, "profile", Scope.offlineAccess, Scope.deviceSSO]

    private let storage: any BridgeStorage
    /// In the order in which they were opened; the model counts from one.
    private var webs: [Int: WebSession] = [:]
    private var apps: [Int: AppSession] = [:]
    private var count = 0

    init(_ service: Service) { storage = service.storage }

    private static func id(_ number: Int) -> SessionID { SessionID(rawValue: "s\(number)") }
    private static func token(_ number: Int) -> TokenID { TokenID(rawValue: "t\(number)") }

    private static func scope(_ bits: Int) -> Scope {
        Scope(tokens: words.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element))
    }

    private func replaced(_ number: Int) -> ReplacedSession? {
        webs[number].map { ReplacedSession($0, by: "alice", origin: origin(), at: noon) }
    }

    mutating func take(_ step: ModelStep) async throws -> [Int]? {
        switch step.word {
        case "signin":
            count += 1
            let session = web(
                .signIn(
                    of: "alice", authentication: Authentication(time: noon, acr: "aal\(step[1])"), at: noon,
                    lifetime: Self.hour * 2))
            _ = try await storage.open(session, replacing: replaced(step[0]), events: [])
            webs[count] = session
            return [try await mask()]
        case "grant":
            count += 1
            let browser = try #require(webs[step[0]])
            try await open(
                browser.granted(Self.scope(step[1]), at: noon, lifetime: Self.hour * 4), grantedIn: browser.id)
            return try await facts(try #require(apps[count]).lineage)
        case "exchange":
            count += 1
            let parent = try #require(apps[step[0]])
            try await open(parent.exchanged(for: Self.scope(step[1]), at: noon, lifetime: Self.hour * 3))
            return try await facts(try #require(apps[count]).lineage)
        case "token":
            count += 1
            let parent = try #require(apps[step[0]])
            let session = web(
                .handedOver(
                    to: "alice", parent.authentication, session: parent.id,
                    issuedFrom: .own(parent, scope: parent.scope), at: noon, lifetime: Self.hour * 3),
                token: Self.token(count))
            return try await land(session, replacing: step[1])
        case "handoff":
            count += 1
            let portal = try #require(webs[step[0]])
            let session = web(
                .handedOver(
                    to: "alice", portal.authentication, session: portal.id, issuedFrom: .browser(portal), at: noon,
                    lifetime: Self.hour * 3),
                token: Self.token(count))
            return try await land(session, replacing: 0)
        case "approve":
            count += 1
            let parent = try #require(apps[step[0]])
            #expect(parent.lineage.mayApproveSignIn)
            let session = web(parent.approved(Self.scope(step[1]), at: noon, lifetime: Self.hour * 3))
            _ = try await storage.open(session, replacing: nil, events: [])
            webs[count] = session
            return try await facts(session.lineage)
        case "device":
            count += 1
            let browser = try #require(webs[step[0]])
            #expect(browser.isOwnSignIn)
            try await open(
                browser.grantedToDevice(Self.scope(step[1]), at: noon, lifetime: Self.hour * 4), grantedIn: browser.id)
            return try await facts(try #require(apps[count]).lineage)
        case "end", "replay", "signout":
            let root: EndingRoot =
                apps[step[0]] == nil ? .webSession(Self.id(step[0])) : .appSession(Self.id(step[0]))
            let extents: [String: Ending.Extent] = ["replay": .descendants, "signout": .signOut]
            _ = try await storage.end(
                root,
                Ending(at: noon, reason: .administrator, origin: origin(), extent: extents[step.word] ?? .everything))
            return [try await mask()]
        default:
            Issue.record("unknown step \(step.word)")
            return nil
        }
    }

    private func web(_ lineage: Lineage, token: TokenID? = nil) -> WebSession {
        WebSession(
            id: Self.id(count), secretDigest: "digest \(count)", lineage: lineage, clientID: website, appClientID: app,
            loginTokenID: token, createdAt: noon, idleLifetime: Self.hour * 9, lastSeenAt: noon)
    }

    /// A link of this session's token is opened, in a browser where that takes the place of another session, or of none.
    private mutating func land(_ session: WebSession, replacing number: Int) async throws -> [Int] {
        let token = IssuedLoginToken(
            id: try #require(session.loginTokenID), subject: "alice", clientID: app, issuedAt: noon,
            expiresAt: noon + .seconds(60))
        let outcome = try await storage.redeem(
            token, opening: session,
            use: LoginTokenUse(at: noon, sessionID: session.id, address: nil, userAgentDigest: nil),
            replacing: [replaced(number)].compactMap(\.self), events: [])
        #expect(outcome == .opened)
        webs[count] = session
        return try await facts(session.lineage)
    }

    private mutating func open(_ lineage: Lineage, grantedIn browser: SessionID? = nil) async throws {
        let session = AppSession(
            id: Self.id(count), lineage: lineage, clientID: app, browserSessionID: browser, createdAt: noon)
        let outcome = try await storage.open(session, refreshToken: nil, events: [])
        #expect(outcome == .opened)
        apps[count] = session
    }

    /// Scope, absolute end in hours, whether it was handed over, how strong, and who lives.
    private func facts(_ lineage: Lineage) async throws -> [Int] {
        let scope = lineage.scope ?? Self.scope(15)
        let bits = Self.words.enumerated().reduce(0) { $0 + (scope.contains($1.element) ? 1 << $1.offset : 0) }
        let hours = Int((lineage.expiresAt - noon) / Self.hour)
        let strength = lineage.authentication.acr == "aal2" ? 2 : 1
        return [bits, hours, lineage.mayBeHandedOn ? 0 : 1, strength, try await mask()]
    }

    private func mask() async throws -> Int {
        var mask = 0
        for number in 1...count {
            let endedAt =
                apps[number] == nil
                ? try await storage.session(id: Self.id(number))?.endedAt
                : try await storage.appSession(id: Self.id(number))?.endedAt
            if endedAt == nil { mask |= 1 << number }
        }
        return mask
    }
}

/// Contract §16: the service does what `model/lineage.pml` does.
@Suite struct LineageReplayTests {
    private func divergence(from trace: String) async throws -> String? {
        var found: String?
        try await withService { service async throws in
            var replay = LineageReplay(service)
            found = try await replay.divergence(from: trace)
        }
        return found
    }

    @Test func `each course of the model is the service's`() async throws {
        let traces = try ModelTraces.load().lineage
        #expect(traces.count >= 100)
        for trace in traces {
            let found = try await divergence(from: trace)
            #expect(found == nil, "\(found ?? "")")
        }
    }

    @Test func `a course with another outcome is noticed`() async throws {
        let trace = try #require(try ModelTraces.load().lineage.first { $0.contains("grant ") })
        #expect(try await divergence(from: planted(trace, at: "grant")) != nil)
    }
}
