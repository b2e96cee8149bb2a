import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Reads the body of `POST /api/auth/create-sso-token`: none, JSON or a form, strictly (contract §3).
enum IssueRequestReader {
    static let members = ["client_id", "redirect", "code_challenge", "code_challenge_method", "bind", "ttl"]

    static func read(_ request: Request) async throws -> LoginTokenIssueRequest {
        let fields =
            try await StrictBody.read(request, json: Self.fields(json:), form: Self.fields(form:)) ?? Fields()
        return LoginTokenIssueRequest(
            targetClientID: fields.text["client_id"], redirect: fields.redirect,
            ttl: fields.ttl, codeChallenge: fields.text["code_challenge"],
            codeChallengeMethod: fields.text["code_challenge_method"], bind: fields.text["bind"],
            idempotencyKey: try idempotencyKey(request.headers))
    }

    private struct Fields {
        var text: [String: String] = [:]
        /// Its rules are about bytes, which need not be text (docs/rules/return-path.md).
        var redirect: [UInt8]?
        var ttl: Int?

        mutating func set(_ name: String, to value: String) {
            if name == "redirect" {
                redirect = Array(value.utf8)
            } else {
                text[name] = value
            }
        }
    }

    private static func fields(json body: [UInt8]) throws -> Fields {
        var fields = Fields()
        for (name, value) in try StrictBody.members(ofJSON: body, knowing: members) {
            if value.string?.isEmpty == true { continue }
            if name == "ttl" {
                guard let seconds = value.wholeNumber.flatMap({ Int(exactly: $0) }) else { throw wrongType(name) }
                fields.ttl = seconds
            } else {
                guard let text = value.string else { throw wrongType(name) }
                fields.set(name, to: text)
            }
        }
        return fields
    }

    private static func fields(form body: [UInt8]) throws -> Fields {
        var fields = Fields()
        for (name, value) in try StrictBody.members(ofForm: body, knowing: members) {
            switch name {
            case "redirect": fields.redirect = value
            case "ttl":
                let text = try StrictBody.text(value, of: name)
                guard let seconds = ASCII.decimal(text) else { throw wrongType(name) }
                fields.ttl = seconds
            default: fields.text[name] = try StrictBody.text(value, of: name)
            }
        }
        return fields
    }

    /// An empty one counts as absent; the issuer says what a key must be.
    private static func idempotencyKey(_ headers: HTTPFields) throws -> String? {
        let keys = headers.values(of: .idempotencyKey)
        guard keys.count <= 1 else { throw OAuthError(.invalidRequest, "Idempotency-Key is repeated") }
        return keys.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func wrongType(_ name: String) -> OAuthError {
        OAuthError(.invalidRequest, "\(name) has the wrong type")
    }
}

extension HTTPField.Name {
    static let idempotencyKey = literal("Idempotency-Key")
}
