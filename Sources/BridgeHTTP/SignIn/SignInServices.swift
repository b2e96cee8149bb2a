package import Bridge

/// What the sign-in and authorization pages call.
package final class SignInServices: Sendable {
    package let signIn: SignIn
    package let landing: SignInLanding
    package let authorizations: Authorizations
    /// Authorizations for requests that may bring a login token.
    package let tokens: LoginTokenAuthorizations
    package let accounts: any UserStore
    /// `nil` where there is no token side, so nobody who could authenticate a client.
    package let pushedRequests: PushedRequests?
    /// `nil` where nobody signs in at another provider.
    package let upstream: UpstreamServices?
    package let secondFactor: SecondFactorEnrolment
    /// `nil` where nobody signs in with a passkey.
    package let passkeys: PasskeyServices?
    /// `nil` where nobody signs in with a phone's key.
    package let selfIssued: SelfIssuedServices?
    /// Seals forms of the console that wait for a newer sign-in.
    package let heldForms: ShortLivedSeal
    /// Carries a website's authorization request from its POST to the GET after it.
    package let postedRequests: ShortLivedSeal
    /// `nil` where phones sign nobody in.
    package let phone: PhoneSignInServices?
    package let account: AccountServices

    package init(
        signIn: SignIn, landing: SignInLanding, authorizations: Authorizations, redeemer: LoginTokenRedeemer,
        accounts: any UserStore, pushedRequests: PushedRequests? = nil, upstream: UpstreamServices? = nil,
        secondFactor: SecondFactorEnrolment, passkeys: PasskeyServices? = nil,
        selfIssued: SelfIssuedServices? = nil, heldForms: ShortLivedSeal, postedRequests: ShortLivedSeal,
        phone: PhoneSignInServices? = nil, account: AccountServices
    ) {
        self.signIn = signIn
        self.landing = landing
        self.authorizations = authorizations
        tokens = LoginTokenAuthorizations(authorizations: authorizations, redeemer: redeemer)
        self.accounts = accounts
        self.pushedRequests = pushedRequests
        self.upstream = upstream
        self.secondFactor = secondFactor
        self.passkeys = passkeys
        self.selfIssued = selfIssued
        self.heldForms = heldForms
        self.postedRequests = postedRequests
        self.phone = phone
        self.account = account
    }
}

/// Signing in at another provider.
package final class UpstreamServices: Sendable {
    package let signIn: UpstreamSignIn
    /// What the providers tell of those who have signed out there.
    package let signOuts: UpstreamSignOuts

    package init(signIn: UpstreamSignIn, signOuts: UpstreamSignOuts) {
        self.signIn = signIn
        self.signOuts = signOuts
    }
}

/// Signing in with a phone's key.
package final class SelfIssuedServices: Sendable {
    package let signIn: SelfIssuedSignIn
    /// `nil` where no app links its phone's key.
    package let registration: KeyRegistration?

    package init(signIn: SelfIssuedSignIn, registration: KeyRegistration? = nil) {
        self.signIn = signIn
        self.registration = registration
    }
}

/// Signing in a computer's browser with a phone.
package final class PhoneSignInServices: Sendable {
    /// The computer's side.
    package let signIns: PhoneSignIns
    /// The phone's.
    package let approvals: PhoneApprovals
    package let shownCodes: ShownSignInCodes

    package init(signIns: PhoneSignIns, approvals: PhoneApprovals, shownCodes: ShownSignInCodes) {
        self.signIns = signIns
        self.approvals = approvals
        self.shownCodes = shownCodes
    }
}
