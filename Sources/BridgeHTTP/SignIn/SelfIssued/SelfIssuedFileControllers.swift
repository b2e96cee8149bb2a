import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// The request file that phones fetch: at a configured path, the same for everybody (contract §10).
struct SelfIssuedRequestController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, SelfIssuedConfiguration.requestPath, "selfIssuedRequest", as: .json, anyone: file)
    ]

    static let place: Origins.Purposes? = [.provider]
    /// Settings may lead to a path of the website's.
    static let reservation = RouteReservation.nothing

    private let content: ByteBuffer
    private let tag: String

    init(configuration: SelfIssuedConfiguration) {
        let bytes = configuration.requestFile
        content = ByteBuffer(bytes: bytes)
        tag = EntityTags.strong(of: bytes)
    }

    @Sendable func file(_ request: Request, context: BridgeRequestContext) -> Response {
        let headers: HTTPFields = [
            .contentType: "application/json", .cacheControl: "public, max-age=300", .eTag: tag,
        ]
        if request.knows(tag) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: content))
    }
}

/// The page that a phone's answer leads back to: the answer is in the fragment, which its script posts (contract §10).
struct SelfIssuedReturnController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, SelfIssuedConfiguration.returnPath, "selfIssuedReturn", as: .page, anyone: page)
    ]

    static let place: Origins.Purposes? = [.provider]
    static let reservation = RouteReservation.nothing

    let pages: Pages

    @Sendable func page(_ request: Request, context: BridgeRequestContext) -> Response {
        pages.selfIssuedReturn(to: PageVisitor(request, context))
    }
}
