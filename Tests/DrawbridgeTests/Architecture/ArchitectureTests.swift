import Foundation
import Testing

@Suite struct ArchitectureTests {
    /// Every source file of the package, with its lines.
    private static let files: [(path: String, lines: [Substring])] = {
        let root = TemporaryFolder.package
        var files: [(String, [Substring])] = []
        for folder in ["Sources", "clients/swift/Sources", "Tests", "Config"] {
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path(percentEncoded: false))
            while let name = names?.nextObject() as? String {
                guard name.hasSuffix(".swift") || name.hasSuffix(".yaml"),
                    let text = try? String(contentsOf: root.appending(path: "\(folder)/\(name)"), encoding: .utf8)
                else { continue }
                files.append(("\(folder)/\(name)", text.split(separator: "\n", omittingEmptySubsequences: false)))
            }
        }
        return files
    }()

    @Test(arguments: SourceRule.all)
    func `the sources obey the rule`(_ rule: SourceRule) {
        #expect(Self.files.count > 100)
        for file in Self.files where rule.concerns(file.path) {
            #expect(rule.violations(file.path, file.lines) == [], "\(file.path)")
        }
    }

    @Test func `every suite of a whole storage is in the list of all`() throws {
        let list = try #require(Self.files.first { $0.path.hasSuffix("/StorageConformance.swift") }).lines.joined()
        var suites = 0
        for file in Self.files where file.path.hasPrefix("Tests/StorageConformance/") {
            let isForWholeStorage = file.lines.contains { $0.contains("ConformanceCase<any BridgeStorage>") }
            for line in file.lines where isForWholeStorage {
                let name = line.firstMatch(of: #/^package enum (\w+Conformance) /#)?.1
                guard let name, name != "StorageConformance" else { continue }
                suites += 1
                #expect(list.contains("\(name).cases"))
            }
        }
        #expect(suites > 15)
    }

    @Test func `every metric has a line of help, and every line a metric`() {
        func names(_ pattern: some RegexComponent<(Substring, Substring)>) -> Set<Substring> {
            Set(
                Self.files.filter { $0.path.hasPrefix("Sources/") }.flatMap(\.lines)
                    .compactMap { $0.firstMatch(of: pattern)?.output.1 })
        }
        let metrics = names(#/label: "(drawbridge_\w+)"/#)
        #expect(metrics.count > 10)
        #expect(metrics == names(#/^        "(drawbridge_\w+)":/#))
    }

    @Test(arguments: ["ErrorCode.swift", "AuditEventType.swift"])
    func `what a list of all names leaves nothing out that is declared`(_ name: String) throws {
        let lines = try #require(Self.files.first { $0.path.hasSuffix("/\(name)") }).lines
        let declared = lines.compactMap { $0.firstMatch(of: #/static let (\w+) = (?:Self|ErrorCode)\(/#)?.output.1 }
        let list = lines.drop { !$0.contains("static let all") }
        let listed = Set(list.flatMap { $0.matches(of: #/\w+/#).map(\.output) })
        #expect(declared.count > 40)
        #expect(declared.filter { !listed.contains($0) } == [])
    }

    private static let words = files.filter { $0.path.hasPrefix("Sources/") }.map {
        SourceWords(path: $0.path, lines: $0.lines)
    }

    @Test(arguments: WingOrder.all)
    func `the wings of a target know only those before them`(_ order: WingOrder) {
        #expect(order.violations(in: Self.words) == [])
    }

    @Test func `every target with wings has an order`() {
        #expect(WingOrder.targets(of: Self.words) == WingOrder.all.map(\.target).sorted())
    }

    @Test(arguments: [
        ("Core", "struct X { let limit: RateLimiter }"), ("Session", "extension Account {}"),
        ("NativeSSO", "func f(_ signIn: SignIn) {}"), ("Admin", "let storage: any BridgeStorage"),
        ("Elsewhere", "struct X {}"),
    ])
    func `a name from a wing above is found`(_ wing: String, _ text: String) throws {
        let order = try #require(WingOrder.all.first { $0.target == "Sources/Bridge" })
        let planted = SourceWords(path: "Sources/Bridge/\(wing)/Planted.swift", lines: [text[...]])
        #expect(order.violations(in: Self.words + [planted]).count == 1)
    }

    @Test(arguments: [
        "static let planted = 1", "package var planted: Int { 1 }", "static func planted() {}",
    ])
    func `what an extension in a wing above adds is found`(_ member: String) throws {
        let order = try #require(WingOrder.all.first { $0.target == "Sources/Bridge" })
        let home = SourceWords(
            path: "Sources/Bridge/SignIn/Home.swift", lines: ["extension Subject {", "    \(member)", "}"])
        let path = "Sources/Bridge/Core/User.swift"
        let user = SourceWords(path: path, lines: ["    let x = subject.planted"])
        #expect(order.violations(in: Self.words + [home, user]) == ["\(path): planted of SignIn"])
        // Of two that have the name, a word does not say which one is meant.
        let other = SourceWords(path: "Sources/Bridge/Core/Other.swift", lines: ["    let planted: Int"])
        #expect(order.violations(in: Self.words + [home, user, other]) == [])
    }

    @Test func `no type of the tests is a copy of another`() throws {
        let files = Self.files.filter { $0.path.hasPrefix("Tests/") }
        #expect(TypeCopies(in: files).found == [])
        let shared = try #require(files.first { $0.path.hasSuffix("/SplitMix64.swift") })
        let copy = shared.lines.map {
            $0.replacing("package ", with: "private ").replacing("SplitMix64", with: "Dice")
        }
        #expect(TypeCopies(in: [shared, ("Tests/Planted.swift", copy)]).found.count == 1)
    }

    @Test func `no folder of the sources holds one file alone`() {
        let paths = Self.files.map(\.path)
        #expect(Self.foldersOfOneFile(among: paths) == [])
        let planted = "Sources/Bridge/Core/Planted"
        #expect(Self.foldersOfOneFile(among: paths + ["\(planted)/X.swift"]).contains(planted))
    }

    /// Below the folder of a target: those that hold nothing else, and so are a step more on the way to the file.
    private static func foldersOfOneFile(among paths: [String]) -> [String] {
        var contents: [String: Set<Substring>] = [:]
        for path in paths where path.hasPrefix("Sources/") {
            let parts = path.split(separator: "/")
            for depth in parts.indices.dropFirst(3) {
                contents[parts.prefix(depth).joined(separator: "/"), default: []].insert(parts[depth])
            }
        }
        // What a script writes stands apart, however little it is.
        return contents.filter { folder, names in
            names.count == 1 && names.allSatisfy { $0.hasSuffix(".swift") } && !folder.hasSuffix("/Generated")
        }.keys.sorted()
    }

    @Test(arguments: [
        ("statuses stand in the error table", "Sources/BridgeHTTP/X.swift", "Response(status: .init(code: 404))"),
        ("statuses stand in the error table", "Sources/BridgeHTTP/X.swift", "Response(status: .badRequest)"),
        (
            "statuses stand in the error table", "Sources/BridgeHTTP/X.swift",
            "        values[\"problem\"] == nil ? .ok : .badRequest"
        ),
        (
            "statuses stand in the error table", "Sources/BridgeHTTP/X.swift",
            "        isWrong ? .badRequest : .ok"
        ),
        ("the clock is read in one file", "Sources/Bridge/X.swift", "let now = Date()"),
        ("the clock is read in one file", "Sources/Bridge/X.swift", "let began = ContinuousClock.now"),
        ("the clock is read in one file", "Sources/Bridge/X.swift", "let took = began.duration(to: .now)"),
        ("the clock is read in one file", "Sources/Bridge/X.swift", "now: ContinuousClock.Instant = .now"),
        ("the clock is read in one file", "Sources/Bridge/X.swift", "clock: @escaping () -> Instant = { .now }"),
        (
            "who needs the time is told it", "Sources/Bridge/X.swift",
            "    package init(store: any GrantStore, time: TimeSource = .system) {"
        ),
        (
            "redirects are not decided by URL parsers or regular expressions",
            "Sources/Bridge/LoginToken/Redeem/X.swift",
            "URL(string: redirect)"
        ),
        (
            "bytes are classified in one place", "Sources/Bridge/X.swift",
            "        guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {"
        ),
        (
            "bytes are classified in one place", "Sources/drawbridge/X.swift",
            #"            case UInt8(ascii: "a")...UInt8(ascii: "z"): true"#
        ),
        ("nothing crashes on purpose", "Sources/Bridge/X.swift", "let x = try! f()"),
        ("only commands print", "Sources/Bridge/X.swift", "    print(token)"),
        ("only commands print", "Sources/RedisStorage/X.swift", "    print(token)"),
        (
            "a log line begins with a small letter", "Sources/Federation/X.swift",
            """
                    logger.warning(
                        failure.isOurs
                            ? "Our secret is refused" : "no answer", metadata: [:])
            """
        ),
        (
            "commands speak through streams that a test can replace", "Sources/drawbridge/Commands/X.swift",
            "    print(answer)"
        ),
        ("no work is left for later", "Tests/X.swift", "let a = 1 // TODO later"),
        ("nothing is public", "Sources/Bridge/X.swift", "public struct X {}"),
        (
            "the library for apps knows nothing of the service", "clients/swift/Sources/DrawbridgeClient/X.swift",
            "import Bridge"
        ),
        (
            "the library for apps runs on the systems it names", "clients/swift/Sources/X.swift",
            "let wait = Duration.zero"
        ),
        (
            "the library for phones knows nothing of the service", "Sources/SelfIssuedIdP/X.swift", "import OAuth2"
        ),
        (
            "connections to others are secured in one way", "Sources/Federation/X.swift",
            "        var configuration = TLSConfiguration.makeClientConfiguration()"
        ),
        (
            "files of the data folder are named in one place", "Sources/drawbridge/X.swift",
            #"    let path = "\(folder)/retired-keys""#
        ),
        (
            "where people sign in is written in one place", "Sources/drawbridge/X.swift",
            #"        if page == "/sign-in" { return [] }"#
        ),
        (
            "browsers are sent on in one way", "Sources/BridgeHTTP/X.swift",
            "        return Response(status: .seeOther, headers: headers)"
        ),
        (
            "cookies are set in one way", "Sources/BridgeHTTP/X.swift",
            #"        append("\(name)=; Path=/; Secure; HttpOnly", to: &headers)"#
        ),
        ("307 and 308 are never answered", "Sources/BridgeHTTP/X.swift", "status: .temporaryRedirect"),
        ("the rules know neither network nor database", "Sources/Bridge/X.swift", "import NIOCore"),
        (
            "limits know no bearer", "Sources/Bridge/Limit/X.swift",
            "    func issueKeys(_ bearer: BearerIdentity, origin: RequestOrigin) -> [RateLimitKey] {"
        ),
        ("a lineage is read from rows alone", "Sources/Bridge/NativeSSO/Exchange/X.swift", "        lineage: Lineage("),
        ("a lineage is read from rows alone", "Sources/BridgeHTTP/X.swift", "    stored: subject,"),
        ("routes are declared", "Sources/BridgeHTTP/Admin/X.swift", #"    router.get("/api/admin/x") { _, _ in"#),
        ("routes are declared", "Sources/BridgeHTTP/X.swift", #"    endpoints.on("/api/admin/x", [.get: x.show])"#),
        ("routes are declared", "Sources/drawbridge/X.swift", #"    endpoints.on("/x", [.get: x.show])"#),
        (
            "guards let in, handlers do not", "Sources/BridgeHTTP/Admin/X.swift",
            "        _ = try await gate.admit(request, context)"
        ),
        (
            "guards let in, handlers do not", "Sources/BridgeHTTP/X.swift",
            "        let bearer = try await bearers.identity(of: request, origin: origin)"
        ),
        (
            "guards let in, handlers do not", "Sources/BridgeHTTP/X.swift",
            "        return try await sessions.lookUp(secret)"
        ),
        (
            "guards let in, handlers do not", "Sources/BridgeHTTP/X.swift",
            "        return try await sessions.lookUpOrLeft(secret)"
        ),
        ("guards let in, handlers do not", "Sources/BridgeHTTP/X.swift", "    AdminVisit(actor: .program(id))"),
        (
            "guards let in, handlers do not", "Sources/BridgeHTTP/X.swift",
            "extension RouteGuard where Admitted == Void {"
        ),
        ("guards let in, handlers do not", "Sources/BridgeHTTP/X.swift", "        let sent = SignInForm(form)"),
        (
            "whoever signs somebody in is a sign-in group", "Sources/BridgeHTTP/X.swift",
            "        return try await flow.proceed(errand, opened, browser: browser, request, context)"
        ),
        (
            "what an error says is half a sentence", "Sources/Bridge/X.swift",
            #"        throw OAuthError(.notFound, "There is no such sign-in")"#
        ),
        (
            "what an error says is half a sentence", "Sources/BridgeHTTP/X.swift",
            #"            .invalidRequest, "ttl must be between 1 and 60 seconds.")"#
        ),
        ("names say what a thing is", "Sources/Bridge/X.swift", "struct SessionManager {}"),
        ("names say what a thing is", "Sources/Bridge/TokenUtils.swift", ""),
        (
            "a setting is declared once, in its wing", "Sources/drawbridge/Service/X.swift",
            #"let seconds = raw.values["login_token.lifetime"]"#
        ),
        (
            "a setting is declared once, in its wing", "Sources/drawbridge/Service/X.swift",
            #"static let more = Setting.integer("new.key", 1...2, default: 1, "More.")"#
        ),
        (
            "a setting is declared once, in its wing", "Sources/drawbridge/Settings/Wings/X.swift",
            #"let a = Setting.path("tls.certificate", "One.")\nlet b = Setting.path("tls.certificate", "Two.")"#
                .replacing(#"\n"#, with: "\n")
        ),
        (
            "why something was refused is a case", "Sources/Bridge/X.swift",
            #"        throw OAuthError(.invalidGrant, "the code is not valid", detail: "expired_code")"#
        ),
        (
            "why something was refused is a case", "Sources/BridgeHTTP/X.swift",
            #"        explanation.check("app is known", fails: app == nil ? "unknown_client" : nil)"#
        ),
        (
            "why something was refused is a case", "Sources/Bridge/X.swift",
            #"            at: now, type: .loginTokenRefused, outcome: .failure, reason: "expired","#
        ),
        ("why something was refused is a case", "Sources/Bridge/X.swift", #"throw Self.refused("other_client")"#),
        (
            "what a sign-in must be like is said in one way", "Sources/Bridge/X.swift",
            #"        "Bearer error=\"\(ErrorCode.insufficientUserAuthentication.rawValue)\", max_age=\"300\"""#
        ),
        (
            "what a sign-in must be like is said in one way", "Sources/BridgeHTTP/X.swift",
            #"        "Bearer error=\"insufficient_user_authentication\"""#
        ),
        (
            "services do not have the whole database", "Sources/BridgeHTTP/X.swift",
            "    let storage: any BridgeStorage"
        ),
        (
            "keys are derived where their purposes are listed", "Sources/Bridge/X.swift",
            "        HKDF<SHA256>.deriveKey("
        ),
        (
            "an error's text is made of what is listed", "Sources/Bridge/X.swift",
            #"        throw OAuthError(.invalidRequest, "\(value) is no scope")"#
        ),
        (
            "an error's text is made of what is listed", "Sources/BridgeHTTP/X.swift",
            """
                    throw OAuthError(
                        .invalidRequest, "no such thing as " + parameters["scope"], detail: .malformedScope)
            """
        ),
        ("an error's text is made of what is listed", "Sources/OAuth2/X.swift", "OAuthError(code, value)"),
        (
            "an error's text is made of what is listed", "Sources/Bridge/X.swift",
            #"        throw Self.refused(.otherClient, "\(value) is no client of yours")"#
        ),
        (
            "an error's text is made of what is listed", "Sources/Bridge/X.swift",
            #"OAuthError(.invalidScope, "no \(words.joined(separator: ", "))")"#
        ),
        // What is listed has to be there.
        ("an error's text is made of what is listed", "Sources/OAuth2/Error/UnknownName.swift", ""),
        (
            "what is not installed is missed where everything must hold", "Tests/X.swift",
            "@Suite(.enabled(if: Server.binary != nil))"
        ),
        ("what is not installed is missed where everything must hold", "Tests/X.swift", "@Test(.disabled())"),
        (
            "what remembers is a class", "Sources/Bridge/X.swift",
            """
            final class X {}
            package struct Y: Sendable {
                private let answers: ShortLivedCache<Int, Int>
            """
        ),
        ("comments stand by themselves", "Sources/Bridge/X.swift", "    /// The same for a website's server."),
        (
            "comments stand by themselves", "Sources/Bridge/X.swift",
            """
                /// Uses it up.
                ///
                /// Of two callers one gets `true`.
            """
        ),
        ("a file holds one thing", "Sources/Bridge/X.swift", String(repeating: "\n", count: 400)),
        (
            "a function does one thing", "Sources/Bridge/X.swift",
            "    func f(\n        _ a: Int\n    ) {\n\(String(repeating: "        g(a)\n", count: 51))    }"
        ),
    ])
    func `a planted violation is found`(_ name: String, _ path: String, _ text: String) throws {
        let rule = try #require(SourceRule.all.first { $0.description == name })
        #expect(rule.concerns(path))
        #expect(rule.violations(path, text.split(separator: "\n", omittingEmptySubsequences: false)) != [])
    }
}
