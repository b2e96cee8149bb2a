import DrawbridgeClient
import Foundation
import OAuth2
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One run of one case: asks for it, does its steps, reports (clients/vectors/README.md).
struct VectorPlay {
    private let server: String

    init(_ server: String) { self.server = server }

    /// - Returns: what the scripted server found wrong.
    func play(_ id: String) async throws -> [String] {
        let run = try #require(try await post("/case/\(id)?library=swift", nil).object)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("drawbridge-vector-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let device = VectorDevice(run, store: VectorStore(folder))
        var outcomes: [JSONValue] = []
        for step in run["steps"]?.array ?? [] { outcomes.append(await device.act(step)) }
        let report = JSONValue.object([
            "outcomes": .array(outcomes), "log": .string(device.log), "store": .array(try await device.store.values),
        ])
        let verdict = try await post("/run/\(run["run"]?.string ?? "")/result", report)
        return verdict.object?["problems"]?.strings ?? ["no verdict: \(verdict.text)"]
    }

    private func post(_ path: String, _ body: JSONValue?) async throws -> JSONValue {
        var request = URLRequest(url: try #require(URL(string: server + path)))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = body.map { Data($0.text.utf8) }
        let (bytes, _) = try await URLSession.shared.data(for: request)
        return JSONValue.parse(Array(bytes), depth: 24) ?? .null
    }
}

/// The device of one run: its clock, secrets, browser and web view.
final class VectorDevice: Sendable {
    private struct State {
        var elapsed = 0.0
        var log: [String] = []
        var waits: [JSONValue] = []
        var view: [String] = []
        var cleared: [String] = []
        var apps: [String: Drawbridge] = [:]
    }

    let store: VectorStore
    private let run: [String: JSONValue]
    private let state = Mutex(State())

    init(_ run: [String: JSONValue], store: VectorStore) {
        self.run = run
        self.store = store
    }

    var log: String { state.withLock { $0.log.joined(separator: "\n") } }

    func act(_ step: JSONValue) async -> JSONValue {
        let members = step.object ?? [:]
        state.withLock { $0.elapsed += members["after"]?.decimal ?? 0 }
        guard let together = members["together"]?.array else { return await report(members) }
        return await withTaskGroup(of: (Int, JSONValue).self) { group in
            for (index, one) in together.enumerated() {
                group.addTask { (index, await self.report(one.object ?? [:])) }
            }
            var found = Array(repeating: JSONValue.null, count: together.count)
            for await (index, outcome) in group { found[index] = outcome }
            return .array(found)
        }
    }

    private func report(_ step: [String: JSONValue]) async -> JSONValue {
        do {
            return .object(try await outcome(of: step))
        } catch let error as ClientError {
            return .object(failure(error).merging(["cleared": cleared]) { $1 })
        } catch {
            return .object(["error": .string("untyped"), "sentence": .string("\(error)")])
        }
    }

    private var cleared: JSONValue { .array(state.withLock { $0.cleared.sorted() }.map { .string($0) }) }

    /// Notes how a value prints, in every way that Swift has.
    private func note(_ value: Any) {
        var text = ""
        dump(value, to: &text)
        state.withLock { $0.log += ["\(value)", String(reflecting: value), text] }
    }

    private func failure(_ error: ClientError) -> [String: JSONValue] {
        note(error)
        var members: [String: JSONValue] = [
            "error": .string(error.name),
            "sentence": .string("\(error.localizedDescription). \(error.recoverySuggestion ?? "")"),
        ]
        if case .refused(let refusal) = error {
            members["oauth"] = .string(refusal.code)
            members["page"] = refusal.page.map { .string($0) }
            if !refusal.levels.isEmpty { members["acr_values"] = .array(refusal.levels.map { .string($0) }) }
            members["max_age"] = refusal.maximumAge.map { .number("\($0)") }
        }
        if case .comeBackLater(let seconds?, _) = error { members["seconds"] = .number("\(seconds)") }
        members["request_id"] = error.requestID.map { .string($0) }
        return members
    }

    // MARK: - Steps

    private func outcome(of step: [String: JSONValue]) async throws -> [String: JSONValue] {
        let settings = run["apps"]?.object?[step["app"]?.string ?? "a"]?.object ?? [:]
        let app = try app(step["app"]?.string ?? "a", settings)
        switch step["do"]?.string {
        case "sign_in": return try await signIn(app, step, settings)
        case "sign_in_silently": return await signInSilently(app)
        case "open_url", "open_url_with_header": return try await openURL(app, step, settings)
        case "access_token":
            return ["outcome": .string("token"), "token": .string(try await app.accessToken().expose())]
        case "person":
            let person = try await app.person()
            return [
                "outcome": .string("person"), "subject": .string(person.subject),
                "name": person.name.map { .string($0) } ?? .null,
            ]
        case "cookies": return try await cookies(app, step)
        case "open_web_view":
            state.withLock { $0.view = [] }
            try await app.openWebView(
                url(step), webView: step["web_view"]?.string ?? "", in: VectorWebView(device: self))
            let lines = state.withLock { $0.view }
            let set = lines.prefix { $0.hasPrefix("set ") }.sorted()
            return [
                "outcome": .string("opened"),
                "order": .array((set + lines.dropFirst(set.count)).map { .string($0) }),
            ]
        case "device_sign_in":
            state.withLock { $0.waits = [] }
            let device = try await app.beginDeviceSignIn()
            let claims = try await app.finishDeviceSignIn(device) { self.wait($0) }
            return [
                "outcome": .string("signed_in"), "subject": .string(claims.subject),
                "user_code": .string(device.userCode), "waits": .array(state.withLock { $0.waits }),
            ]
        case "sign_out":
            try await app.signOut(step["extent"]?.string == "this_app" ? .thisApp : .device)
            return ["outcome": .string("signed_out"), "cleared": cleared]
        default: throw ClientError.configuration("an unknown step of the case")
        }
    }

    private func app(_ name: String, _ settings: [String: JSONValue]) throws -> Drawbridge {
        if let known = state.withLock({ $0.apps[name] }) { return known }
        let off = settings["clock_off"]?.decimal ?? 0
        let made = Drawbridge(
            configuration: try ClientConfiguration(
                issuer: IssuerAddress(settings["issuer"]?.string ?? ""), clientID: settings["client_id"]?.string ?? "",
                sharing: settings["shares"]?.string.map { SharingGroup(service: $0) }),
            store: store, transport: URLSessionTransport(patience: (run["timeout_ms"]?.decimal ?? 5000) / 1000),
            binding: settings["dpop"]?.bool == true ? .storedKey : .none, webView: VectorWebView(device: self),
            time: TimeSource { self.now(off) })
        state.withLock { $0.apps[name] = made }
        return made
    }

    private func now(_ off: Double) -> Date {
        Date(timeIntervalSince1970: (run["now"]?.decimal ?? 0) + off + state.withLock { $0.elapsed })
    }

    private func wait(_ seconds: TimeInterval) {
        state.withLock {
            $0.waits.append(.number("\(seconds)"))
            $0.elapsed += seconds
        }
    }

    private func signIn(
        _ app: Drawbridge, _ step: [String: JSONValue], _ settings: [String: JSONValue]
    ) async throws -> [String: JSONValue] {
        let options = SignInOptions(
            loginHint: step["login_hint"]?.string, asksAgain: step["prompt"]?.string == "login",
            levels: step["acr_values"]?.strings ?? [], maximumAge: step["max_age"]?.integer.map { Int($0) })
        let browser = VectorBrowser(redirect: settings["redirect_uri"]?.string ?? "")
        let claims = try await app.signIn(with: browser, options: options)
        note(claims)
        return ["outcome": .string("signed_in"), "subject": .string(claims.subject)]
    }

    private func signInSilently(_ app: Drawbridge) async -> [String: JSONValue] {
        let result = await app.signInSilently()
        note(result)
        switch result {
        case .signedIn(let claims): return ["outcome": .string("signed_in"), "subject": .string(claims.subject)]
        case .needsSignIn(let reason):
            let (name, error): (String, ClientError?) =
                switch reason {
                case .nothingShared: ("nothing_shared", nil)
                case .partsDoNotFit: ("parts_do_not_fit", nil)
                case .refused(let refusal): ("refused", .refused(refusal))
                case .notBelieved(let flaw): ("not_believed", .idToken(flaw))
                case .failed(let error): ("failed", error)
                }
            let more = error.map { failure($0) } ?? [:]
            return more.merging(["outcome": .string("needs_sign_in"), "reason": .string(name)]) { $1 }
        }
    }

    private func openURL(
        _ app: Drawbridge, _ step: [String: JSONValue], _ settings: [String: JSONValue]
    ) async throws -> [String: JSONValue] {
        let carrier: LinkCarrier = step["do"]?.string == "open_url" ? .address : .header
        let path = step["path"]?.string
        let website = step["website"]?.string
        let link: LoginLink
        if let bearer = step["bearer"]?.string {
            link = try await app.openURL(path: path, on: website, bearer: Redacted(bearer), carrier: carrier)
        } else {
            link = try await app.openURL(path: path, on: website, carrier: carrier)
        }
        note(link)
        let left = link.expiresAt.timeIntervalSince(now(settings["clock_off"]?.decimal ?? 0))
        return [
            "outcome": .string("link"), "url": .string(link.url.expose().absoluteString),
            "headers": .object(link.headers.expose().mapValues { .string($0) }),
            "code": link.code.map { .string($0.expose()) } ?? .null, "expires_in": .number("\(left)"),
        ]
    }

    private func cookies(_ app: Drawbridge, _ step: [String: JSONValue]) async throws -> [String: JSONValue] {
        let cookies = try await app.cookies(for: url(step), webView: step["web_view"]?.string ?? "")
        note(cookies)
        let list = cookies.all.sorted { $0.name < $1.name }.map { cookie -> JSONValue in
            .object([
                "name": .string(cookie.name), "value": .string(cookie.value.expose()), "path": .string(cookie.path),
                "http_only": .bool(cookie.isHTTPOnly), "same_site": .string(cookie.sameSite),
                "domain": cookie.domain.map { .string($0) } ?? .null,
            ])
        }
        return ["outcome": .string("cookies"), "cookies": .array(list)]
    }

    private func url(_ step: [String: JSONValue]) throws -> URL { try #require(URL(string: step["url"]?.string ?? "")) }

    fileprivate func saw(_ line: String) { state.withLock { $0.view.append(line) } }
    fileprivate func removed(_ name: String) { state.withLock { $0.cleared.append(name) } }
}

/// Keeps secrets in files, as apps of one user do, and shows the test all of them at the end. Each app's calls come by a
/// descriptor of their own, so that what keeps processes apart keeps these apart.
actor VectorStore: SecretStore {
    private let files: FileSecretStore
    private var items: Set<SecretItem> = []

    init(_ folder: URL) { files = FileSecretStore(folder: folder) }

    var values: [JSONValue] {
        get async throws {
            var found: [JSONValue] = []
            for item in items {
                if let secret = try await files.read(item) { found.append(.string(secret.expose())) }
            }
            return found
        }
    }

    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? { try await files.read(item) }

    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
        items.insert(item)
        try await files.write(secret, to: item)
    }

    func remove(_ item: SecretItem) async throws(ClientError) { try await files.remove(item) }

    func lock(_ item: SecretItem) async throws(ClientError) -> SecretLock { try await files.lock(item) }
}

private struct VectorWebView: WebViewHost {
    let device: VectorDevice

    func setCookie(_ cookie: WebViewCookie, at place: CookiePlace) { device.saw("set \(cookie.name)") }
    func load(_ url: URL) { device.saw("load \(url.absoluteString)") }
    func removeCookie(at place: CookiePlace) { device.removed(place.name) }
}

/// Goes where it is sent, once, and says where that leads.
private struct VectorBrowser: SignInBrowser {
    let redirect: String

    func prepare() async throws(ClientError) -> RedirectAddress { try RedirectAddress(redirect) }

    func open(_ request: SignInRequest) async throws(ClientError) -> String {
        guard let url = URL(string: request.address) else { throw .configuration("no address to open") }
        let session = URLSession(configuration: .ephemeral, delegate: Stay(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let answer: HTTPURLResponse
        do {
            guard let found = try await session.data(from: url).1 as? HTTPURLResponse else { throw URLError(.badURL) }
            answer = found
        } catch { throw .unreachable("the browser does not get there") }
        switch answer.statusCode {
        case 204: throw .cancelled
        case 408: throw .timedOut
        default: return answer.value(forHTTPHeaderField: "Location") ?? ""
        }
    }

    private final class Stay: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
}
