package import Foundation
import OAuth2

/// One case of `clients/vectors`, as its file has it (clients/vectors/README.md).
package struct VectorCase: Sendable {
    package let id: String
    package let topic: String
    /// What a library must have for this case.
    package let needs: [String]
    let document: [String: JSONValue]

    /// What the server expects and answers, in order.
    let exchange: [ScriptEntry]
    /// The steps, the one of `begin` included, each with its expectation.
    let steps: [JSONValue]

    /// The members that a case may have: a misspelt one would prove nothing.
    private static let members: Set<String> = [
        "id", "clause", "proves", "needs", "apps", "begin", "steps", "exchange", "store", "timeout_ms", "keys",
    ]
    /// What a library may lack as a whole.
    private static let known: Set<String> = [
        "sign_in", "refresh", "open_url", "bearer", "header_carrier", "native_sso", "cookies", "web_view", "dpop",
        "device_grant", "sign_out", "person", "lock",
    ]

    init(_ value: JSONValue, topic: String) throws(VectorFlaw) {
        guard let document = value.object, let id = document["id"]?.string, id.hasPrefix("\(topic).") else {
            throw VectorFlaw("\(topic): a case without an id that begins with the topic")
        }
        self.id = id
        self.topic = topic
        self.document = document
        if let unknown = document.keys.first(where: { !Self.members.contains($0) }) {
            throw VectorFlaw("\(id): unknown member \(unknown)")
        }
        for name in ["clause", "proves"] where document[name]?.string?.isEmpty != false {
            throw VectorFlaw("\(id): no \(name)")
        }
        guard let needs = document["needs"]?.strings, Set(needs).isSubset(of: Self.known) else {
            throw VectorFlaw("\(id): needs is missing or names what is not known")
        }
        guard let steps = document["steps"]?.array, !steps.isEmpty else { throw VectorFlaw("\(id): no steps") }
        self.needs = needs
        let app = document["apps"]?.object?["a"]?.object
        var script: [JSONValue] = []
        var begun: [JSONValue] = []
        if document["begin"]?.string == "signed_in" {
            (begun, script) = StandardSignIn.steps(of: app ?? [:])
        } else if document["begin"] != nil {
            throw VectorFlaw("\(id): unknown beginning")
        }
        self.steps = begun + steps
        for step in self.steps.flatMap({ $0.object?["together"]?.array ?? [$0] }) {
            guard step.object?["do"]?.string != nil, step.object?["expect"]?.object?.isEmpty == false else {
                throw VectorFlaw("\(id): a step that does or expects nothing")
            }
        }
        var exchange: [ScriptEntry] = []
        for entry in script + (document["exchange"]?.array ?? []) { exchange.append(try ScriptEntry(entry, of: id)) }
        self.exchange = exchange
    }

    /// Line of `GET /cases`.
    var summary: JSONValue {
        .object([
            "id": .string(id), "topic": .string(topic), "clause": document["clause"] ?? .null,
            "proves": document["proves"] ?? .null, "needs": document["needs"] ?? .null,
        ])
    }

    /// How many seconds pass on the device's clock, all steps together.
    var elapsed: Double {
        steps.reduce(0) { $0 + ($1.object?["after"]?.decimal ?? 0) }
    }

    /// All cases of the files of a folder, in order of name.
    /// - Throws: ``VectorFlaw`` for the first that cannot be used.
    package static func load(from folder: URL) throws -> [VectorCase] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
        var cases: [VectorCase] = []
        for file in files {
            let document = JSONValue.parse(Array(try Data(contentsOf: file)), depth: 24)?.object
            guard let topic = document?["topic"]?.string, let list = document?["cases"]?.array else {
                throw VectorFlaw("\(file.lastPathComponent): no JSON with topic and cases, or a member twice")
            }
            for value in list { cases.append(try VectorCase(value, topic: topic)) }
        }
        let repeated = Dictionary(grouping: cases, by: \.id).first { $1.count > 1 }
        if let repeated { throw VectorFlaw("\(repeated.key): the id is used twice") }
        guard !cases.isEmpty else { throw VectorFlaw("\(folder.path): no cases") }
        return cases
    }
}

/// What is wrong with a file of cases.
struct VectorFlaw: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One entry of a case's script: a request that is expected, and what it is answered.
struct ScriptEntry: Sendable {
    let method: String
    let path: String
    let request: [String: JSONValue]
    let answer: [String: JSONValue]
    let least: Int
    let most: Int

    private static let requestMembers: Set<String> = [
        "method", "path", "form", "query", "headers", "absent", "no_headers", "json", "dpop", "for",
    ]
    private static let answerMembers: Set<String> = [
        "status", "headers", "json", "body", "drop", "truncated", "cut_chunk", "never", "trickle", "huge", "garbage",
        "hold_ms", "unannounced",
    ]

    init(_ value: JSONValue, of id: String) throws(VectorFlaw) {
        guard let entry = value.object, let request = entry["request"]?.object, let answer = entry["answer"]?.object,
            let method = request["method"]?.string, let path = request["path"]?.string
        else { throw VectorFlaw("\(id): an entry without request, answer, method or path") }
        let unknown =
            Set(entry.keys).subtracting(["request", "answer", "times"]).union(
                Set(request.keys).subtracting(Self.requestMembers)
            ).union(Set(answer.keys).subtracting(Self.answerMembers))
        if let unknown = unknown.first { throw VectorFlaw("\(id): unknown member \(unknown) in the exchange") }
        self.method = method
        self.path = path
        self.request = request
        self.answer = answer
        switch entry["times"] {
        case nil: (least, most) = (1, 1)
        case .string("any"): (least, most) = (0, .max)
        case let times?:
            let bounds =
                times.array?.compactMap { $0.integer.map(Int.init) } ?? times.integer.map { [Int($0), Int($0)] }
            guard let bounds, bounds.count == 2, bounds[0] <= bounds[1] else { throw VectorFlaw("\(id): times") }
            (least, most) = (bounds[0], bounds[1])
        }
    }
}

/// The sign-in that cases begin with.
private enum StandardSignIn {
    static func steps(of app: [String: JSONValue]) -> (steps: [JSONValue], script: [JSONValue]) {
        let shares = app["shares"].map { !$0.isNull } ?? false
        let isBound = app["dpop"]?.bool == true
        var tokens: [String: JSONValue] = [
            "access_token": .string("{secret:at_1}"), "token_type": .string(isBound ? "DPoP" : "Bearer"),
            "expires_in": .number("300"), "refresh_token": .string("{secret:rt_1}"),
            "id_token": .object(["$id_token": .object([:])]),
        ]
        if shares { tokens["device_secret"] = .string("{secret:ds_1}") }
        let step: JSONValue = .object([
            "do": .string("sign_in"),
            "expect": .object(["outcome": .string("signed_in"), "subject": .string("alice")]),
        ])
        let location = "{redirect_uri}?code={secret:code_1}&state={state}&iss={issuer_encoded}"
        return (
            [step],
            [
                entry(
                    "GET", "/oauth/authorize",
                    ["status": .number("303"), "headers": .object(["location": .string(location)])]),
                entry(
                    "POST", "/oauth/token", ["json": .object(tokens)],
                    [
                        "form": .object([
                            "grant_type": .string("authorization_code"), "code": .string("{secret:code_1}"),
                        ])
                    ]
                ),
            ]
        )
    }

    private static func entry(
        _ method: String, _ path: String, _ answer: [String: JSONValue], _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let request = more.merging(["method": .string(method), "path": .string(path)]) { $1 }
        return .object(["request": .object(request), "answer": .object(answer)])
    }
}
