import Bridge
import Foundation
import HTTPTypes
import Hummingbird
import OAuth2

/// The clients, and an editor of one's document that says which field is wrong.
struct ConsoleClients: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: "/admin/clients", "consoleClients", list),
        Route(form: "/admin/clients", "consoleAddClient", create),
        Route(page: "/admin/register-client", "consoleRegisterClient", showEmpty),
        Route(page: "/admin/clients/{id}", "consoleClient", show),
        Route(form: "/admin/clients/{id}", "consoleSaveClient", save),
        Route(form: "/admin/clients/{id}/delete", "consoleDeleteClient", delete),
    ]

    let frame: ConsoleFrame

    private static let example = """
        {
          "client_name" : "Example website",
          "client_type" : "web",
          "default_return_path" : "/home",
          "public_origin" : "https://www.example.com",
          "return_paths" : ["/home", "/account/*"],
          "token_endpoint_auth_method" : "client_secret_basic"
        }
        """

    @Sendable func list(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let clients = try await frame.services.clients.clients()
        let rows = clients.map { client -> [String: any Sendable] in
            [
                "id": client.id.rawValue, "name": client.name, "kind": client.kind.rawValue,
                "path": Self.path(of: client.id), "is_fixed": frame.services.clients.isFixed(client.id),
            ]
        }
        return frame.render("clients", ["clients": rows], section: .clients, visit: visit, request, context)
    }

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let client = try await client(context)
        let text = try ClientText(of: client)
        return editor(client, document: Self.pretty(text.bytes), tag: text.tag, [:], request, context, visit)
    }

    @Sendable func showEmpty(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        editor(nil, document: Self.example, tag: "", [:], request, context, visit)
    }

    @Sendable func create(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let document = fields["document"] ?? ""
        do {
            var members = try Self.members(document)
            if members["client_id"] == nil { members["client_id"] = .string("c-\(frame.random.text(12))") }
            let edit = try ClientEdit(members, of: nil, random: frame.random)
            let action = try frame.action(fields, request, context, visit)
            guard try await frame.services.clients.add(edit.client, action: action) else {
                throw OAuthError(.conflict, "there is a client with this client_id")
            }
            return try saved(edit, request, context, visit)
        } catch let error as OAuthError {
            return editor(nil, document: document, tag: "", Self.problem(error), request, context, visit)
        }
    }

    @Sendable func save(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let seen = try await client(context)
        let document = fields["document"] ?? ""
        let tag = fields["tag"] ?? ""
        do {
            try check(seen, tag: tag)
            let edit = try ClientEdit(try Self.members(document), of: seen, random: frame.random)
            let action = try frame.action(fields, request, context, visit)
            guard try await frame.services.clients.replace(seen, with: edit.client, action: action) else {
                throw OAuthError(.preconditionFailed)
            }
            return try saved(edit, request, context, visit)
        } catch let error as OAuthError {
            return editor(seen, document: document, tag: tag, Self.problem(error), request, context, visit)
        }
    }

    @Sendable func delete(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let seen = try await client(context)
        try check(seen, tag: fields["tag"] ?? "")
        let action = try frame.action(fields, request, context, visit)
        guard try await frame.services.clients.delete(seen, action: action) else {
            throw OAuthError(.preconditionFailed)
        }
        return frame.redirect(to: ConsoleSection.clients.path)
    }

    private func check(_ client: Client, tag: String) throws {
        guard !frame.services.clients.isFixed(client.id) else {
            throw OAuthError(.conflict, "this client stands in the settings file and is changed there")
        }
        guard try ClientText(of: client).tag == tag else { throw OAuthError(.preconditionFailed) }
    }

    private func client(_ context: BridgeRequestContext) async throws -> Client {
        let id = ClientID(rawValue: try AdminRequestReader.parameter("id", context))
        guard let client = try await frame.services.clients.client(id) else { throw OAuthError(.notFound) }
        return client
    }

    /// Not a redirect: this page is the only one that shows a new secret.
    private func saved(
        _ edit: ClientEdit, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) throws -> Response {
        let text = try ClientText(of: edit.client)
        var values: [String: any Sendable] = ["is_saved": true]
        values["secret"] = edit.secret?.expose()
        return editor(
            edit.client, document: Self.pretty(text.bytes), tag: text.tag, values, request, context, visit)
    }

    private func editor(
        _ client: Client?, document: String, tag: String, _ more: [String: any Sendable], _ request: Request,
        _ context: BridgeRequestContext, _ visit: AdminVisit
    ) -> Response {
        var values = more
        values["document"] = document
        values["tag"] = tag
        values["action"] = client.map { Self.path(of: $0.id) } ?? "/admin/clients"
        values["id"] = client?.id.rawValue
        values["title"] = client?.id.rawValue ?? "Another client"
        values["is_fixed"] = client.map { frame.services.clients.isFixed($0.id) } ?? false
        values["events_path"] = client.map { "/admin/events?client_id=\(PercentEncoding.encode($0.id.rawValue))" }
        return frame.render("client", values, section: .clients, visit: visit, request, context)
    }

    private static func problem(_ error: OAuthError) -> [String: any Sendable] {
        ["problem": error.publicDescription ?? ErrorTable.description(of: error.code)]
    }

    private static func members(_ document: String) throws -> [String: JSONValue] {
        guard let members = JSONValue.parse(document.utf8)?.object else {
            throw OAuthError(.invalidRequest, "the document is not a JSON object, or it repeats a member")
        }
        return members
    }

    private static func path(of id: ClientID) -> String { "/admin/clients/\(PercentEncoding.encode(id.rawValue))" }

    private static func pretty(_ bytes: [UInt8]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let value = JSONValue.parse(bytes), let text = try? encoder.encode(value) else { return "" }
        return String(decoding: text, as: UTF8.self)
    }
}
