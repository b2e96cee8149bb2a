package import Bridge
import HTTPTypes
package import Hummingbird
import OAuth2

/// Lets administrators in and nobody else (contract §8): by an access token, or by the session of a browser.
package struct AdminGate: Sendable {
    let authenticator: any AdminAuthenticator
    let adminSessions: AdminSessions
    private let webSessions: WebSessions
    private let administrators: any AdministratorDirectory
    /// Off in the demo only.
    private let requiresSecondFactor: Bool
    private let proofs: DPoPVerifier?
    private let sameOrigin: SameOriginProof
    let refusals: RefusalLog
    let time: TimeSource

    /// Methods of a second factor (RFC 8176 §2).
    private static let secondFactors: Set = ["mfa", "otp", "hwk", "swk", "sc", "fpt", "face"]

    package init(
        authenticator: any AdminAuthenticator, adminSessions: AdminSessions, webSessions: WebSessions,
        administrators: any AdministratorDirectory, requiresSecondFactor: Bool, publicOrigin: WebOrigin,
        proofs: DPoPVerifier? = nil, refusals: RefusalLog, time: TimeSource = .system
    ) {
        self.authenticator = authenticator
        self.adminSessions = adminSessions
        self.webSessions = webSessions
        self.administrators = administrators
        self.requiresSecondFactor = requiresSecondFactor
        sameOrigin = SameOriginProof(publicOrigin: publicOrigin)
        self.proofs = proofs
        self.refusals = refusals
        self.time = time
    }

    /// Who sends this request.
    /// - Parameters:
    ///   - purpose: what for; `nil` by its method.
    ///   - formToken: the field of a form; otherwise the header `X-CSRF-Token` is read.
    /// - Throws: `OAuthError` or ``ChallengedError`` as RFC 6750 §3.1 wants; ``StorageError``.
    package func admit(
        _ request: Request, _ context: BridgeRequestContext, for purpose: AdminPurpose? = nil,
        formToken: String? = nil
    ) async throws -> AdminVisit {
        do {
            return try await visit(request, for: purpose, formToken: formToken ?? request.headers[.xCSRFToken])
        } catch let refusal as AdminRefusal {
            throw try await error(for: refusal, request, context)
        }
    }

    /// As ``admit(_:_:for:formToken:)``, with the plain reason and without a trace in the audit log: for pages that
    /// lead to the sign-in.
    func visit(_ request: Request, for purpose: AdminPurpose? = nil, formToken: String?) async throws -> AdminVisit {
        guard request.headers.values(of: .authorization).isEmpty else { return try await programVisit(request) }
        let purpose = purpose ?? AdminPurpose(request.method.rawValue)
        let visit = try await browserVisit(request, isUse: purpose != .watch)
        guard !purpose.takesFormToken || isOurs(request, formToken: formToken, visit) else {
            throw AdminRefusal.foreignPage
        }
        if case .browser = visit.proof, purpose == .change, !visit.isFresh(at: time.now()) {
            throw AdminRefusal.signInTooOld
        }
        return visit
    }

    /// Refuses a person who signed in too long ago, however he was let in: by a token too.
    func requireFreshSignIn(
        _ visit: AdminVisit, _ request: Request, _ context: BridgeRequestContext
    ) async throws {
        guard !visit.isFresh(at: time.now()) else { return }
        throw try await error(for: .signInTooOld, request, context)
    }

    /// Whether somebody who was let in would still be: for what goes on after its request was answered. No use of his
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
        return Self.error(for: refusal)
    }

    private func programVisit(_ request: Request) async throws -> AdminVisit {
        let presented = try BearerReader.token(in: request)
        let administrator = try await authenticator.administrator(
            presenting: presented.token, provenKey: try await provenKey(presented), at: time.now())
        return AdminVisit(
            actor: administrator.actor, signedInAt: administrator.credential.signedInAt, proof: .token(administrator))
    }

    /// - Throws: ``AdminRefusal/invalid`` for a proof that does not hold: an administrator's tool finds out why at any
    ///   other resource.
    private func provenKey(_ presented: PresentedAccessToken) async throws -> String? {
        guard presented.scheme == .dpop else { return nil }
        guard let proofs else { throw AdminRefusal.invalid }
        do {
            return try await proofs.verify(presented.proof, accessToken: presented.token, at: time.now())
        } catch let error as OAuthError where ResourceChallenge.isAboutProof(error) {
            guard error.code == .useDPoPNonce else { throw AdminRefusal.invalid }
            throw ResourceChallenge.error(for: error)
        }
    }

    private func browserVisit(_ request: Request, isUse: Bool) async throws -> AdminVisit {
        if let secret = request.adminSecret, let session = try await adminSessions.lookUp(secret, isUse: isUse) {
            return AdminVisit(
                actor: session.actor, signedInAt: session.credential.signedInAt, proof: .console(secret))
        }
        guard let secret = request.sessionSecret, let visit = try await browserVisit(secret, isUse: isUse) else {
            throw request.adminSecret == nil ? AdminRefusal.missing : .invalid
        }
        return visit
    }

    private func browserVisit(_ secret: OpaqueSecret, isUse: Bool) async throws -> AdminVisit? {
        let session: WebSession
        switch try await webSessions.lookUp(secret, usedWithin: AdminSession.idleLifetime, isUse: isUse) {
        case .inUse(let found): session = found
        case .idle: throw AdminRefusal.idle
        case .none: return nil
        }
        // Before anything else is asked: whatever another issuer says of a user's sign-in, it was not here.
        guard session.isOwnSignIn else { throw AdminRefusal.notSignedInHere }
        guard try await administrators.isAdministrator(session.subject) else { throw AdminRefusal.notAdministrator }
        guard !requiresSecondFactor || Self.hasSecondFactor(session.authentication) else {
            throw try await administrators.canEnrolSecondFactor(session.subject)
                ? AdminRefusal.secondFactorNotEnrolled : .secondFactorMissing
        }
        return AdminVisit(
            actor: .account(session.subject), signedInAt: session.authentication.time, proof: .browser(secret))
    }

    private static func hasSecondFactor(_ authentication: Authentication) -> Bool {
        AuthenticationLevel.satisfies(authentication.acr, required: AuthenticationLevel.twoFactors.rawValue)
            || !secondFactors.isDisjoint(with: authentication.amr)
    }

    private func isOurs(_ request: Request, formToken: String?, _ visit: AdminVisit) -> Bool {
        guard sameOrigin.holds(for: request), let formToken, let expected = visit.formToken else { return false }
        return ConstantTime.equals(Array(formToken.utf8), Array(expected.utf8))
    }

    private static let insufficientScope = "Bearer error=\"insufficient_scope\", scope=\"admin\""
    // RFC 9470 §3.
    private static let insufficientSignIn =
        "Bearer error=\"\(ErrorCode.insufficientUserAuthentication.rawValue)\""
    private static let strongSignIn =
        "\(insufficientSignIn), acr_values=\"\(AuthenticationLevel.twoFactors.rawValue)\""
    private static let freshSignIn =
        "\(insufficientSignIn), max_age=\"\(WebSession.signInFreshness.inMilliseconds / 1000)\""

    private static func error(for refusal: AdminRefusal) -> any Error {
        switch refusal {
        case .missing:
            ChallengedError(
                error: OAuthError(.invalidToken, "an administrator's access token is required"),
                headers: [.wwwAuthenticate: "Bearer"])
        case .invalid: OAuthError(.invalidToken)
        case .notSignedInHere:
            ChallengedError(
                error: OAuthError(.insufficientScope, "this takes a sign-in at this service's own page"),
                headers: [.wwwAuthenticate: insufficientScope])
        case .notAdministrator:
            ChallengedError(
                error: OAuthError(.insufficientScope, "this takes the scope admin, or the role admin"),
                headers: [.wwwAuthenticate: insufficientScope])
        case .secondFactorMissing, .idle:
            OAuthError(
                .insufficientUserAuthentication, "sign in again, with a second factor", challenge: strongSignIn)
        case .secondFactorNotEnrolled:
            OAuthError(
                .insufficientUserAuthentication, "set up a second factor, then sign in with it",
                challenge: strongSignIn)
        case .signInTooOld:
            OAuthError(
                .insufficientUserAuthentication, "sign in again: a change takes a sign-in of the last 15 minutes",
                challenge: freshSignIn)
        case .foreignPage: OAuthError(.forbidden, "this takes a page of the console, or an access token")
        }
    }
}

extension HTTPField.Name {
    static let xCSRFToken = literal("X-CSRF-Token")
}
