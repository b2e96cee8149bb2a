import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Contract §16: nothing grows along an edge.
@Suite struct LineageTests {
    private static let strong = Authentication(time: noon - .seconds(60), acr: "aal2", amr: ["pwd", "otp", "mfa"])

    private func browser(lifetime: Duration = .seconds(43_200)) -> WebSession {
        WebSession(
            id: "browser", secretDigest: "d",
            lineage: .signIn(of: "alice", authentication: Self.strong, at: noon, lifetime: lifetime), clientID: website,
            createdAt: noon, idleLifetime: .seconds(600), lastSeenAt: noon)
    }

    private func appSession(_ lineage: Lineage, id: SessionID = "app") -> AppSession {
        AppSession(id: id, lineage: lineage, clientID: app, createdAt: noon)
    }

    private func claims(sid: SessionID? = "app", authentication: Authentication = Self.strong) -> LoginTokenClaims {
        LoginTokenClaims(
            issuer: "https://bridge.example", audience: website, subject: "alice", issuedAt: noon,
            expiresAt: noon + .seconds(60), id: "t", clientID: app, sessionID: sid, authentication: authentication,
            target: nil, binding: .none)
    }

    private func handedOff(from session: AppSession, scope: Scope? = nil) -> WebSession {
        WebSession(
            id: "web", secretDigest: "d",
            lineage: .redeeming(
                claims(), issuedFrom: .own(session, scope: scope ?? session.scope), at: noon,
                lifetime: .seconds(43_200)),
            clientID: website, appClientID: app, loginTokenID: "t", createdAt: noon, idleLifetime: .seconds(600),
            lastSeenAt: noon)
    }

    private let wide = Scope(tokens: [Scope.openID, "profile", "email", Scope.offlineAccess, Scope.deviceSSO])

    @Test func `§16.1: a grant inherits how its browser's session came to be, and hangs under it`() {
        let granted = browser().granted(wide, at: noon, lifetime: AppSession.defaultLifetime)
        #expect(granted.opening == .authorize && granted.parent == .granted(in: "browser"))
        let website = handedOff(from: appSession(granted))
        #expect(website.opening == .loginToken && website.parentID == "app")
        let party = website.granted(wide, at: noon, lifetime: AppSession.defaultLifetime)
        #expect(party.opening == .loginToken && party.parent == .granted(in: "web"))
        #expect(party.ancestry == [.authorize, .loginToken])
    }

    @Test func `§16.1: no edge gives another user, more strength, a younger sign-in, more scope or more time`() {
        let root = browser(lifetime: .seconds(600)).lineage
        let granted = browser(lifetime: .seconds(600))
            .granted(
                Scope(tokens: [Scope.openID, "profile"]), at: noon + .seconds(60), lifetime: AppSession.defaultLifetime)
        let second = appSession(granted).exchanged(
            for: wide, at: noon + .seconds(90), lifetime: AppSession.defaultLifetime)
        let view = appSession(second, id: "second")
            .exchanged(for: wide, at: noon + .seconds(90), lifetime: .seconds(43_200))
        let website = handedOff(from: appSession(granted))
        let party = website.granted(wide, at: noon + .seconds(100), lifetime: AppSession.defaultLifetime)
        for child in [granted, second, view, website.lineage, party] {
            #expect(child.subject == root.subject)
            #expect(child.authentication == root.authentication)
            #expect(child.expiresAt == root.expiresAt)
            #expect(child.scope.map { $0.isSubset(of: Scope(tokens: [Scope.openID, "profile"])) } == true)
        }
    }

    /// By another app's device secret, from a session of `app`.
    private func exchanged(_ session: AppSession, to client: ClientID) -> AppSession {
        AppSession(
            id: SessionID(rawValue: client.rawValue),
            lineage: session.exchanged(for: wide, at: noon, lifetime: AppSession.defaultLifetime), clientID: client,
            createdAt: noon)
    }

    @Test func `§16.1: every edge below an exchange keeps the apps that it came by`() {
        let first = appSession(browser().granted(wide, at: noon, lifetime: AppSession.defaultLifetime))
        let second = exchanged(first, to: "second")
        let third = exchanged(second, to: "third")
        #expect(first.lineage.appsAbove.isEmpty)
        #expect(second.lineage.appsAbove == [app])
        #expect(third.lineage.appsAbove == [app, "second"])
        let link = handedOff(from: third)
        let view = third.exchanged(for: wide, at: noon, lifetime: .seconds(600))
        #expect(link.lineage.appsAbove == [app, "second"])
        #expect(link.granted(wide, at: noon, lifetime: .seconds(600)).appsAbove == [app, "second"])
        #expect(third.approved(wide, at: noon, lifetime: .seconds(600)).appsAbove == [app, "second"])
        #expect(view.appsAbove == [app, "second", "third"])
    }

    @Test func `what is granted for longer than the browser's sign-in outlives it, from a sign-in alone`() {
        let all = wide.adding(Scope.admin)
        let offline = browser().granted(all, at: noon, lifetime: AppSession.defaultLifetime)
        #expect(offline.expiresAt == noon + AppSession.defaultLifetime)
        #expect(offline.scope?.contains(Scope.admin) == true)
        let party = handedOff(from: appSession(offline)).granted(all, at: noon, lifetime: AppSession.defaultLifetime)
        #expect(party.scope?.contains(Scope.offlineAccess) == false)
        #expect(party.scope?.contains(Scope.deviceSSO) == false)
        #expect(party.scope?.contains(Scope.admin) == false)
        #expect(party.expiresAt == noon + .seconds(43_200))
        #expect(!party.mayBeRenewed && offline.mayBeRenewed)
    }

    @Test func `a bearer that has less than its session hands on no more than it has`() {
        let session = appSession(browser().granted(wide, at: noon, lifetime: AppSession.defaultLifetime))
        let website = handedOff(from: session, scope: Scope(tokens: ["email"]))
        let party = website.granted(wide, at: noon, lifetime: AppSession.defaultLifetime)
        #expect(party.scope == Scope(tokens: [Scope.openID, "email"]))
    }

    @Test func `a bearer of another issuer is believed about the sign-in, and limited by nothing of ours`() {
        let foreign = Authentication(time: noon - .seconds(5), acr: "loa3", amr: ["hwk"])
        let lineage = Lineage.redeeming(
            claims(sid: "theirs", authentication: foreign), issuedFrom: .foreign, at: noon, lifetime: .seconds(600))
        #expect(lineage.authentication == foreign)
        #expect(lineage.expiresAt == noon + .seconds(600))
        #expect(!lineage.isOwnSignIn && !lineage.mayBeHandedOn)
    }

    @Test func `§16.2: only a sign-in at this very browser is one, and can be raised`() {
        let own = browser()
        #expect(own.lineage.isOwnSignIn)
        #expect(own.lineage.raised(to: Self.strong) != nil)
        let session = appSession(own.granted(wide, at: noon, lifetime: AppSession.defaultLifetime))
        for lineage in [
            session.lineage, handedOff(from: session).lineage,
            session.exchanged(for: wide, at: noon, lifetime: .seconds(60)),
        ] {
            #expect(!lineage.isOwnSignIn)
            #expect(lineage.raised(to: Self.strong) == nil)
        }
    }

    @Test(arguments: SessionOpening.allCases)
    func `§16.4: what was handed over anywhere above is not handed on`(_ opening: SessionOpening) {
        let isHandedOver = [.loginToken, .handOff, .deviceCode].contains(opening)
        func lineage(_ own: SessionOpening, above: Set<SessionOpening>) -> Lineage {
            Lineage(
                stored: "alice", opening: own, ancestry: above, parent: .none, scope: nil,
                authentication: Authentication(), expiresAt: noon)
        }
        #expect(lineage(opening, above: []).mayBeHandedOn == !isHandedOver)
        #expect(lineage(.tokenExchange, above: [.authorize, opening]).mayBeHandedOn == !isHandedOver)
    }

    @Test func `§16.3: a session that came by a link reaches its website and what the app may open`() throws {
        let session = handedOff(
            from: appSession(browser().granted(wide, at: noon, lifetime: AppSession.defaultLifetime)))
        var issuing = Client(
            id: app, name: "App", kind: .native, canIssueLoginTokens: true, mayReach: [website, "shop", "phone"])
        let clients = [
            Client(id: website, name: "Web", kind: .web), Client(id: "shop", name: "Shop", kind: .web),
            Client(id: "other", name: "Other", kind: .web), Client(id: "phone", name: "Phone", kind: .native),
        ]
        func reached() -> [String] {
            let directory = ClientDirectory(clients + [issuing], defaultTarget: nil)
            return clients.filter { session.reaches($0, in: directory) }.map(\.id.rawValue)
        }
        #expect(reached() == [website.rawValue, "shop"], "no native app, though the issuing one names it")
        // What the app loses its sessions lose too.
        issuing.mayReach = []
        #expect(reached() == [website.rawValue])
        let directory = ClientDirectory(clients, defaultTarget: nil)
        #expect(clients.allSatisfy { browser().reaches($0, in: directory) })
    }

    @Test func `§16.3: by an app that an exchange signed in a session reaches what each app above may open`() {
        let first = appSession(browser().granted(wide, at: noon, lifetime: AppSession.defaultLifetime))
        let second = exchanged(first, to: "second")
        let link = WebSession(
            id: "web", secretDigest: "d", lineage: handedOff(from: second).lineage, clientID: website,
            appClientID: second.clientID, createdAt: noon, idleLifetime: .seconds(600), lastSeenAt: noon)
        let websites = ["web", "shop", "bank"].map { Client(id: ClientID(rawValue: $0), name: $0, kind: .web) }
        var own = Client(id: "second", name: "Second", kind: .native, canIssueLoginTokens: true)
        own.mayReach = [website, "shop", "bank"]
        var above = Client(id: app, name: "First", kind: .native, canIssueLoginTokens: true)
        above.mayReach = [website, "shop"]
        func directory() -> ClientDirectory { ClientDirectory(websites + [own, above], defaultTarget: nil) }
        func reached() -> [String] { websites.filter { link.reaches($0, in: directory()) }.map(\.id.rawValue) }
        func opened() -> [String] {
            websites.filter { IssuingSession.own(second, scope: wide).appsAboveOpen($0, in: directory()) }
                .map(\.id.rawValue)
        }
        #expect(reached() == ["web", "shop"])
        #expect(opened() == ["web", "shop"])
        above.canIssueLoginTokens = false
        #expect(opened().isEmpty)
        above.mayReach = []
        #expect(reached() == ["web"], "its own website it has opened")
    }
}
