import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What every page of the console shares: the gate, the layout, and the redirect to the sign-in.
final class ConsoleFrame: Sendable {
    let kit: BrowserPages
    let services: AdminServices
    /// Asks for a newer sign-in where a change takes one.
    let flow: SignInFlow
    /// `nil` without a provider, which device secrets belong to.
    let device: DeviceServices?
    /// Whether a page is shown at a path: forms lead back to one.
    private let isPage: @Sendable (Substring) -> Bool

    init(
        kit: BrowserPages, services: AdminServices, flow: SignInFlow, device: DeviceServices?,
        isPage: @escaping @Sendable (Substring) -> Bool
    ) {
        self.kit = kit
        self.services = services
        self.flow = flow
        self.device = device
        self.isPage = isPage
    }

    var pages: Pages { kit.pages }
    var formTokens: FormTokens { kit.formTokens }
    var random: RandomSource { kit.random }
    /// What tokens of the provider are for.
    var issuer: WebOrigin { kit.origins.configured.issuer }
    var time: TimeSource { services.gate.time }

    /// The action of a form, with the reason that was typed in.
    func action(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) throws -> AdminAction {
        let reason = try fields["reason"].map { text in
            guard let reason = AdminAction.reason(from: text) else { throw ConsoleProblem.reasonLong }
            return reason
        }
        return AdminRequestReader.action(visit, reason: reason, request, context, at: time.now())
    }

    /// See other, on this origin.
    /// - Parameter isDone: whether the page there is to say that something was done; see ``saysDone(_:)``.
    func redirect(to path: String, isDone: Bool = false) -> Response {
        .seeOther(kit.origins.configured.admin.description + path + (isDone ? "?\(Self.doneName)" : ""))
    }

    /// What says so in the query of a page, by its name alone.
    static let doneName = "done"

    static func saysDone(_ query: FormParameters) -> Bool { query.names.contains(doneName) }

    /// What says in the query of the sign-in, by its name alone, that a form was not done.
    static let lostName = "lost"

    fileprivate func signIn(from request: Request, because refusal: AdminRefusal) -> Response {
        let isHome = request.uri.path == ConsolePath.home
        return signInPage(backTo: isHome ? ConsolePath.home : request.uri.string, because: refusal)
    }

    /// Where a form leads whose session is over, or was none: no page of an error says how to go on there.
    /// - Returns: `nil` where another sign-in would change nothing, and for programs, which are told as everywhere.
    private func signInPage(
        afterForm request: Request, for purpose: AdminPurpose, because refusal: AdminRefusal
    ) -> Response? {
        guard !BearerReader.isProgram(request) else { return nil }
        switch refusal.reason {
        case .missing, .invalid: break
        // A change is refused as such: the form comes from elsewhere, or it would have been kept over the sign-in.
        case .idle where purpose == .ask: break
        default: return nil
        }
        let path = request.uri.path
        guard path != ConsoleSignIn.signOutPath else {
            // What was unused for too long here lives on elsewhere.
            return redirect(to: refusal.reason == .idle ? SessionController.signOutPath : ConsolePath.signIn)
        }
        return signInPage(backTo: pageOfForm(request), afterForm: true, because: refusal)
    }

    /// - Parameter isAfterForm: whether a form was not done; that counts for more than why.
    private func signInPage(
        backTo place: String, afterForm isAfterForm: Bool = false, because refusal: AdminRefusal
    ) -> Response {
        // An account without a second factor is led to where it gets one, not asked for a code that it cannot have.
        guard refusal.reason != .secondFactorNotEnrolled else {
            return redirect(to: AccountPath.secondFactorForConsole)
        }
        let next = place == ConsolePath.home ? nil : "next=\(PercentEncoding.encode(place))"
        let why = refusal.reason == .missing ? nil : "why=\(refusal.reason.rawValue)"
        let query = [next, isAfterForm ? Self.lostName : why].compactMap(\.self).joined(separator: "&")
        return redirect(to: ConsolePath.signIn + (query.isEmpty ? "" : "?\(query)"))
    }

    /// The answer to a form that was refused: it waits for a newer sign-in, or whoever sent it learns how to go on.
    fileprivate func answer(
        to refusal: AdminRefusal, of form: FormParameters, for purpose: AdminPurpose, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response {
        let gate = services.gate
        if gate.mayWait(refusal, request, for: purpose, formToken: form[BrowserForm.tokenField] ?? "") {
            return try await flow.againForConsole(
                form, from: pageOfForm(request), by: try await gate.sender(of: request), request, context)
        }
        // Written down whatever is answered.
        let error = try await gate.error(for: refusal, request, context)
        if let page = signInPage(afterForm: request, for: purpose, because: refusal) { return page }
        guard let visit = try await gate.visit(ofOldPage: request, after: refusal) else { throw error }
        return page(of: .problem(.pageOld), openingAgain: pageOfForm(request), request, context, visit)
    }

    /// The searches that together show what an alert has counted.
    static func searches(of rule: AlertRule.Name) -> [String] {
        guard let types = rule.types else { return ["outcome=failure"] }
        return types.map(\.rawValue).sorted().map { "type=\($0)" }
    }

    private func looks(at rule: AlertRule.Name, _ words: ConsoleWords) -> [[String: any Sendable]] {
        let searches = Self.searches(of: rule)
        return searches.map { search -> [String: any Sendable] in
            let type = String(search.trimmingPrefix("type="))
            let name: String = searches.count == 1 ? words("console", "alert_show") : type
            return ["path": "\(ConsoleSection.events.path)?\(search)", "name": name]
        }
    }

    /// The words for whoever asks.
    func words(_ request: Request, _ context: BridgeRequestContext) -> ConsoleWords {
        words(for: PageVisitor(request, context))
    }

    func words(for visitor: PageVisitor) -> ConsoleWords {
        ConsoleWords(texts: pages.texts, language: pages.language(for: visitor))
    }

    /// A page of the console.
    func render(
        _ template: String, _ values: [String: any Sendable], section: ConsoleSection?, visit: AdminVisit,
        _ request: Request, _ context: BridgeRequestContext, status: HTTPResponse.Status = .ok
    ) -> Response {
        let visitor = PageVisitor(request, context)
        let words = words(for: visitor)
        var values = values
        values["nav"] = ConsoleSection.allCases.map { item -> [String: any Sendable] in
            ["path": item.path, "name": words("console", "nav_\(item.rawValue)"), "is_current": item == section]
        }
        values["alerts"] = services.node.alerts.unseen.map { alert -> [String: any Sendable] in
            [
                "title": words("console", "alert_\(alert.rule.name.rawValue)"),
                "facts": words(
                    "console", "alert_facts",
                    [
                        "count": String(alert.count), "threshold": String(alert.rule.threshold),
                        "since": ConsoleRows.time(alert.since),
                    ]),
                "alert": alert.rule.name.rawValue,
                "looks": looks(at: alert.rule.name, words),
            ]
        }
        values["here"] = request.method == .get ? request.uri.string : (section ?? .overview).path
        values["actor"] = visit.actor.name
        values["form_token"] = visit.formToken ?? ""
        return pages.render("admin_\(template)", values, to: visitor, language: words.language, status: status)
    }

    /// What stood in the way of a form, or of an address that asks for what there is not, where their own page has no
    /// place for it.
    /// - Parameter old: the page that a form was sent from, which has to be opened anew; else the way leads to its part.
    fileprivate func page(
        of fault: ConsoleFault, openingAgain old: String? = nil, _ request: Request, _ context: BridgeRequestContext,
        _ visit: AdminVisit
    ) -> Response {
        let words = words(request, context)
        let section = ConsoleSection(of: request)
        let name = words("console", "nav_\(section.rawValue)")
        var values = fault.values(words)
        values["title"] = name
        values["is_form"] = request.method == .post
        values["back_path"] = old ?? section.path
        values["back"] = old == nil ? words("console", "back_to", ["name": name]) : words("console", "open_again")
        return render(
            "problem", values, section: section, visit: visit, request, context, status: .init(code: fault.code.status))
    }

    /// For a browser that opens the address of a form, as after the form's answer was a page: the nearest page above it.
    func pageAbove(_ request: Request) -> Response? {
        guard [.get, .head].contains(request.method), request.uri.path.hasPrefix(ConsolePath.home),
            !kit.origins.place(of: request).purposes.isDisjoint(with: .console)
        else { return nil }
        return redirect(to: page(above: request.uri.path))
    }

    /// A form of the console, of the account or of a sign-out, with the page that it was sent from: at its address, or the
    /// nearest above it.
    /// - Parameter error: what kept it from being done.
    /// - Returns: `nil` for any other request.
    func failedForm(_ request: Request, after error: any Error) -> FailedForm? {
        let path = request.uri.path
        guard request.method == .post else { return nil }
        if isPage(path[...]) { return FailedForm(page: path, after: error) }
        // Its page has the link in its query, and who is to set a password up cannot sign in at a page above it.
        if path == AccountController.setUpPath { return FailedForm(page: nil, after: error) }
        let hasPageAbove = [ConsolePath.home, "\(AccountPath.home)/"].contains { path.hasPrefix($0) }
        return hasPageAbove ? FailedForm(page: page(above: path), after: error) : nil
    }

    /// Where a form was sent from: the page at its address, or the nearest above it.
    private func pageOfForm(_ request: Request) -> String {
        let path = request.uri.path
        return isPage(path[...]) ? path : page(above: path)
    }

    private func page(above address: String) -> String {
        var path = address[...]
        while let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            path = path[..<slash]
            // The console's own first page has the slash at its end.
            if path.utf8.count > ConsolePath.home.utf8.count, isPage(path) { return String(path) }
        }
        return ConsolePath.home
    }

    /// What administrators find at an address of the console under which there is nothing, with a way back to the list;
    /// `nil` for anybody else, and for programs, which are told as everywhere.
    func missingPage(_ request: Request, _ context: BridgeRequestContext) async -> Response? {
        guard request.uri.path.hasPrefix(ConsolePath.home), !BearerReader.isProgram(request),
            !kit.origins.place(of: request).purposes.isDisjoint(with: .console),
            let visit = try? await services.gate.visit(request, for: .read, formToken: nil)
        else { return nil }
        let words = words(request, context)
        let section = ConsoleSection(of: request)
        let name = words("console", "nav_\(section.rawValue)")
        return render(
            "missing", ["back_path": section.path, "back": words("console", "back_to", ["name": name])],
            // What is in no other part is not in the first one either.
            section: section == .overview ? nil : section, visit: visit, request, context,
            status: .init(code: ErrorCode.notFound.status))
    }
}

/// Pages of the console.
protocol ConsoleGroup: RouteGroup {
    var frame: ConsoleFrame { get }
}

extension ConsoleGroup {
    static var place: Origins.Purposes? { .console }
}

extension RouteGuard where Group: ConsoleGroup, Admitted == AdminVisit {
    /// An administrator; anybody else is led to the sign-in.
    static var page: Self {
        Self(.console) { group, handler in
            let frame = group.frame
            return { request, context in
                let visit: AdminVisit
                do {
                    visit = try await frame.services.gate.visit(request, formToken: nil)
                } catch let refusal as AdminRefusal {
                    return frame.signIn(from: request, because: refusal)
                }
                do {
                    return try await handler(request, context, visit)
                } catch {
                    guard let fault = ConsoleFault(error) else { throw error }
                    return frame.page(of: fault, request, context, visit)
                }
            }
        }
    }
}

/// A form of the console that came back, and who sent it.
struct ConsoleForm: Sendable {
    let fields: FormParameters
    let visit: AdminVisit

    fileprivate init(fields: FormParameters, visit: AdminVisit) {
        self.fields = fields
        self.visit = visit
    }
}

extension RouteGuard where Group: ConsoleGroup, Admitted == ConsoleForm {
    /// An administrator by a form of the console: takes the form's own token (contract §8), and a fresh sign-in when it
    /// changes something.
    static func form(for purpose: AdminPurpose) -> Self {
        Self(.console) { group, handler in
            let frame = group.frame
            return { request, context in
                let body = try await BodyReader.bytes(of: request, upTo: AdminRequestReader.bodyLimit)
                guard BodyReader.isForm(request) else {
                    throw OAuthError(.unsupportedMediaType)
                }
                let fields = try FormParameters(parsing: body)
                guard !fields.hasRepeated else { throw OAuthError(.invalidRequest, "a field is repeated") }
                let visit: AdminVisit
                do {
                    visit = try await frame.services.gate.visit(
                        request, for: purpose, formToken: fields[BrowserForm.tokenField] ?? "")
                } catch let refusal as AdminRefusal {
                    return try await frame.answer(to: refusal, of: fields, for: purpose, request, context)
                }
                do {
                    return try await handler(request, context, ConsoleForm(fields: fields, visit: visit))
                } catch {
                    guard let fault = ConsoleFault(error) else { throw error }
                    return frame.page(of: fault, request, context, visit)
                }
            }
        }
    }
}

extension Route where Group: ConsoleGroup {
    /// A page for administrators, which shows its errors as pages too, and itself once more in another language.
    init(
        page path: String, _ operationID: String,
        _ handler: @escaping @Sendable (Group) -> RouteGuard<Group, AdminVisit>.Guarded
    ) {
        self = Route(.get, path, operationID, as: .page, .page, handler).shownAgain(.withQuery)
    }

    /// The answer to a form of the console.
    init(
        form path: String, _ operationID: String, for purpose: AdminPurpose = .change,
        _ handler:
            @escaping @Sendable (Group) ->
            @Sendable (
                FormParameters, Request, BridgeRequestContext, AdminVisit
            ) async throws -> Response
    ) {
        self.init(.post, path, operationID, as: .page, .form(for: purpose)) { group in
            let handler = handler(group)
            return { request, context, form in try await handler(form.fields, request, context, form.visit) }
        }
    }
}

/// The parts of the console, in the order of its navigation.
enum ConsoleSection: String, CaseIterable, Sendable {
    case overview, events, live, users, sessions, clients, explain, keys, settings, nodes

    var path: String { self == .overview ? ConsolePath.home : "/admin/\(rawValue)" }

    /// The one that a request's path is in.
    fileprivate init(of request: Request) {
        self = Self.allCases.last { request.uri.path.hasPrefix($0.path) } ?? .overview
    }
}
