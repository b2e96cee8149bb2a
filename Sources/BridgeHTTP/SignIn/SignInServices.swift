package import Bridge

/// What the sign-in and authorization pages call.
package struct SignInServices: Sendable {
    package let signIn: SignIn
    package let landing: SignInLanding
    package let authorizations: Authorizations
    package let accounts: any AccountStore
    /// `nil` where there is no token side, so nobody who could authenticate a client.
    package let pushedRequests: PushedRequests?
    package let upstream: UpstreamSignIn?
    /// `nil` without a master key: then nobody can set up a second factor.
    package let secondFactor: SecondFactorEnrolment?
    /// Seals forms of the console that wait for a newer sign-in.
    package let heldForms: ShortLivedSeal

    package init(
        signIn: SignIn, landing: SignInLanding, authorizations: Authorizations,
        accounts: any AccountStore, pushedRequests: PushedRequests? = nil, upstream: UpstreamSignIn? = nil,
        secondFactor: SecondFactorEnrolment? = nil, heldForms: ShortLivedSeal
    ) {
        self.signIn = signIn
        self.landing = landing
        self.authorizations = authorizations
        self.accounts = accounts
        self.pushedRequests = pushedRequests
        self.upstream = upstream
        self.secondFactor = secondFactor
        self.heldForms = heldForms
    }
}
