import OAuth2
import Testing

@testable import Bridge

/// Signing in with a phone's key: what is kept of it, and what takes it back.
@Suite struct SelfIssuedSignInTests {
    @Test func `attack: a writer of the store can neither make nor alter a sign-in by phone`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let (beginning, other) = (try await desk.begin(), try await desk.begin())
            try await desk.phone.receive(try desk.answer(beginning), origin: origin())
            #expect(try await desk.look(beginning.state) == "answered")
            let (digest, place) = (
                SelfIssuedTransaction.digest(of: beginning.state), SelfIssuedTransaction.digest(of: other.state)
            )
            let kept = try #require(desk.store.selfIssued(digest, at: noon))
            // What stands in the store says nothing.
            for word in [try desk.thumbprint, beginning.nonce, "contacts"] { #expect(!kept.content.contains(word)) }
            // Copied to another browser's place it does not open.
            try desk.store.keepSelfIssued(kept, as: place, at: noon)
            #expect(try await desk.look(other.state) == "over")
            // Nor does a transaction of the writer's own, with anybody's thumbprint and the writer's cookie.
            let forged = SelfIssuedTransaction(
                nonce: "n", errand: "", linking: nil, browserDigest: desk.browser.digest,
                codeEndsAt: noon + .seconds(60), expiresAt: noon + .seconds(60),
                answer: SelfIssuedProof(
                    thumbprint: try desk.thumbprint, algorithm: .es256, form: .core7, isOfAnyApp: false, name: nil,
                    email: nil))
            let record = SelfIssuedRecord(content: forged.text, expiresAt: noon + .seconds(60))
            try desk.store.keepSelfIssued(record, as: place, at: noon)
            #expect(try await desk.look(other.state) == "over")
            let outcome = try await desk.phone.pickUp(
                other.state, code: nil, browser: desk.browser, current: nil, origin: origin())
            guard case .over = outcome else { Issue.record("\(outcome)"); return }
            #expect(try await !service.events().contains { $0.hasPrefix("web_session.opened") })
        }
    }

    @Test func `a longer life written beside a transaction is not believed`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let beginning = try await desk.begin()
            let digest = SelfIssuedTransaction.digest(of: beginning.state)
            let kept = try #require(desk.store.selfIssued(digest, at: noon))
            let longer = SelfIssuedRecord(content: kept.content, expiresAt: noon + .seconds(9000))
            try desk.store.keepSelfIssued(longer, as: digest, at: noon)
            #expect(try await desk.look(beginning.state) == "waiting")
            service.clock.advance(.seconds(300))
            #expect(try await desk.look(beginning.state) == "over")
        }
    }

    @Test func `attack: a code that was sent to somebody is worth nothing after two minutes`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let (early, late) = (try await desk.begin(), try await desk.begin())
            service.clock.advance(.milliseconds(119_999))
            try await desk.phone.receive(try desk.answer(early), origin: origin())
            #expect(try await desk.look(early.state) == "answered")
            #expect(try await service.events().contains("self_issued.answered core7"))
            service.clock.advance(.milliseconds(1))
            // The page with the code says so before anybody tries it.
            #expect(try await desk.look(late.state) == "over")
            let refusal = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.phone.receive(try desk.answer(late), origin: origin())
            }
            #expect(refusal?.reason == .stateUnknown)
        }
    }

    @Test func `on the same device the phone has its time after the code for others is over`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await desk.begin()
            service.clock.advance(.seconds(299))
            let outcome = try await desk.phone.finish(
                try desk.answer(beginning), browser: desk.browser, current: nil, origin: origin())
            guard case .signedIn = outcome else { Issue.record("\(outcome)"); return }
        }
    }

    @Test func `attack: another app that took the link of a scheme gets its key linked to no account`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service, isLinkClaimed: true)
            try await desk.accounts.add("alice")
            let beginning = try await desk.begin()
            let outcome = try await desk.phone.finish(
                try desk.answer(beginning, isOfScheme: true), browser: desk.browser, current: nil, origin: origin())
            guard case .unknown(let sealed, _) = outcome else { Issue.record("\(outcome)"); return }
            let parked = try #require(desk.phone.proof(sealed: sealed))
            #expect(!parked.mayBeLinked)
            let session = try await desk.passwordSession()
            let refusal = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.linkedKeys.link(parked, told: false, in: session, origin: origin())
            }
            #expect(refusal?.reason == .linkNotClaimed)
            #expect(try await desk.linkedKeys.keys(of: session.subject).isEmpty)
            // Nor where linking was what the phone was asked for.
            let linking = try await desk.begin(linking: session.subject)
            let other = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.phone.finish(
                    try desk.answer(linking, isOfScheme: true), browser: desk.browser, current: session,
                    origin: origin())
            }
            #expect(other?.reason == .nonceMismatch)
            #expect(try await desk.linkedKeys.keys(of: session.subject).isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `whoever answers the claimed link, or the only one there is, may be linked`(isLinkClaimed: Bool) async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service, isLinkClaimed: isLinkClaimed)
            try await desk.accounts.add("alice")
            let answer = try desk.answer(try await desk.begin(), isOfScheme: !isLinkClaimed)
            let outcome = try await desk.phone.finish(
                answer, browser: desk.browser, current: nil, origin: origin())
            guard case .unknown(let sealed, _) = outcome else { Issue.record("\(outcome)"); return }
            let session = try await desk.passwordSession()
            try await desk.linkedKeys.link(
                try #require(desk.phone.proof(sealed: sealed)), told: false, in: session, origin: origin())
            #expect(try await desk.linkedKeys.keys(of: session.subject).map(\.thumbprint) == [try desk.thumbprint])
        }
    }

    @Test func `a linked key signs its user in by whichever link it was asked`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service, isLinkClaimed: true)
            try await desk.linked()
            let answer = try desk.answer(try await desk.begin(), isOfScheme: true)
            let outcome = try await desk.phone.finish(
                answer, browser: desk.browser, current: nil, origin: origin())
            guard case .signedIn = outcome else { Issue.record("\(outcome)"); return }
        }
    }

    @Test func `attack: a store that loses its last writes takes no answer twice`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await desk.begin()
            let waiting = try desk.kept(beginning)
            let answer = try desk.answer(beginning)
            _ = try await desk.phone.finish(answer, browser: desk.browser, current: nil, origin: origin())
            try desk.putBack(waiting, beginning)
            let refusal = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.phone.finish(answer, browser: desk.browser, current: nil, origin: origin())
            }
            #expect(refusal?.reason == .replayed)
            #expect(try await service.events().filter { $0.hasPrefix("web_session.opened") }.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `attack: a store that loses its last writes brings back no answer from elsewhere`(isDeclined: Bool)
        async throws
    {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await desk.begin()
            try await desk.phone.receive(try desk.answer(beginning), origin: origin())
            let answered = try desk.kept(beginning)
            if isDeclined {
                try await desk.phone.decline(beginning.state, browser: desk.browser, origin: origin())
            } else {
                guard case .done = try await desk.pickUp(beginning) else { Issue.record("not picked up"); return }
            }
            try desk.putBack(answered, beginning)
            guard case .over = try await desk.pickUp(beginning) else { Issue.record("picked up"); return }
            let opened = try await service.events().filter { $0.hasPrefix("web_session.opened") }
            #expect(opened == (isDeclined ? [] : ["web_session.opened device_code"]))
        }
    }

    @Test func `who says it was not them learns what the sign-in was for, in their own browser alone`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let beginning = try await desk.begin()
            let elsewhere = try await desk.phone.decline(beginning.state, browser: nil, origin: origin())
            #expect(elsewhere.isEmpty)
            let errand = try await desk.phone.decline(beginning.state, browser: desk.browser, origin: origin())
            #expect(errand == "redirect=%2Fcontacts")
        }
    }

    @Test func `unlinking ends what the key opened, and a key that is unlinked opens nothing`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let session = try await desk.signIn()
            let password = try await desk.passwordSession()
            let outcome = try await desk.linkedKeys.unlink(try desk.thumbprint, in: password, origin: origin())
            #expect(outcome == .unlinked(Ended(sessions: [session.id])))
            let ends = try await service.storage.search(AuditFilter(type: .webSessionEnded), before: nil, limit: 1)
            #expect(ends.records.map(\.event.detail) == [#"{"by_sid":"\#(password.id.rawValue)"}"#])
            #expect(try await service.sessions.peek(session.id) == nil)
            #expect(try await service.sessions.peek(password.id) != nil)
            let refusal = await #expect(throws: SelfIssuedRefusal.self) { try await desk.signIn() }
            #expect(refusal?.reason == .subjectRevoked)
        }
    }

    @Test func `attack: a session that ended while its request was under way links no key`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.accounts.add("alice")
            let session = try await desk.passwordSession()
            let beginning = try await desk.begin(linking: session.subject)
            _ = try await service.endings.end(
                .user(session.subject), Ending(at: service.clock.now, reason: .administrator, origin: nil))
            let refusal = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.phone.finish(
                    try desk.answer(beginning), browser: desk.browser, current: session, origin: origin())
            }
            #expect(refusal?.reason == .notSignedIn)
            #expect(try await service.storage.linkedKeys(of: session.subject).isEmpty)
        }
    }

    @Test func `with a second factor, keys are linked and unlinked by a sign-in with it alone`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let session = try await desk.passwordSession()
            #expect(try await desk.linkedKeys.mayChangeKeys(session))
            let beginning = try await desk.begin(linking: session.subject)
            let sealed = try desk.accounts.secrets.seal([UInt8](repeating: 1, count: 20), for: session.subject)
            _ = try await service.storage.addSecondFactor(
                SecondFactor(sealedSecret: sealed), recoveryDigests: [], of: session.subject,
                in: nil, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            #expect(try await !desk.linkedKeys.mayChangeKeys(session))
            let linking = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.phone.finish(
                    try desk.answer(beginning), browser: desk.browser, current: session, origin: origin())
            }
            #expect(linking?.reason == .notSignedIn)
            let unlinking = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.linkedKeys.unlink(try desk.thumbprint, in: session, origin: origin())
            }
            #expect(unlinking?.reason == .notSignedIn)
        }
    }

    @Test func `attack: a key that opened a session links and unlinks none where there is a password`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let session = try await desk.signIn()
            #expect(try await !desk.linkedKeys.mayChangeKeys(session))
            let beginning = try await desk.begin(linking: session.subject)
            let linking = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.phone.finish(
                    try desk.answer(beginning), browser: desk.browser, current: session, origin: origin())
            }
            #expect(linking?.reason == .notSignedIn)
            await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.linkedKeys.unlink(try desk.thumbprint, in: session, origin: origin())
            }
            #expect(try await service.events().count { $0 == "self_issued.refused not_signed_in" } == 2)
            #expect(try await service.storage.linkedKeys(of: session.subject).count == 1)
        }
    }

    @Test func `attack: a user of an upstream provider links no key, and unlinks one that is there`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.accounts.add("alice", link: UpstreamIdentity(issuer: "https://login.example", subject: "7"))
            let session = try await desk.passwordSession()
            let beginning = try await desk.begin(linking: session.subject)
            let refusal = await #expect(throws: SelfIssuedRefusal.self) {
                try await desk.phone.finish(
                    try desk.answer(beginning), browser: desk.browser, current: session, origin: origin())
            }
            #expect(refusal?.reason == .upstreamUser)
            #expect(try await service.storage.linkedKeys(of: session.subject).isEmpty)
            #expect(try await service.events().contains("self_issued.refused upstream_user"))
            // From before this was refused.
            let key = LinkedKey(
                thumbprint: try desk.thumbprint, subject: session.subject, algorithm: .es256, origin: .linked,
                createdAt: noon)
            let event = AuditEvent(at: noon, type: .selfIssuedLinked, outcome: .success)
            #expect(try await service.storage.link(key, in: nil, event: event) == .linked)
            let outcome = try await desk.linkedKeys.unlink(try desk.thumbprint, in: session, origin: origin())
            #expect(outcome == .unlinked(.nothing))
        }
    }

    @Test func `whoever has nothing but keys links another with one, and keeps the last`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let asked = try await desk.phone.finish(
                try desk.answer(try await desk.begin()), browser: desk.browser, current: nil, origin: origin())
            guard case .unknown(let sealed, _) = asked else { throw StorageError.corrupt("the key is somebody's") }
            let session = try await desk.phone.createAccount(
                for: try #require(desk.phone.proof(sealed: sealed)), told: false, replacing: nil, origin: origin()
            ).session
            #expect(try await desk.linkedKeys.mayChangeKeys(session))
            let outcome = try await desk.linkedKeys.unlink(try desk.thumbprint, in: session, origin: origin())
            #expect(outcome == .lastWayIn)
            #expect(try await service.events().contains("self_issued.refused last_way_in"))
        }
    }

    @Test func `what is linked and unlinked in a browser says in which session`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.accounts.add("alice")
            let session = try await desk.passwordSession()
            _ = try await desk.phone.finish(
                try desk.answer(try await desk.begin(linking: session.subject)), browser: desk.browser,
                current: session, origin: origin())
            _ = try await desk.linkedKeys.unlink(try desk.thumbprint, in: session, origin: origin())
            for type in [AuditEventType.selfIssuedLinked, .selfIssuedUnlinked] {
                let found = try await service.storage.search(AuditFilter(type: type), before: nil, limit: 9)
                #expect(found.records.map(\.event.sessionID) == [session.id])
            }
        }
    }

    @Test func `attack: of a hundred codes at once, typed where an answer is picked up, five are looked at`()
        async throws
    {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let sealed = try desk.accounts.secrets.seal([UInt8](repeating: 1, count: 20), for: "sub-alice")
            try await desk.linked(factor: SecondFactor(sealedSecret: sealed))
            let beginning = try await desk.begin()
            try await desk.phone.receive(try desk.answer(beginning), origin: origin())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        _ = try await desk.phone.pickUp(
                            beginning.state, code: "000000", browser: desk.browser, current: nil, origin: origin())
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.events().count { $0 == "self_issued.refused wrong_code" } == 5)
        }
    }

    @Test func `right codes where an answer is picked up count towards no limit`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let sealed = try desk.accounts.secrets.seal([UInt8](repeating: 1, count: 20), for: "sub-alice")
            try await desk.linked(factor: SecondFactor(sealedSecret: sealed))
            let factor = try #require(try await service.storage.account(of: "sub-alice")?.secondFactor)
            let recovery = RecoveryCode.make(random: .system)
            _ = try await service.storage.replaceSecondFactor(
                factor, recoveryDigests: recovery.map(\.digest), of: "sub-alice",
                event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            for code in recovery.prefix(7) {
                let beginning = try await desk.begin()
                try await desk.phone.receive(try desk.answer(beginning), origin: origin())
                let outcome = try await desk.phone.pickUp(
                    beginning.state, code: code.text.expose(), browser: desk.browser, current: nil, origin: origin())
                guard case .done = outcome else { Issue.record("\(outcome)"); return }
            }
            let used = try await service.secondFactorChanges().suffix(7).compactMap(\.detail)
            #expect(used == (3..<10).reversed().map(SecondFactorEnrolmentTests.usedUp))
        }
    }

    @Test func `another browser that picks an answer up is written down, and gets nothing`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            try await desk.linked()
            let beginning = try await desk.begin()
            try await desk.phone.receive(try desk.answer(beginning), origin: origin())
            let outcome = try await desk.phone.pickUp(
                beginning.state, code: nil, browser: .make(.selfIssued, random: .system), current: nil,
                origin: origin())
            guard case .over = outcome else { Issue.record("\(outcome)"); return }
            #expect(try await service.events().last == "self_issued.refused browser_mismatch")
            #expect(try await desk.look(beginning.state) == "answered")
        }
    }

    @Test func `the right browser that picks up what is not there yet is not taken for another`() async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let beginning = try await desk.begin()
            guard case .over = try await desk.pickUp(beginning) else { Issue.record("picked up"); return }
            #expect(try await !service.events().contains { $0.hasPrefix("self_issued.refused") })
            #expect(try await desk.look(beginning.state) == "waiting")
        }
    }
}
