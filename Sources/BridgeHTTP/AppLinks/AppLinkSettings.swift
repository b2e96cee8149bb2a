/// Which apps may open which of our links themselves; a file that would name no app is not served.
package struct AppLinkSettings: Hashable, Sendable {
    /// An app of Apple's platforms.
    package struct AppleApp: Hashable, Sendable {
        /// `<team id>.<bundle id>`.
        package let appID: String
        /// Path patterns as Apple writes them, such as `/contacts/*`.
        package let paths: [String]

        package init(appID: String, paths: [String]) {
            self.appID = appID
            self.paths = paths
        }
    }

    /// An Android app.
    package struct AndroidApp: Hashable, Sendable {
        package let package: String
        /// SHA-256 of the signing certificate, `AA:BB:…`.
        package let fingerprints: [String]

        package init(package: String, fingerprints: [String]) {
            self.package = package
            self.fingerprints = fingerprints
        }
    }

    package let appleApps: [AppleApp]
    package let androidApps: [AndroidApp]
    /// App ids whose sign-in sheet may end at an https address of this host; Apple calls that `webcredentials`.
    package let appleSignInApps: [String]

    /// Whether any app claims the website's links.
    package var isAny: Bool { !appleApps.isEmpty || !androidApps.isEmpty }

    package init(appleApps: [AppleApp] = [], androidApps: [AndroidApp] = [], appleSignInApps: [String] = []) {
        self.appleApps = appleApps
        self.androidApps = androidApps
        self.appleSignInApps = appleSignInApps
    }
}
