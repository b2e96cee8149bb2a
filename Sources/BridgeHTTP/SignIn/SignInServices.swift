package import Bridge

/// What the sign-in and authorization pages call.
package final class SignInServices: Sendable {
    package let signIn: SignIn
    package let landing: SignInLanding
    package let authorizations: Authorizations
    /// The same for requests that may bring a login token.
    package let tokens: LoginTokenAuthorizations
    package let accounts: any UserStore
    /// `nil` where there is no token side, so nobody who could authenticate a client.
    package let pushedRequests: PushedRequests?
    package let upstream: UpstreamSignIn?
    package let upstreamSignOuts: UpstreamSignOuts?
    /// `nil` without a master key: then nobody can set up a second factor.
    package let secondFactor: SecondFactorEnrolment?
    /// `nil` where nobody signs in with a passkey.
    package let passkeys: PasskeyServices?
    /// `nil` where nobody signs in with a phone's key.
    package let selfIssued: SelfIssuedSignIn?
    /// `nil` where no app links its phone's key.
    package let keyRegistration: KeyRegistration?
    /// Seals forms of the console that wait for a newer sign-in.
    package let heldForms: ShortLivedSeal
    /// `nil` where phones sign nobody in.
    package let phone: PhoneSignInServices?
    package let account: AccountServices

    package init(
        signIn: SignIn, landing: SignInLanding, authorizations: Authorizations, redeemer: LoginTokenRedeemer,
        accounts: any UserStore, pushedRequests: PushedRequests? = nil, upstream: UpstreamSignIn? = nil,
        upstreamSignOuts: UpstreamSignOuts? = nil, secondFactor: SecondFactorEnrolment? = nil,
        passkeys: PasskeyServices? = nil, selfIssued: SelfIssuedSignIn? = nil,
        keyRegistration: KeyRegistration? = nil, heldForms: ShortLivedSeal, phone: PhoneSignInServices? = nil,
        account: AccountServices
    ) {
        self.signIn = signIn
        self.landing = landing
        self.authorizations = authorizations
        tokens = LoginTokenAuthorizations(authorizations: authorizations, redeemer: redeemer)
        self.accounts = accounts
        self.pushedRequests = pushedRequests
        self.upstream = upstream
        self.upstreamSignOuts = upstreamSignOuts
        self.secondFactor = secondFactor
        self.passkeys = passkeys
        self.selfIssued = selfIssued
        self.keyRegistration = keyRegistration
        self.heldForms = heldForms
        self.phone = phone
        self.account = account
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
