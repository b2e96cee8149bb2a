import OAuth2
import Testing

@testable import Bridge

/// From a session that hangs under another the audit log leads to that one, and from that one to it (contract §13, §16).
@Suite struct AuditLineageTests {
    private func events(of id: SessionID, in service: Service) async throws -> [AuditEvent] {
        var filter = AuditFilter()
        filter.sessionID = id
        return try await service.storage.search(filter, before: nil, limit: 50).records.reversed().map(\.event)
    }

    private func session(of tokens: TokenResponse) throws -> SessionID {
        SessionID(rawValue: try #require(try claims(tokens.accessToken)["sid"]?.string))
    }

    @Test func `an app's session and the browser's that its code was granted in name each other`() async throws {
        try await withProvider { provider in
            let browsers: [SessionID] = ["firefox", "chrome"]
            var codes: [(SessionID, String)] = []
            for browser in browsers {
                codes.append((browser, try await provider.code(try provider.grant(browser: browser))))
            }
            for (browser, code) in codes.reversed() {
                let app = try session(of: try await provider.redeem(code))
                let below = try await events(of: app, in: provider.service)
                #expect(below.map(\.type) == [.appSessionOpened])
                #expect(below.map { $0.fact("parent") } == [browser.rawValue])
                let above = try await events(of: browser, in: provider.service)
                #expect(above.map(\.type) == [.authorizationCodeIssued, .authorizationCodeRedeemed])
                #expect(above.map { $0.fact("opened") } == [nil, app.rawValue])
                let names = Set((above + below).map { $0.fact("code_id") })
                #expect(names.count == 1 && !names.contains(nil), "of one code")
            }
        }
    }

    @Test func `a device's code has one name from its request to its session, which another device's has not`()
        async throws
    {
        try await withDevices { world in
            let service = world.provider.service
            let television = try await world.start()
            let thief = try await world.start()
            let browser = try await world.signIn()
            try await world.answer(thief, in: browser)
            try await world.answer(television, in: try await world.signIn("bob"))
            let opened = try session(of: try await world.poll(thief))
            _ = try await world.poll(television)
            let below = try await events(of: opened, in: service)
            #expect(below.map { $0.fact("parent") } == [browser.id.rawValue])
            let above = try await events(of: browser.id, in: service)
            #expect(above.map(\.type) == [.deviceCodeApproved, .deviceCodeRedeemed])
            #expect(above.last?.fact("opened") == opened.rawValue)
            let name = try #require(below.first?.fact("code_id"))
            #expect(above.map { $0.fact("code_id") } == [name, name])
            let issued = try await service.storage.search(AuditFilter(type: .deviceCodeIssued), before: nil, limit: 5)
            #expect(issued.records.map { $0.event.fact("code_id") }.count { $0 == name } == 1)
            #expect(Set(issued.records.map { $0.event.fact("code_id") }).count == 2)
        }
    }

    @Test func `neither a device's code nor the letters on its screen, nor what is kept of either, is in an event`()
        async throws
    {
        try await withDevices { world in
            let started = try await world.start()
            try await world.answer(started, in: try await world.signIn())
            _ = try await world.poll(started)
            let code = started.deviceCode.expose()
            let digest = try #require(OpaqueSecret(code, kind: .deviceCode)).digest
            let state = try #require(try await world.storage.deviceAuthorization(digest: digest))
            let letters = started.userCode.shown.filter(\.isLetter)
            let all = try await world.storage.search(AuditFilter(), before: nil, limit: 100).records
            let written = all.compactMap(\.event.detail).joined(separator: "\n")
            #expect(written.contains("code_id"))
            for text in [code, digest, started.userCode.shown, letters, state.authorization.userCode] {
                #expect(!written.contains(text.prefix(22)))
            }
            // Nor can the name be found again by trying letters.
            let issued = try #require(all.first { $0.event.type == .deviceCodeIssued }?.event.fact("code_id"))
            for guess in [letters, started.userCode.shown, state.authorization.userCode] {
                #expect(AuditDetail.publicName(of: "code", guess) != issued)
                #expect(SHA256Hash(of: guess).base64URLOfHalf != issued)
            }
        }
    }

    @Test func `the last miss of a code says which code it took away`() {
        let miss = AuditEvent(
            at: noon, type: .authorizationCodeRefused, outcome: .failure, detail: #"{"code_id":"a"}"#)
        #expect(miss.takingCodeAway.detail == #"{"code_id":"a","ends":"authorization_code"}"#)
    }

    @Test func `what a device secret opened names the session whose token was shown, of all that share the device`()
        async throws
    {
        try await withNativeProvider { native in
            let photos = try await native.signIn()
            let music = try await native.exchange(photos)
            _ = try await native.exchange(photos, to: NativeProvider.shop, by: TokenTypeURI.accessToken)
            let parent = try native.session(of: photos)
            let apps = try await native.records(.appSessionOpened)
            let child = try native.session(of: music)
            #expect(apps.first { $0.sessionID == child }?.fact("parent") == parent.rawValue)
            let views = try await native.records(.webSessionOpened)
            #expect(views.map { $0.fact("parent") } == [parent.rawValue])
        }
    }

    @Test func `what a login token opened names the session that it was issued from`() async throws {
        try await withService { service in
            let link = try await service.issuer.issue(
                LoginTokenIssueRequest(), bearer: service.bearer(sid: "theirs"), origin: origin())
            let opened = try #require(try await service.open(link.token).opened)
            let told = try await events(of: opened.session.id, in: service)
            #expect(told.first { $0.type == .webSessionOpened }?.fact("parent") == "theirs")
        }
    }

    @Test func `a computer's session names the phone's app and the sign-in that was scanned`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            var names: Set<String> = []
            for _ in 1...2 {
                let told = try await events(of: try await desk.signIn().session.id, in: service)
                #expect(told.first { $0.type == .webSessionOpened }?.fact("parent") == "phone")
                let signedIn = try #require(told.first { $0.type == .userSignedIn })
                names.insert(try #require(signedIn.fact("sign_in_id")))
            }
            #expect(names.count == 2)
            let phone = try await events(of: "phone", in: service)
            #expect(phone.map(\.type).count { $0 == .crossDeviceApproved } == 2)
            #expect(Set(phone.compactMap { $0.fact("sign_in_id") }) == names)
        }
    }

    @Test func `the link that a phone scans is in no event`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            _ = try await desk.scan(page, try await desk.phone())
            let told = try await events(of: "phone", in: service)
            #expect(told.map(\.type) == [.crossDeviceScanned])
            #expect(told.allSatisfy { $0.detail?.contains(page.id) == false })
        }
    }

    @Test func `a sign-in with a phone's key says with which`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let told = try await events(of: try await desk.signIn().id, in: service)
            let thumbprint = try desk.thumbprint
            #expect(told.first { $0.type == .userSignedIn }?.fact("thumbprint") == thumbprint)
        }
    }
}
