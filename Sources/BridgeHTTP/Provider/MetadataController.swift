import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// The provider's description of itself (OpenID Connect Discovery, RFC 8414) and its public keys.
struct MetadataController: Sendable {
    let provider: ProviderServices
    let time: TimeSource

    @Sendable func document(_ request: Request, context: BridgeRequestContext) -> Response {
        cached(ProviderMetadata.document(issuer: provider.issuer, grantTypes: provider.tokens.grantTypes).text)
    }

    @Sendable func keys(_ request: Request, context: BridgeRequestContext) -> Response {
        cached(provider.keys.current.publicKeySet(at: time.now()).text)
    }

    private func cached(_ json: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=3600"],
            body: .init(byteBuffer: ByteBuffer(string: json)))
    }
}
