import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/.well-known/apple-app-site-association` and `/.well-known/assetlinks.json` (contract §13).
///
/// An app that claims all our links would swallow the login link on its way to the browser, so the redemption paths
/// come first in every list, excluded, and after them the pages that websites at this origin redeem at themselves. It
/// would also swallow a sign-in on its way back from an upstream provider, so the service's own pages follow, excluded.
struct AppLinkController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(
            .get, "/.well-known/apple-app-site-association", "appleAppSiteAssociation",
            anyone: appleAppSiteAssociation),
        Route(.get, "/.well-known/assetlinks.json", "assetLinks", anyone: assetLinks),
    ]

    let settings: AppLinkSettings
    let redemptionPaths: [String]
    let origins: OriginReader
    /// Patterns of the service's own pages at an origin for these purposes, which no app is to open.
    let browserPages: @Sendable (Origins.Purposes) -> [String]

    @Sendable func appleAppSiteAssociation(_ request: Request, context: BridgeRequestContext) throws -> Response {
        try file(Self.association(settings, excluding: excludedPaths(at: request)))
    }

    @Sendable func assetLinks(_ request: Request, context: BridgeRequestContext) throws -> Response {
        try file(Self.statements(settings.androidApps, excluding: excludedPaths(at: request)))
    }

    /// Read for each request: websites change while the service runs.
    private func excludedPaths(at request: Request) -> [String] {
        let place = origins.place(of: request)
        let websites = origins.clients.current.websites[place.origin] ?? []
        let pages = Set(websites.compactMap(\.redemptionPage)).subtracting(redemptionPaths)
        return redemptionPaths + pages.sorted() + browserPages(place.purposes)
    }

    private func file(_ content: ByteBuffer?) throws -> Response {
        guard let content else { throw OAuthError(.notFound) }
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=3600"],
            body: .init(byteBuffer: content))
    }

    private static func association(_ settings: AppLinkSettings, excluding paths: [String]) -> ByteBuffer? {
        guard !settings.appleApps.isEmpty || !settings.appleSignInApps.isEmpty else { return nil }
        var file = JSONObjectWriter()
        if !settings.appleApps.isEmpty {
            let details = settings.appleApps.map { app in
                var object = JSONObjectWriter()
                object.add("appIDs", [app.appID])
                object.add("components", objects: components(app.paths, excluding: paths))
                return object
            }
            var links = JSONObjectWriter()
            links.add("details", objects: details)
            file.add("applinks", json: links)
        }
        if !settings.appleSignInApps.isEmpty {
            var credentials = JSONObjectWriter()
            credentials.add("apps", settings.appleSignInApps)
            file.add("webcredentials", json: credentials)
        }
        return ByteBuffer(bytes: file.finish())
    }

    private static func statements(_ apps: [AppLinkSettings.AndroidApp], excluding paths: [String]) -> ByteBuffer? {
        guard !apps.isEmpty else { return nil }
        let statements = apps.map { app in
            var target = JSONObjectWriter()
            target.add("namespace", "android_app")
            target.add("package_name", app.package)
            target.add("sha256_cert_fingerprints", app.fingerprints)
            // Dynamic app links, Android 15 and later; before that an app's own intent filters decide.
            var rules = JSONObjectWriter()
            rules.add("dynamic_app_link_components", objects: components(["/*"], excluding: paths))
            var extensions = JSONObjectWriter()
            extensions.add("delegate_permission/common.handle_all_urls", json: rules)
            var statement = JSONObjectWriter()
            statement.add("relation", ["delegate_permission/common.handle_all_urls"])
            statement.add("target", json: target)
            statement.add("relation_extensions", json: extensions)
            return statement
        }
        return ByteBuffer(bytes: JSONObjectWriter.array(statements))
    }

    private static func components(_ paths: [String], excluding excluded: [String]) -> [JSONObjectWriter] {
        excluded.map { path in
            var component = JSONObjectWriter()
            component.add("/", path)
            component.add("exclude", true)
            return component
        }
            + paths.map { path in
                var component = JSONObjectWriter()
                component.add("/", path)
                return component
            }
    }
}
