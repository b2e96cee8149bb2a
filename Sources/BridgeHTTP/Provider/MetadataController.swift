import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// The provider's description of itself (OpenID Connect Discovery, RFC 8414) and its public keys.
struct MetadataController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/.well-known/openid-configuration", "openidConfiguration", anyone: document).forScripts,
        Route(.get, "/.well-known/oauth-authorization-server", "oauthMetadata", anyone: document).forScripts,
        Route(.get, "/.well-known/jwks.json", "jwks", anyone: keys).forScripts.metadata("jwks_uri"),
    ]

    let provider: ProviderServices
    /// Members of the document that name a path.
    let endpoints: [(member: String, path: String)]
    /// Whether Native SSO is switched on, as far as is known: administrators may do so while the service runs, and
    /// clients have to find the provider also while its database is away.
    let offersNativeSSO: @Sendable () async throws -> Bool
    /// Those that pages are there in.
    let languages: [String]
    let time: TimeSource

    @Sendable func document(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        cached(
            for: .seconds(3600),
            ProviderMetadata.document(
                issuer: provider.issuer, endpoints: endpoints, grantTypes: provider.endpoints.tokens.grantTypes,
                offersNativeSSO: try await offersNativeSSO(), languages: languages
            ).text, to: request)
    }

    /// Cached more briefly than the metadata: a retired key is believed until the cache expires. New keys are here
    /// for an hour before they sign, for those who cache them longer all the same.
    @Sendable func keys(_ request: Request, context: BridgeRequestContext) -> Response {
        cached(for: .seconds(300), provider.keys.current.publicKeySet(at: time.now()).text, to: request)
    }

    private func cached(for span: Duration, _ json: String, to request: Request) -> Response {
        let tag = EntityTags.strong(of: Array(json.utf8))
        let headers: HTTPFields = [
            .contentType: "application/json", .cacheControl: "public, max-age=\(span.roundedUpSeconds)", .eTag: tag,
        ]
        if request.knows(tag) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: json)))
    }
}
