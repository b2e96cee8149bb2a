import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/assets/{name}`: the stylesheet, scripts and pictures, from memory.
struct AssetController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/assets/{name}", "asset", anyone: serve),
        Route(.get, "/favicon.ico", "favicon", anyone: showIcon),
        Route(.get, "/openapi.json", "openapi", anyone: describeAPI),
        Route(.get, "/openapi-console.json", "openapiConsole", anyone: describeConsole),
    ]

    private struct Asset {
        let body: ByteBuffer
        let type: String
        let tag: String

        init(_ content: [UInt8], type: String) {
            body = ByteBuffer(bytes: content)
            self.type = type
            tag = EntityTags.strong(of: content)
        }
    }

    private static let svg = "image/svg+xml"
    private static let apiDescription = Asset(PublicFiles.apiDescription, type: "application/json")
    private static let consoleDescription = Asset(PublicFiles.consoleDescription, type: "application/json")

    private let assets: [String: Asset]

    init(files: PublicFiles) {
        assets = Dictionary(
            uniqueKeysWithValues: files.section("assets").compactMap { name, content in
                guard let type = Self.mediaType(of: name) else { return nil }
                return (name, Asset(content, type: type))
            })
    }

    @Sendable func serve(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard let name = context.parameters.get("name") else { throw OAuthError(.notFound) }
        if let asset = assets[name] { return Self.answer(asset, to: request) }
        guard let accent = AccentStylesheet(name: name) else { throw OAuthError(.notFound) }
        return Self.answer(Asset(Array(accent.text.utf8), type: "text/css; charset=utf-8"), to: request)
    }

    /// `/favicon.ico`, which browsers ask for along with answers that are no pages. A folder of one's own may have its
    /// own icon of either kind.
    @Sendable func showIcon(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard let icon = assets["favicon.ico"] ?? assets["drawbridge.svg"] else { throw OAuthError(.notFound) }
        return Self.answer(icon, to: request)
    }

    /// `/openapi.json`: every public route but those of the console, in OpenAPI 3.1.
    @Sendable func describeAPI(_ request: Request, context: BridgeRequestContext) -> Response {
        Self.answer(Self.apiDescription, to: request)
    }

    /// `/openapi-console.json`: the console's pages and forms.
    @Sendable func describeConsole(_ request: Request, context: BridgeRequestContext) -> Response {
        Self.answer(Self.consoleDescription, to: request)
    }

    private static func answer(_ asset: Asset, to request: Request) -> Response {
        // The address stays the same when the content changes, so a browser caches it briefly and then asks again.
        var headers: HTTPFields = [
            .contentType: asset.type, .cacheControl: "public, max-age=300", .eTag: asset.tag,
        ]
        // In a page such a picture runs no script; opened by itself, somebody else's logo would, at our origin.
        if asset.type == svg {
            headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        }
        if request.knows(asset.tag) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: asset.body))
    }

    private static func mediaType(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": svg
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        default: nil
        }
    }
}
