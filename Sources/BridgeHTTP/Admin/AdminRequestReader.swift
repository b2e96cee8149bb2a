import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What every route of the admin API reads alike.
enum AdminRequestReader {
    /// Bytes of a body; a client's document with its keys is the longest.
    static let bodyLimit = BodyReader.longest
    static let mediaTypes: Set = ["application/json", "application/merge-patch+json"]
    static let limits = 1...500
    static let defaultLimit = 50

    /// Bytes of a value in a query.
    private static func valueLimit(of name: String) -> Int {
        switch name {
        // One that this service made of names, which may be long.
        case "cursor", "last_event_id": 4096
        // Whatever is taken for a reason can be searched for.
        case "reason": AdminAction.longestReason
        default: 512
        }
    }

    /// A path parameter, percent-decoded.
    static func parameter(_ name: String, _ context: BridgeRequestContext) throws -> String {
        guard let text = context.parameters.get(name).flatMap({ PercentEncoding.decode($0) }), !text.isEmpty,
            !text.utf8.contains(0)
        else { throw OAuthError(.notFound) }
        return text
    }

    /// A JSON object as body, of a request that has nothing in its query: what was meant to narrow a change there must
    /// not be ignored.
    /// - Parameter isOptional: whether no body at all counts as an empty object.
    static func object(_ request: Request, isOptional: Bool = false) async throws -> [String: JSONValue] {
        _ = try query(request, knowing: [])
        let bytes = try await BodyReader.bytes(of: request, upTo: bodyLimit)
        if bytes.isEmpty, isOptional { return [:] }
        guard let type = BodyReader.mediaType(of: request), mediaTypes.contains(type) else {
            throw OAuthError(.unsupportedMediaType)
        }
        return try OAuthError.object(inBody: bytes)
    }

    /// The query's parameters, each of which must be known, come once, and be text that a store can take.
    /// - Throws: `invalid_request`, which names the first that is not.
    static func query(_ request: Request, knowing names: Set<String>) throws -> FormParameters {
        let query = try request.query()
        try query.checkUnique()
        let unknown = query.names.sorted().first { !names.contains($0) }
        // A name that is not text is missing from `names`.
        guard unknown == nil, query.names.count == query.count else {
            throw OAuthError.unknown(unknown ?? "", as: "parameter of this address", known: names)
        }
        for name in query.names {
            guard let bytes = query.bytes(name) else { continue }
            let limit = valueLimit(of: name)
            // No store keeps text with a zero byte.
            guard bytes.count <= limit, query[name] != nil, !bytes.contains(0) else {
                throw OAuthError(.invalidRequest, "\(name) must be text of at most \(limit) bytes")
            }
        }
        return query
    }

    static func limit(_ query: FormParameters) throws -> Int { try limit(query, within: limits) ?? defaultLimit }

    /// - Returns: `nil` where the parameter is absent.
    static func limit(_ query: FormParameters, within limits: ClosedRange<Int>) throws -> Int? {
        guard query.names.contains("limit") else { return nil }
        let digits = 1...String(limits.upperBound).utf8.count
        guard let limit = query["limit"].flatMap({ ASCII.decimal($0, digits: digits) }), limits.contains(limit) else {
            throw OAuthError(.invalidRequest, "limit must be \(limits.lowerBound) to \(limits.upperBound)")
        }
        return limit
    }

    /// What the list goes on from; `nil` for its first page.
    /// - Throws: `invalid_request` for an empty one: whoever sends that after the last page would begin again for ever.
    static func cursor(_ query: FormParameters) throws -> String? {
        guard query.names.contains("cursor") else { return nil }
        guard let cursor = query["cursor"] else { throw OAuthError(.invalidRequest, "cursor is empty") }
        return cursor
    }

    /// `true` or `false`; `nil` where the parameter is absent.
    static func flag(_ name: String, _ parameters: FormParameters) throws -> Bool? {
        switch parameters[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw OAuthError(.invalidRequest, "\(name) must be true or false")
        }
    }

    /// The administrator's reason in one line, where one is given.
    static func reason(_ object: [String: JSONValue]) throws -> String? {
        guard let value = object["reason"], !value.isNull else { return nil }
        guard let text = value.string.flatMap(AdminAction.reason(from:)) else {
            throw OAuthError(.invalidRequest, "reason must be text of at most \(AdminAction.reasonLimit) characters")
        }
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// The reason in an optional body that may hold nothing else.
    static func reasonAlone(_ request: Request) async throws -> String? {
        let object = try await object(request, isOptional: true)
        try check(object, knows: ["reason"])
        return try reason(object)
    }

    /// Refuses unknown members: one that is mistyped must not be ignored.
    static func check(_ object: [String: JSONValue], knows names: Set<String>) throws {
        guard let unknown = object.keys.sorted().first(where: { !names.contains($0) }) else { return }
        throw OAuthError.unknown(unknown, as: "member of this body", known: names)
    }

    /// What an administrator does with this request.
    static func action(
        _ visit: AdminVisit, reason: String? = nil, _ request: Request, _ context: BridgeRequestContext,
        at now: Timestamp
    ) -> AdminAction {
        AdminAction(
            actor: visit.actor, reason: reason, origin: context.origin(of: request), at: now,
            signedInAt: visit.signedInAt)
    }
}

extension Response {
    /// `204`, never cached.
    static let done = Response(status: .noContent, headers: [.cacheControl: "no-store"])

    /// A page of a list (contract §13).
    static func list(_ items: [JSONObjectWriter], next: String?) -> Response {
        list(items.map { $0.finish() }, next: next)
    }

    static func list(_ items: [[UInt8]], next: String?) -> Response {
        var bytes = Array("{\"items\":[".utf8)
        bytes.append(contentsOf: items.joined(separator: [UInt8(ascii: ",")]))
        bytes.append(contentsOf: "],\"next_cursor\":\(next.map(JSONText.quoted) ?? "null")}".utf8)
        return .json(bytes: bytes)
    }
}
