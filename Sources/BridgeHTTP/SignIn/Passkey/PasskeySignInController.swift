package import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What the pages of passkeys call.
package final class PasskeyServices: Sendable {
    package let signIn: PasskeySignIn
    package let enrolment: PasskeyEnrolment

    package init(signIn: PasskeySignIn, enrolment: PasskeyEnrolment) {
        self.signIn = signIn
        self.enrolment = enrolment
    }
}

/// `/sign-in/passkey`: the other way out of the sign-in page, which asks for the passkey itself.
struct PasskeySignInController: SignInGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "beginPasskeySignInAnew", as: .page, anyone: beginAnew),
        Route(.post, path, "signInWithPasskey", as: .page, .signInForm(.signIn), attempt),
    ]

    static let place: Origins.Purposes? = [.provider, .console]
    static let unavailable = Unavailable.signIn
    static let path = "/sign-in/passkey"

    let flow: SignInFlow
    let passkeys: PasskeySignIn

    @Sendable func attempt(
        _ request: Request, context: BridgeRequestContext, sent: SignInForm
    ) async throws -> Response {
        let (form, errand) = (sent.form, sent.errand)
        let here = origins.own(of: request)
        let session = try await browsers.opened(by: request)
        func again(_ notice: SignInNotice) async throws -> Response {
            let missing = try await flow.missing(errand, browser: form.browser, session: session)
            let account: Account? = if case .password(let account) = missing { account } else { nil }
            return try flow.page(
                errand, notice, of: account, replacing: session, browser: form.browser, at: here,
                to: pageVisitor(request, context))
        }
        guard form.isOurs, let party = PasskeyParty(here) else {
            return try await again(.notOurs(form))
        }
        let outcome = try await passkeys.attempt(
            PasskeyAssertion(form.parameters), to: form.parameters["challenge"] ?? "", at: party,
            browser: form.browser, replacing: try await browsers.replaceable(in: request),
            origin: context.recognisedOrigin(of: request))
        switch outcome {
        case .signedIn(let opened):
            return try await flow.proceed(errand, opened, browser: form.browser, request, context)
        case .refused, .needsCode: return try await again(.passkeyRefused)
        case .stale: return try await again(.stale)
        case .limited(let wait): return try await again(.limited(wait))
        }
    }

    /// Somebody who opens it by hand has nothing to send.
    @Sendable func beginAnew(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try flow.beginAnew(request)
    }
}

/// What the sign-in page asks a browser for.
struct PasskeyRequest: Sendable {
    let party: PasskeyParty
    let challenge: PasskeyChallenge

    /// What a template fills in.
    var values: [String: any Sendable] {
        ["party": party.id, "challenge": challenge.text, "sealed": challenge.sealed]
    }
}
