#if canImport(UIKit) && canImport(WebKit) && canImport(Security)
    import Foundation
    import UIKit
    import WebKit

    // What docs/apps.md shows, so that it is type-checked.

    private protocol Phone: Sendable {
        func prove(_ code: String) async -> Redacted<String>?
    }

    @MainActor
    private func useEverything(
        browser: any SignInBrowser, page: URL, webView: WKWebView, scanned: String, phone: any Phone,
        ask: @escaping @Sendable (AskingBrowser) async -> ApprovalDecision
    ) async throws {
        let drawbridge = Drawbridge(
            configuration: try ClientConfiguration(
                issuer: IssuerAddress("https://id.example.com"), clientID: "phone-app",
                sharing: SharingGroup(service: "com.example.native-sso", accessGroup: "TEAM_ID.com.example.sso")),
            store: KeychainSecretStore())

        // By what this app has kept, or another app of yours has left. It takes a moment: say "Signing you in…" while it
        // lasts, since nobody is asked.
        switch await drawbridge.signInSilently() {
        case .signedIn(let claims): print(claims.subject)
        case .needsSignIn: try await drawbridge.signIn(with: browser)
        }
        let link = try await drawbridge.openURL(path: "/contacts")
        await UIApplication.shared.open(link.url.expose())

        // A web view that is signed in before it loads the page.
        let cookies = try await drawbridge.cookies(for: page, webView: "phone-web-view")
        await cookies.fill(webView.configuration.websiteDataStore.httpCookieStore)

        // Another device's browser, and a key on this phone that signs in.
        let digits = try await drawbridge.approveSignIn(link: scanned) { asking in await ask(asking) }
        let key = try await drawbridge.linkPhoneKey { asked in await phone.prove(asked.code) }

        try await drawbridge.signOut()
        _ = (digits, key)
    }

    private func asksForAFace() -> any SecretStore {
        KeychainSecretStore(asking: .currentBiometry)
    }

    private struct Follower {
        var isSignedIn = false

        mutating func follow(_ drawbridge: Drawbridge) async {
            for await state in await drawbridge.states() { isSignedIn = state != .signedOut }
        }
    }
#endif
