package import Bridge
import Crypto
import HTTPTypes
import Hummingbird
import OAuth2

/// Lets administrators in and nobody else (contract §8): by an access token, or by the session of a browser.
package final class AdminGate: Sendable {
    let authenticator: any AdminAuthenticator
    let adminSessions: AdminSessions
    private let webSessions: WebSessions
    private let administrators: any AdministratorDirectory
    /// Off in the demo only.
    private let requiresSecondFactor: Bool
    private let proofs: DPoPVerifier?
    private let sameOrigin: SameOriginProof
    private let ownScript: OwnScriptProof
    /// Whose browser it is by a web view's cookies too; `nil` until ``recognizing(_:)``.
    private let browsers: BrowserSessions?
    let refusals: RefusalLog
    let time: TimeSource

    package init(
        authenticator: any AdminAuthenticator, adminSessions: AdminSessions, webSessions: WebSessions,
        administrators: any AdministratorDirectory, requiresSecondFactor: Bool, publicOrigin: WebOrigin,
        proofs: DPoPVerifier?, refusals: RefusalLog, time: TimeSource
    ) {
        self.authenticator = authenticator
        self.adminSessions = adminSessions
        self.webSessions = webSessions
        self.administrators = administrators
        self.requiresSecondFactor = requiresSecondFactor
        sameOrigin = SameOriginProof(publicOrigin: publicOrigin)
        ownScript = OwnScriptProof(publicOrigin: publicOrigin)
        browsers = nil
        self.proofs = proofs
        self.refusals = refusals
        self.time = time
    }

    private init(_ gate: AdminGate, browsers: BrowserSessions) {
        authenticator = gate.authenticator
        adminSessions = gate.adminSessions
        webSessions = gate.webSessions
        administrators = gate.administrators
        requiresSecondFactor = gate.requiresSecondFactor
        proofs = gate.proofs
        sameOrigin = gate.sameOrigin
        ownScript = gate.ownScript
        self.browsers = browsers
        refusals = gate.refusals
        time = gate.time
    }

    /// This gate, which tells callers with a web view's cookies that those open nothing here.
    func recognizing(_ browsers: BrowserSessions) -> AdminGate { AdminGate(self, browsers: browsers) }

    /// Who sends this request; a browser's form token is in the header `X-CSRF-Token`, where it needs one.
    /// - Parameter purpose: what for; `nil` by its method.
    /// - Throws: `OAuthError` or ``ChallengedError`` as RFC 6750 §3.1 wants; ``StorageError``.
    fileprivate func admit(
        _ request: Request, _ context: BridgeRequestContext, for purpose: AdminPurpose?
    ) async throws -> AdminVisit {
        do {
            return try await visit(request, for: purpose) { expected in
                ownScript.holds(for: request)
                    || isOurs(request, formToken: request.headers[.xCSRFToken], expecting: expected)
            }
        } catch let refusal as AdminRefusal {
            throw try await error(for: refusal, request, context)
        }
    }

    /// As ``admit(_:_:for:)``, with the plain reason and without a trace in the audit log: for pages that
    /// lead to the sign-in.
    /// - Parameter formToken: the field of a form.
    func visit(_ request: Request, for purpose: AdminPurpose? = nil, formToken: String?) async throws -> AdminVisit {
        try await visit(request, for: purpose) { isOurs(request, formToken: formToken, expecting: $0) }
    }

    /// - Parameter isOurs: whether a page of ours sends it, whose form token is this.
    private func visit(
        _ request: Request, for purpose: AdminPurpose?, isOurs: (_ formToken: String?) -> Bool
    ) async throws -> AdminVisit {
        guard !BearerReader.isProgram(request) else { return try await programVisit(request) }
        let purpose = purpose ?? AdminPurpose(request.method.rawValue)
        let visit = try await browserVisit(request, isUse: purpose != .watch)
        guard !purpose.takesFormToken || isOurs(visit.formToken) else {
            throw AdminRefusal(.foreignPage, of: visit.holder)
        }
        guard purpose != .take || sameOrigin.holds(for: request) else {
            throw AdminRefusal(.foreignPage, of: visit.holder)
        }
        // Contract §16.2. Also where a person's token opened the console: left open, it serves a stranger as well.
        guard purpose != .change || visit.isFresh(at: time.now()) else {
            throw AdminRefusal(.signInTooOld, of: visit.holder)
        }
        return visit
    }

    /// Whether a form that was refused may be kept until its sender has signed in again, and then be sent once more: it
    /// comes from a page that was sent to this very session, and nothing but time has passed since.
    func mayWait(_ refusal: AdminRefusal, _ request: Request, for purpose: AdminPurpose, formToken: String) -> Bool {
        switch refusal.reason {
        // Said of what has shown its form token already.
        case .signInTooOld: return true
        // Said of a session before any form token was looked at: a foreign page must leave nothing behind.
        case .idle:
            guard purpose == .change, let secret = request.sessionSecret else { return false }
            return isOurs(request, formToken: formToken, expecting: AdminVisit.formToken(for: secret))
        default: return false
        }
    }

    /// Who is signed in now, where a form that was refused as a foreign page's comes from a page of this origin, which was
    /// shown before their last sign-in: for an answer that says how to go on. Nothing is carried out; `nil` for any other
    /// refusal.
    func visit(ofOldPage request: Request, after refusal: AdminRefusal) async throws -> AdminVisit? {
        guard refusal.reason == .foreignPage, sameOrigin.holds(for: request) else { return nil }
        do {
            return try await visit(request, for: .read, formToken: nil)
        } catch is AdminRefusal {
            return nil
        }
    }

    /// Who sent a form that waits; `nil` for whom nothing lets in any more.
    func sender(of request: Request) async throws -> Subject? {
        do {
            guard case .account(let subject) = try await browserVisit(request, isUse: false).actor else { return nil }
            return subject
        } catch is AdminRefusal {
            return nil
        }
    }

    /// Refuses a person who signed in too long ago, however they were let in: by a token too. For what makes a lasting
    /// administrator, or ends everybody's tokens: an access token may lie about for hours.
    func requireFreshSignIn(
        _ visit: AdminVisit, _ request: Request, _ context: BridgeRequestContext
    ) async throws {
        guard !visit.isFresh(at: time.now()) else { return }
        throw try await error(for: AdminRefusal(.signInTooOld, of: visit.holder), request, context)
    }

    /// Whether somebody who was let in still would be: for what goes on after the answer began. Not a use of the
    /// session.
    func stillAdmits(_ visit: AdminVisit) async throws -> Bool {
        do {
            switch visit.proof {
            case .token(let administrator):
                return try await authenticator.stillAdministers(administrator, at: time.now())
            case .console(let secret): return try await adminSessions.lookUp(secret, isUse: false) != nil
            case .browser(let secret): return try await browserVisit(secret, isUse: false) != nil
            }
        } catch is AdminRefusal {
            return false
        }
    }

    /// The answer to somebody who is refused, once that is written down.
    func error(
        for refusal: AdminRefusal, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> any Error {
        try await refusals.adminRefused(refusal, origin: context.origin(of: request), at: time.now())
        if let code = refusal.codeBesideProof { return ResourceChallenge.error(for: OAuthError(code)) }
        return refusal.reason.answer
    }

    private func programVisit(_ request: Request) async throws -> AdminVisit {
        let presented = try BearerReader.token(in: request)
        let proof = try judgedProof(presented)
        let administrator: Administrator
        do {
            administrator = try await authenticator.administrator(
                presenting: presented.token, provenKey: proof?.keyThumbprint, at: time.now())
        } catch let refusal as AdminRefusal where refusal.reason == .invalid && proof != nil {
            throw AdminRefusal(.invalid, of: refusal.holder, codeBesideProof: .invalidToken)
        }
        if let proof { try await claim(proof) }
        return AdminVisit(
            actor: administrator.actor, signedInAt: administrator.credential.signedInAt, proof: .token(administrator),
            holder: AdminRefusal.Holder(administrator))
    }

    private func judgedProof(_ presented: PresentedAccessToken) throws -> DPoPVerifier.Unclaimed? {
        guard presented.scheme == .dpop else { return nil }
        guard let proofs else { throw AdminRefusal(.invalid) }
        do {
            return try proofs.judge(presented.proof, accessToken: presented.token, at: time.now())
        } catch {
            throw Self.refusal(ofProof: error)
        }
    }

    private func claim(_ proof: DPoPVerifier.Unclaimed) async throws {
        do {
            try await proofs?.claim(proof, at: time.now())
        } catch let error as OAuthError {
            throw Self.refusal(ofProof: error)
        }
    }

    private static func refusal(ofProof error: OAuthError) -> any Error {
        guard ResourceChallenge.isAboutProof(error) else { return error }
        guard error.code == .useDPoPNonce else { return AdminRefusal(.invalid, codeBesideProof: error.code) }
        return ResourceChallenge.error(for: error)
    }

    private func browserVisit(_ request: Request, isUse: Bool) async throws -> AdminVisit {
        if let console = try await consoleVisit(request, isUse: isUse) {
            return try await laterSignIn(request, than: console, isUse: isUse) ?? console
        }
        if let secret = request.sessionSecret, let visit = try await browserVisit(secret, isUse: isUse) { return visit }
        // No sign-in here sets a web view's cookies: an app's exchange, a link or a hand-off does (contract §16.2).
        if let session = try await browsers?.webViewSession(of: request) {
            throw AdminRefusal(.notSignedInHere, of: AdminRefusal.Holder(session))
        }
        throw AdminRefusal(request.adminSecret == nil ? .missing : .invalid)
    }

    private func consoleVisit(_ request: Request, isUse: Bool) async throws -> AdminVisit? {
        guard let secret = request.adminSecret, let session = try await adminSessions.lookUp(secret, isUse: isUse)
        else { return nil }
        return AdminVisit(
            actor: session.actor, signedInAt: session.credential.signedInAt, proof: .console(secret),
            holder: AdminRefusal.Holder(session.administrator))
    }

    /// The browser's own session, where the person whose token opened the console has signed in since: whoever had to
    /// sign in again for a change goes on by that sign-in.
    private func laterSignIn(_ request: Request, than console: AdminVisit, isUse: Bool) async throws -> AdminVisit? {
        guard case .account = console.actor, let secret = request.sessionSecret else { return nil }
        do {
            guard let own = try await browserVisit(secret, isUse: false), own.actor == console.actor,
                let signedInAt = own.signedInAt, console.signedInAt.map({ $0 < signedInAt }) ?? true
            else { return nil }
            return isUse ? try await browserVisit(secret, isUse: true) : own
        } catch is AdminRefusal {
            return nil
        }
    }

    private func browserVisit(_ secret: OpaqueSecret, isUse: Bool) async throws -> AdminVisit? {
        let session: WebSession
        switch try await webSessions.lookUp(secret, usedWithin: AdminSession.idleLifetime, isUse: isUse) {
        case .inUse(let found): session = found
        case .idle(let found): throw AdminRefusal(.idle, of: AdminRefusal.Holder(found))
        case .none: return nil
        }
        // Before anything else is asked: whatever another issuer says of a user's sign-in, it was not here.
        let holder = AdminRefusal.Holder(session)
        guard session.isOwnSignIn else { throw AdminRefusal(.notSignedInHere, of: holder) }
        guard try await administrators.isAdministrator(session.subject) else {
            throw AdminRefusal(.notAdministrator, of: holder)
        }
        guard !requiresSecondFactor || session.authentication.hasTwoFactors else {
            throw AdminRefusal(try await administrators.refusalOfOneFactor(of: session.subject), of: holder)
        }
        return AdminVisit(
            actor: .account(session.subject), signedInAt: session.authentication.time, proof: .browser(secret),
            holder: holder)
    }

    private func isOurs(_ request: Request, formToken: String?, expecting expected: String?) -> Bool {
        guard sameOrigin.holds(for: request), let formToken, let expected else { return false }
        return ConstantTime.equals(formToken.utf8, expected.utf8)
    }
}

/// An administrator's request that was let in.
struct AdminVisit: Sendable {
    /// What proved it.
    enum Proof: Sendable {
        /// An access token of this request.
        case token(Administrator)
        /// The console's own session, which an access token opened.
        case console(OpaqueSecret)
        /// The browser's session, which a sign-in here opened.
        case browser(OpaqueSecret)
    }

    let actor: AdminActor
    /// When the person signed in; `nil` for a program, and where it is not known.
    let signedInAt: Timestamp?
    let proof: Proof
    /// Whom a refusal of what the request asks for names.
    fileprivate let holder: AdminRefusal.Holder

    fileprivate init(actor: AdminActor, signedInAt: Timestamp?, proof: Proof, holder: AdminRefusal.Holder) {
        self.actor = actor
        self.signedInAt = signedInAt
        self.proof = proof
        self.holder = holder
    }

    /// The client whose token opened the console, which closes when that client's secret is replaced (ADR-0074); `nil`
    /// where a sign-in here opened it, and for a program.
    var consoleClient: ClientID? {
        guard case .console = proof else { return nil }
        return holder.clientID
    }

    /// What a form of the console must bring back; `nil` for a program, which no foreign page can send.
    var formToken: String? {
        switch proof {
        case .token: nil
        case .console(let secret), .browser(let secret): Self.formToken(for: secret)
        }
    }

    /// Whether the person signed in recently enough to change something for good. A program has no sign-in.
    func isFresh(at now: Timestamp) -> Bool {
        guard case .account = actor else { return true }
        return Authentication(time: signedInAt).isFresh(within: WebSession.signInFreshness, at: now)
    }

    /// The form token of a browser: a code over its cookie's secret, so that only a page that was sent to this browser
    /// knows it (contract §8). It lives as long as the session.
    static func formToken(for secret: OpaqueSecret) -> String {
        let key = SymmetricKey(data: Array(secret.expose().utf8))
        return Base64URL.encode(
            Array(HMAC<SHA256>.authenticationCode(for: Array("drawbridge console form".utf8), using: key)))
    }
}

/// Routes for administrators.
protocol AdministratorGroup: RouteGroup {
    var gate: AdminGate { get }
}

extension AdministratorGroup {
    static var place: Origins.Purposes? { .console }
}

extension RouteGuard where Group: AdministratorGroup, Admitted == AdminVisit {
    /// An administrator, by token or by session; a session needs a form token and a fresh sign-in as the method asks.
    static var administrator: Self { administrator(for: nil) }

    /// - Parameter purpose: what for; `nil` by the request's method.
    static func administrator(for purpose: AdminPurpose?) -> Self {
        Self(.administrator) { group, handler in
            let gate = group.gate
            return { request, context in
                try await handler(request, context, try await gate.admit(request, context, for: purpose))
            }
        }
    }
}
