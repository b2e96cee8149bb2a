import Bridge
import HTTPTypes

/// All routes of the service, as they are declared: what is there when everything is switched on.
package enum RouteTable {
    package static let all: [RouteDeclaration] = groups.flatMap { $0.declarations }

    static var groups: [any RouteGroup.Type] {
        [
            IssueController.self, RedemptionController.self, HandOffController.self, SessionController.self,
            AuthCheckController.self, SignInWayController.self,
            SignInController.self, AuthorizeController.self, UpstreamController.self, UpstreamSignOutController.self,
            SecondFactorController.self,
            PasskeySignInController.self, PasskeysController.self,
            SelfIssuedController.self, SelfIssuedRequestController.self, SelfIssuedReturnController.self,
            LinkedKeysController.self, AccountController.self, ConsentsController.self,
            PhoneSignInController.self, SignInCodeController.self, ApprovalController.self,
            KeyRegistrationController.self,
            DevicesController.self, MessageController.self, LanguageController.self, AssetController.self,
            AppLinkController.self,
            TokenController.self, PushedRequestController.self, DeviceAuthorizationController.self,
            DeviceGrantController.self, UserInfoController.self, MetadataController.self,
            LogoutController.self, SessionRefreshController.self, CompatibleAuthorizeController.self,
            CompatibleTokenController.self, CompatibleSessionController.self, AuditController.self,
            AuditStreamController.self, AdminClientController.self, AdminUserController.self, AdminKeyController.self,
            AdminExplainController.self, NativeSSOSettingsController.self, DeviceSecretController.self,
            ConsoleSignIn.self, ConsoleOverview.self, ConsoleSessions.self, ConsoleEvents.self, ConsoleUsers.self,
            ConsoleAccounts.self,
            ConsoleClients.self, ConsoleExplain.self,
            ConsoleTools.self, ConsoleDevices.self, ConsoleNativeSSO.self, FrontPageController.self,
        ]
    }

    /// The paths whose answers follow the token endpoint's rules (RFC 6749 §5): where clients authenticate.
    package static var clientPaths: [String] { all.filter { $0.shape == .token }.map(\.path) }

    /// Members of the provider's metadata, and the paths that they name.
    static let metadata: [(member: String, path: String)] = all.compactMap { route in
        route.metadataMember.map { ($0, route.path) }
    }

    /// The forms that may wait for a sign-in, and what their buttons say.
    static let namedForms: [RouteDeclaration] = all.filter { $0.button != nil }

    /// How errors look, by route.
    /// - Parameter redemptionPaths: the configured ones, in the place of the one that is declared.
    static func shapes(redemptionPaths: [String]) -> [String: ErrorShapes.OfPath] {
        var shapes: [String: ErrorShapes.OfPath] = [:]
        for route in all { shapes[route.path, default: ErrorShapes.OfPath()].add(route) }
        // A path may be asked for with the slash at its end or without.
        for (path, shape) in shapes where path.hasSuffix("/") { shapes[String(path.dropLast())] = shape }
        let redemption = shapes.removeValue(forKey: LoginTokenSettings.redemptionPath)
        for path in redemptionPaths { shapes[path] = redemption }
        return shapes
    }

    /// Whether a path is the service's own, so that no website and no setting can give it another meaning.
    package static func reserves(_ path: String) -> Bool {
        let segments = path.split(separator: "/")
        guard let first = segments.first else { return false }
        return words.contains(first) || all.contains { $0.reservation == .paths && $0.isMatch(for: segments) }
    }

    /// Whether a page may be shown once more, for who wants it in another language.
    static func repetition(of path: Substring) -> PageRepetition {
        let segments = path.split(separator: "/")
        // `/admin/` is a page, with the slash or without; `/sign-in/` is not.
        let found = repeatable.first {
            (!path.hasSuffix("/") || $0.path.hasSuffix("/")) && $0.isMatch(for: segments)
        }
        return found?.repetition ?? .never
    }

    /// Pages at an origin for these purposes that an app must leave to the browser, which has the session and the
    /// cookies that they need: patterns of paths as the files for app links have them. Each page by itself, because an
    /// app's own https redirect may lie beside them. Redemption paths and the page that phones answer to are not among
    /// them, because settings say where those are.
    static func browserPages(at purposes: Origins.Purposes) -> [String] {
        let pages = all.filter { route in
            route.method == .get && route.place?.isDisjoint(with: purposes) != true && !route.opensInApps
                && route.reservation != .nothing && (route.shape == .page || route.shape == .negotiated)
        }
        return Set(pages.flatMap(\.patterns)).sorted()
    }

    private static let repeatable = all.filter { $0.repetition != .never }

    /// First segments that are the service's alone.
    private static let words: Set<Substring> = Set(
        all.filter { $0.reservation == .firstWord }.map(\.firstWord))
}

extension RouteDeclaration {
    fileprivate var firstWord: Substring { path.split(separator: "/").first ?? "" }

    /// The path with `*` in the place of each parameter, and, where it ends in a slash, also without that.
    fileprivate var patterns: [String] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let pattern = segments.map { $0.first == "{" ? "*" : String($0) }.joined(separator: "/")
        return pattern.hasSuffix("/") ? [pattern, String(pattern.dropLast())] : [pattern]
    }

    fileprivate func isMatch(for segments: [Substring]) -> Bool {
        let template = path.split(separator: "/")
        return template.count == segments.count
            && zip(template, segments).allSatisfy { $0 == $1 || $0.first == "{" }
    }
}
