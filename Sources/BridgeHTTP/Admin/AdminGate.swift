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
    /// - Parameter formToken: the field of a form; otherwise the header `X-CSRF-Token` is read.
    /// - Throws: `OAuthError` or ``ChallengedError`` as RFC 6750 §3.1 wants; ``StorageError``.
    package func admit(
        _ request: Request, _ context: BridgeRequestContext, formToken: String? = nil
    ) async throws -> AdminVisit {
        do {
            return try await visit(request, formToken: formToken ?? request.headers[.xCSRFToken])
        } catch let refusal as AdminRefusal {
            let origin = context.origin(of: request)
            try await refusals.adminRefused(refusal, origin: origin, at: time.now())
            throw Self.error(for: refusal)
        }
    }

    /// As ``admit(_:_:formToken:)``, with the plain reason and without a trace in the audit log: for pages that lead
    /// to the sign-in.
    func visit(_ request: Request, formToken: String?) async throws -> AdminVisit {
        guard request.headers.values(of: .authorization).isEmpty else {
            let presented = try BearerReader.token(in: request)
            let administrator = try await authenticator.administrator(
                presenting: presented.token, provenKey: try await provenKey(presented), at: time.now())
            return AdminVisit(actor: administrator.actor, formToken: nil)
        }
        let visit = try await browserVisit(request)
        guard !Self.changesState(request) || isOurs(request, formToken: formToken, visit) else {
            throw AdminRefusal.foreignPage
        }
        return visit
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

    private func browserVisit(_ request: Request) async throws -> AdminVisit {
        if let secret = request.adminSecret, let session = try await adminSessions.lookUp(secret) {
            return AdminVisit(actor: session.actor, formToken: AdminVisit.formToken(for: secret))
        }
        guard let secret = request.sessionSecret,
            let session = try await webSessions.lookUp(secret, usedWithin: AdminSession.idleLifetime)
        else { throw request.adminSecret == nil ? AdminRefusal.missing : .invalid }
        guard try await administrators.isAdministrator(session.subject) else { throw AdminRefusal.notAdministrator }
        guard !requiresSecondFactor || Self.hasSecondFactor(session.authentication) else {
            throw try await administrators.canEnrolSecondFactor(session.subject)
                ? AdminRefusal.secondFactorNotEnrolled : .secondFactorMissing
        }
        return AdminVisit(actor: .account(session.subject), formToken: AdminVisit.formToken(for: secret))
    }

    private static func hasSecondFactor(_ authentication: Authentication) -> Bool {
        AuthenticationLevel.satisfies(authentication.acr, required: AuthenticationLevel.twoFactors.rawValue)
            || !secondFactors.isDisjoint(with: authentication.amr)
    }

    private func isOurs(_ request: Request, formToken: String?, _ visit: AdminVisit) -> Bool {
        guard sameOrigin.holds(for: request), let formToken, let expected = visit.formToken else { return false }
        return ConstantTime.equals(Array(formToken.utf8), Array(expected.utf8))
    }

    private static func changesState(_ request: Request) -> Bool {
        ![.get, .head, .options].contains(request.method)
    }

    static func error(for refusal: AdminRefusal) -> any Error {
        switch refusal {
        case .missing:
            ChallengedError(
                error: OAuthError(.invalidToken, "an administrator's access token is required"),
                headers: [.wwwAuthenticate: "Bearer"])
        case .invalid: OAuthError(.invalidToken)
        case .notAdministrator:
            ChallengedError(
                error: OAuthError(.insufficientScope, "this takes the scope admin, or the role admin"),
                headers: [.wwwAuthenticate: "Bearer error=\"insufficient_scope\", scope=\"admin\""])
        case .secondFactorMissing, .idle:
            OAuthError(.insufficientUserAuthentication, "sign in again, with a second factor")
        case .secondFactorNotEnrolled:
            OAuthError(.insufficientUserAuthentication, "set up a second factor, then sign in with it")
        case .foreignPage: OAuthError(.forbidden, "this takes a page of the console, or an access token")
        }
    }
}

extension HTTPField.Name {
    static let xCSRFToken = literal("X-CSRF-Token")
}
