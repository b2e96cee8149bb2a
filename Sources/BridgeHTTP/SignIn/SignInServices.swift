package import Bridge

/// What the sign-in and authorization pages call.
package struct SignInServices: Sendable {
    package let signIn: SignIn
    package let landing: SignInLanding
    package let authorizations: Authorizations
    package let accounts: any AccountStore

    package init(
        signIn: SignIn, landing: SignInLanding, authorizations: Authorizations,
        accounts: any AccountStore
    ) {
        self.signIn = signIn
        self.landing = landing
        self.authorizations = authorizations
        self.accounts = accounts
    }
}
