import Bridge
import OAuth2
import TestSupport

/// One tree of ``LineageTrees``, and what a reader of the rules thinks of it.
struct LineageTree {
    enum Kind: Hashable, Sendable { case browser, web, app, device, secret, code }

    struct Node: Sendable {
        let kind: Kind
        let id: String
        /// It ends with any of these.
        var parents: Set<Int> = []
        /// The browser's session that a grant was given in, and the one that it goes on under now.
        var origin: Int?
        var carrier: Int?
        var isOffline = false
        /// Whether a browser went on to it from another session, and so goes on with the one that takes that one's place.
        var isHandOff = false
        /// The device that an app is tied to.
        var device: Int?
        /// The app that a device's first secret was given to, or a further one.
        var givenTo: Int?
        var isReplaced = false
    }

    enum Plan: Sendable {
        case grant(in: Int, isOffline: Bool, isRedeemed: Bool)
        case device(of: Int)
        case secret(for: Int)
        case signInOnDevice(Int, in: Int)
        case exchangeForApp(by: Int)
        case exchangeForCookies(by: Int)
        case loginToken(by: Int, replacing: Int?)
        case handOff(by: Int)
        case signIn(replacing: Int)
    }

    let name: String
    let servers: [any BridgeStorage]
    var random: SplitMix64
    var nodes: [Node] = []

    private var subject: Subject { Subject(rawValue: name) }

    init(name: String, servers: [any BridgeStorage], random: SplitMix64) {
        self.name = name
        self.servers = servers
        self.random = random
    }

    /// Grows, ends one part while growing on, and looks.
    /// - Returns: whose clients must have been told.
    mutating func run() async throws -> Set<SessionID> {
        // Whose row is held by what must not come between.
        try await servers[0].addUser(subject, at: Sample.now)
        nodes.append(try await openBrowser(replacing: nil, number: 0))
        for _ in 0..<Int.random(in: 3...12, using: &random) {
            if let plan = plan() { try await carryOut(plan) }
        }
        let root =
            nodes.indices.filter { ![.code, .secret].contains(nodes[$0].kind) && !nodes[$0].isReplaced }
            .randomElement(using: &random) ?? 0
        let extent: Ending.Extent =
            switch (Int.random(in: 0..<4, using: &random), nodes[root].kind) {
            case (0...1, .browser): .signOut
            case (0...1, .app): .stolen
            case (2, _): .descendants
            default: .everything
            }
        let isEverything = extent == .everything && Int.random(in: 0..<6, using: &random) == 0
        let plans = (0..<4).compactMap { _ in plan(amidAnEnd: true) }
        let tree = self
        let ending = Ending.sample(at: Sample.now, extent: extent)
        let target: EndingRoot = isEverything ? .user(subject) : tree.root(root)
        let grown = try await withThrowingTaskGroup(of: Node?.self) { group in
            for (offset, plan) in plans.enumerated() {
                group.addTask { try await tree.make(plan, number: tree.nodes.count + offset) }
            }
            group.addTask {
                _ = try await tree.server(7).end(target, ending)
                return nil
            }
            return try await group.reduce(into: [Node]()) { if let node = $1 { $0.append(node) } }
        }
        nodes += grown
        // Those too that were granted amid the end: what was not refused came before it.
        let spared =
            extent == .signOut ? Set(nodes.indices.filter { nodes[$0].isOffline && nodes[$0].carrier == root }) : []
        var below =
            isEverything
            ? Set(nodes.indices)
            : closure(of: root, sparing: spared, takingInherited: extent != .descendants)
        if extent == .stolen { below.formUnion(devicesGiven(in: below)) }
        return try await expectEnded(below, spared: spared, isStolen: extent == .stolen)
    }

    private func root(_ index: Int) -> EndingRoot {
        let id = nodes[index].id
        return switch nodes[index].kind {
        case .browser, .web, .code: .webSession(SessionID(rawValue: id))
        case .app: .appSession(SessionID(rawValue: id))
        case .device, .secret: .device(DeviceSecretID(rawValue: id))
        }
    }

    // MARK: What ends with what

    private func closure(of root: Int, sparing spared: Set<Int>, takingInherited takesInherited: Bool) -> Set<Int> {
        var found: Set<Int> = [root]
        while true {
            let more = nodes.indices.filter { index in
                guard !found.contains(index), !spared.contains(index) else { return false }
                let node = nodes[index]
                // Only whoever ends a browser's session itself ends what it took over with it.
                let takenOver: Int? =
                    if node.isHandOff {
                        // Only a browser's own sign-in hands on: any other session took it over.
                        node.parents.first { nodes[$0].kind != .browser }
                    } else {
                        node.carrier == node.origin ? nil : node.carrier
                    }
                let parents = node.parents.filter { $0 != takenOver || (takenOver == root && takesInherited) }
                return !parents.isDisjoint(with: found)
            }
            guard !more.isEmpty else { return found }
            found.formUnion(more)
        }
    }

    /// The devices of which the first secret was given to an app that ended, and on which no other app is signed in.
    private func devicesGiven(in below: Set<Int>) -> [Int] {
        nodes.indices.filter { device in
            nodes[device].kind == .device && nodes[device].givenTo.map(below.contains) == true
                && nodes.indices.allSatisfy { nodes[$0].device != device || below.contains($0) }
        }
    }

    /// - Returns: whose clients must have been told.
    private func expectEnded(_ below: Set<Int>, spared: Set<Int>, isStolen: Bool) async throws -> Set<SessionID> {
        var told: Set<SessionID> = []
        for (index, node) in nodes.enumerated() {
            let what = "\(name): whether \(node.kind) \(index) is over, of \(nodes.map { ($0.kind, $0.parents) })"
            let isBelow = below.contains(index)
            switch node.kind {
            case .browser, .web:
                let session = try await servers[0].session(id: SessionID(rawValue: node.id))
                try expectEqual(session?.endedAt != nil, isBelow || node.isReplaced, what)
            case .app:
                let session = try await servers[0].appSession(id: SessionID(rawValue: node.id))
                try expectEqual(session?.endedAt != nil, isBelow, what)
                if let session, isBelow || spared.contains(index) { told.insert(session.id) }
            case .device:
                let device = try await servers[0].deviceSecret(id: DeviceSecretID(rawValue: node.id))
                try expectEqual(device?.revokedAt != nil, isBelow, what)
            case .secret:
                // Of a device that ended it is known still.
                let isTakenBack = isStolen && node.givenTo.map(below.contains) == true
                try expectEqual(try await servers[0].deviceSecret(digest: node.id) == nil, isTakenBack, what)
            case .code: try expectEqual(try await servers[0].code(digest: node.id) == nil, isBelow, what)
            }
        }
        return told
    }

    // MARK: Growing

    /// Something that can be done with what there is.
    /// - Parameter amidAnEnd: leaves out what moves things from one place to another, of which nobody could say what
    ///   came first.
    private mutating func plan(amidAnEnd: Bool = false) -> Plan? {
        let browsers = nodes.indices.filter { nodes[$0].kind == .browser && !nodes[$0].isReplaced }
        let webs = nodes.indices.filter { nodes[$0].kind == .web && !nodes[$0].isReplaced }
        let apps = nodes.indices.filter { nodes[$0].kind == .app }
        let tied = apps.filter { nodes[$0].device != nil }
        switch Int.random(in: 0..<(amidAnEnd ? 6 : 11), using: &random) {
        case 0, 1:
            return (browsers + webs).randomElement(using: &random).map { web in
                .grant(
                    in: web, isOffline: nodes[web].kind == .browser && Bool.random(using: &random),
                    isRedeemed: amidAnEnd || Int.random(in: 0..<4, using: &random) > 0)
            }
        case 2: return tied.randomElement(using: &random).map { .exchangeForApp(by: $0) }
        case 3: return tied.randomElement(using: &random).map { .exchangeForCookies(by: $0) }
        case 4: return apps.randomElement(using: &random).map { .loginToken(by: $0, replacing: nil) }
        case 5: return tied.randomElement(using: &random).map { .secret(for: $0) }
        case 6:
            return apps.filter { nodes[$0].device == nil }.randomElement(using: &random).map { .device(of: $0) }
        case 7: return browsers.randomElement(using: &random).map { .handOff(by: $0) }
        case 8:
            guard let device = nodes.indices.filter({ nodes[$0].kind == .device }).randomElement(using: &random),
                let web = (browsers + webs).randomElement(using: &random)
            else { return nil }
            return .signInOnDevice(device, in: web)
        case 9: return browsers.randomElement(using: &random).map { .signIn(replacing: $0) }
        default:
            guard let app = apps.randomElement(using: &random) else { return nil }
            return .loginToken(by: app, replacing: (webs + browsers).randomElement(using: &random))
        }
    }

    private mutating func carryOut(_ plan: Plan) async throws {
        guard let node = try await make(plan, number: nodes.count) else {
            throw ConformanceFailure(description: "\(name): \(plan) was refused")
        }
        nodes.append(node)
        let new = nodes.count - 1
        switch plan {
        case .device(let app):
            nodes[app].device = new
            nodes[app].parents.insert(new)
        case .loginToken(_, let old?), .signIn(let old):
            nodes[old].isReplaced = true
            for index in nodes.indices where nodes[index].carrier == old {
                nodes[index].carrier = new
                // Neither the origin nor the session in hand: one in between has no part in it any more.
                if nodes[index].origin != old { nodes[index].parents.remove(old) }
                nodes[index].parents.insert(new)
            }
            for index in nodes.indices where nodes[index].isHandOff && nodes[index].parents.contains(old) {
                nodes[index].parents = [new]
            }
        default: break
        }
    }

    private func server(_ number: Int) -> any BridgeStorage { servers[number % servers.count] }

    /// - Returns: `nil` when the store refused.
    private func make(_ plan: Plan, number: Int) async throws -> Node? {
        switch plan {
        case .grant(let web, let isOffline, let isRedeemed):
            return try await grant(in: web, isOffline: isOffline, isRedeemed: isRedeemed, number: number)
        case .device(let app): return try await device(of: app, number: number)
        case .secret(let app): return try await secret(for: app, number: number)
        case .signInOnDevice(let device, let web): return try await signIn(on: device, in: web, number: number)
        case .exchangeForApp(let app): return try await exchange(by: app, forCookies: false, number: number)
        case .exchangeForCookies(let app): return try await exchange(by: app, forCookies: true, number: number)
        case .loginToken(let app, let old): return try await loginToken(by: app, replacing: old, number: number)
        case .handOff(let browser):
            let session = webSession(number, opening: .handOff, parent: nodes[browser].id, token: nil)
            _ = try await server(number).open(session, replacing: nil, events: [])
            return Node(kind: .web, id: session.id.rawValue, parents: [browser], isHandOff: true)
        case .signIn(let old): return try await openBrowser(replacing: old, number: number)
        }
    }

    private func openBrowser(replacing old: Int?, number: Int) async throws -> Node {
        let session = WebSession(
            id: SessionID(rawValue: "\(name)-\(number)"), secretDigest: "\(name)-\(number)",
            lineage: .signIn(
                of: subject, authentication: Authentication(time: Sample.now), at: Sample.now, lifetime: .seconds(9000)),
            clientID: "web", createdAt: Sample.now, idleLifetime: .seconds(600), lastSeenAt: Sample.now)
        _ = try await server(number).open(session, replacing: try await replaced(old), events: [])
        return Node(kind: .browser, id: session.id.rawValue)
    }

    private func grant(in web: Int, isOffline: Bool, isRedeemed: Bool, number: Int) async throws -> Node? {
        let carrier = SessionID(rawValue: nodes[web].id)
        let code = Sample.code("\(name)-\(number)", grant: Sample.grant(subject: subject, browser: carrier))
        guard try await server(number).recordCode(code, event: Sample.event(.authorizationCodeIssued)) else {
            return nil
        }
        guard isRedeemed else { return Node(kind: .code, id: code.digest, parents: [web], origin: web, carrier: web) }
        let opening: SessionOpening = nodes[web].kind == .browser ? .authorize : .loginToken
        let app = appSession(number, opening: opening, browser: carrier, isOffline: isOffline)
        let outcome = try await server(number + 1).redeemCode(
            digest: code.digest, opening: app, refreshToken: nil, at: Sample.now, events: [])
        guard outcome == .opened else { return nil }
        return Node(kind: .app, id: app.id.rawValue, parents: [web], origin: web, carrier: web, isOffline: isOffline)
    }

    private func device(of app: Int, number: Int) async throws -> Node? {
        let device = DeviceSecret(
            id: DeviceSecretID(rawValue: "\(name)-\(number)"), subject: subject, clientID: "app",
            sessionID: SessionID(rawValue: nodes[app].id), createdAt: Sample.now,
            expiresAt: Sample.now + .seconds(9000))
        let outcome = try await server(number).issueDeviceSecret(
            device, digest: "\(name)-\(number)", limit: DeviceSecretLimit(count: 50, behavior: .reject),
            event: Sample.event(.deviceSecretIssued), displaced: .sample(.limit), rejected: nil)
        guard case .issued = outcome else { return nil }
        return Node(kind: .device, id: device.id.rawValue, givenTo: app)
    }

    private func secret(for app: Int, number: Int) async throws -> Node? {
        guard let device = nodes[app].device else { return nil }
        let outcome = try await server(number).addDeviceSecret(
            digest: "\(name)-\(number)", to: DeviceSecretID(rawValue: nodes[device].id),
            for: SessionID(rawValue: nodes[app].id), at: Sample.now, keeping: 50,
            event: Sample.event(.deviceSecretIssued))
        return outcome == .added ? Node(kind: .secret, id: "\(name)-\(number)", givenTo: app) : nil
    }

    private func signIn(on device: Int, in web: Int, number: Int) async throws -> Node? {
        guard var app = try await grant(in: web, isOffline: false, isRedeemed: true, number: number),
            try await server(number).attach(
                SessionID(rawValue: app.id), to: DeviceSecretID(rawValue: nodes[device].id), at: Sample.now)
        else { return nil }
        app.device = device
        app.parents.insert(device)
        return app
    }

    private func exchange(by app: Int, forCookies: Bool, number: Int) async throws -> Node? {
        guard let device = nodes[app].device else { return nil }
        let parent = SessionID(rawValue: nodes[app].id)
        let child = appSession(
            number, opening: .tokenExchange, parent: parent, device: DeviceSecretID(rawValue: nodes[device].id))
        let web = webSession(number, opening: .tokenExchange, parent: nodes[app].id, token: nil)
        let use = DeviceSecretUse(
            at: Sample.now, sessionID: parent,
            opening: forCookies
                ? .webSession(web, refreshDigest: nil) : .appSession(child, refreshToken: nil), events: [])
        let outcome = try await server(number).useDeviceSecret(
            digest: nodes[device].id, for: use, overlap: .zero, replayed: .sample(.replayed))
        guard case .accepted = outcome else { return nil }
        return forCookies
            ? Node(kind: .web, id: web.id.rawValue, parents: [app])
            : Node(kind: .app, id: child.id.rawValue, parents: [app, device], device: device)
    }

    private func loginToken(by app: Int, replacing old: Int?, number: Int) async throws -> Node? {
        let token = Sample.token("\(name)-\(number)", subject: subject)
        let session = webSession(number, opening: .loginToken, parent: nodes[app].id, token: token.id)
        let outcome = try await server(number).redeem(
            token, opening: session, use: Sample.use(session),
            replacing: try await [replaced(old)].compactMap(\.self), events: [])
        guard outcome == .opened else { return nil }
        return Node(kind: .web, id: session.id.rawValue, parents: [app])
    }

    private func replaced(_ index: Int?) async throws -> ReplacedSession? {
        guard let index else { return nil }
        return try await servers[0].session(id: SessionID(rawValue: nodes[index].id))
            .map { .sample($0, by: subject) }
    }

    private func webSession(
        _ number: Int, opening: SessionOpening, parent: String, token: TokenID?
    ) -> WebSession {
        WebSession(
            id: SessionID(rawValue: "\(name)-\(number)"), secretDigest: "\(name)-\(number)", subject: subject,
            clientID: "web", appClientID: "app", parentID: SessionID(rawValue: parent), loginTokenID: token,
            opening: opening, authentication: Authentication(), createdAt: Sample.now,
            expiresAt: Sample.now + .seconds(3600), idleLifetime: .seconds(600), lastSeenAt: Sample.now)
    }

    private func appSession(
        _ number: Int, opening: SessionOpening, browser: SessionID? = nil, parent: SessionID? = nil,
        device: DeviceSecretID? = nil, isOffline: Bool = false
    ) -> AppSession {
        AppSession(
            id: SessionID(rawValue: "\(name)-\(number)"), subject: subject, clientID: "app",
            scope: Scope(tokens: [Scope.openID] + (isOffline ? [Scope.offlineAccess] : [])), opening: opening,
            authentication: Authentication(), browserSessionID: browser, deviceSecretID: device, parentID: parent,
            wantsLogoutNotice: true, createdAt: Sample.now, expiresAt: Sample.now + .seconds(3600))
    }
}
