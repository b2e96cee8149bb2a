import Foundation

/// One rule about the sources that a compiler does not check.
struct SourceRule: Sendable, CustomStringConvertible {
    let description: String
    /// Which files it is about, by their path in the package.
    let concerns: @Sendable (String) -> Bool
    /// What is wrong with a file; empty when nothing is.
    let violations: @Sendable (_ path: String, _ lines: [Substring]) -> [String]

    static let all: [SourceRule] = [
        lines(
            "statuses stand in the error table", in: "Sources/", except: ["ErrorCode.swift", "EmbeddedFiles.swift"],
            matching:
                #"(^|[^.\w])status: (\.init\()?(code: )?[1-5][0-9][0-9]\b|[^.\w]status: \.(badRequest|unauthorized|forbidden|notFound|conflict|tooManyRequests|serviceUnavailable|internalServerError)\b"#
        ),
        lines(
            "the clock is read in one file", in: "Sources/", except: ["TimeSource.swift", "EmbeddedFiles.swift"],
            matching: #"\bDate\(\)|\bDate\.now\b|gettimeofday|clock_gettime"#),
        lines(
            "redirects are not decided by URL parsers or regular expressions",
            in: "Sources/Bridge/Client/ReturnPath/", "Sources/Bridge/LoginToken/Redeem/", except: [],
            matching: #"\bURL\(|\bURLComponents\b|\bRegex\b|NSRegularExpression"#),
        lines(
            "nothing crashes on purpose", in: "Sources/", except: [],
            matching: #"\btry!|\bfatalError\(|\bas! "#),
        lines(
            "only commands print", in: "Sources/Bridge/", "Sources/BridgeHTTP/", "Sources/OAuth2/",
            "Sources/SQLStorage/", "Sources/Federation/", "Sources/DrawbridgeClient/", except: [],
            matching: #"\bprint\("#),
        lines(
            "no work is left for later", in: "Sources/", "Tests/", "Config/",
            except: ["SourceRule.swift", "ArchitectureTests.swift"],
            matching: #"\b(TODO|FIXME|XXX)\b"#),
        // DrawbridgeClient is what other packages build on; the rest is the service's own.
        lines(
            "nothing is public", in: "Sources/", outside: "Sources/DrawbridgeClient/", except: [],
            matching: #"^\s*(public|open) "#),
        lines(
            "the library for apps knows nothing of the service", in: "Sources/DrawbridgeClient/", except: [],
            matching:
                #"^\s*(public |package |internal )?import (?!(Foundation|FoundationNetworking|Crypto|Security|WebKit)$)"#
        ),
        lines(
            "307 and 308 are never answered", in: "Sources/BridgeHTTP/", "Sources/drawbridge/", except: [],
            matching: #"temporaryRedirect|permanentRedirect|\b30[78]\b"#),
        lines(
            "the rules know neither network nor database", in: "Sources/Bridge/", "Sources/OAuth2/", except: [],
            matching:
                #"^(package |internal )?import (NIO|Hummingbird|GRDB|AsyncHTTPClient|JWTKit|SQLStorage|BridgeHTTP|Federation)"#
        ),
        // Everything else derives a lineage from its parent's, and so cannot make one that grows.
        lines(
            "a lineage is read from rows alone", in: "Sources/",
            except: ["Lineage.swift", "AppSessionRow.swift", "WebSessionRow.swift"],
            matching: #"\bLineage\(|\bLineage\.init\b|^\s*stored: |\(stored: "#),
        // A declaration says whom it lets in, and is where every list of routes comes from.
        lines(
            "routes are declared", in: "Sources/BridgeHTTP/", "Sources/drawbridge/",
            except: ["Endpoints.swift", "Route.swift", "ManagementRoutes.swift", "DemoSite.swift"],
            matching:
                #"\b[rR]outer\.(get|head|post|put|patch|delete|on|group)\b|\b[eE]ndpoints\.on\(|\.on\("|\bRouterPath\("#
        ),
        // A handler gets who was let in as a parameter, and cannot be called without.
        lines(
            "guards let in, handlers do not", in: "Sources/BridgeHTTP/",
            except: [
                "RouteGuard.swift", "ClientGuard.swift", "CompatibleGuard.swift", "SessionGuard.swift",
                "AccountGuard.swift", "ConsoleFrame.swift", "AdminGate.swift", "BearerGate.swift",
                "BrowserSessions.swift",
            ],
            matching:
                #"\b(gate|bearers)\.(admit|visit|identity|claims)\(|\.lookUp\(|\bRouteGuard\(|\bextension RouteGuard\b|\b(AdminVisit|SignedIn|AdmittedBearer|ClientRequest|ConsoleForm)\("#
        ),
        // Both are true with CI=true, so that a suite whose server is not there fails instead of being skipped.
        lines(
            "what is not installed is missed where everything must hold", in: "Tests/",
            except: ["SourceRule.swift", "ArchitectureTests.swift"],
            matching: #"\.disabled\(|\.enabled\((?!if: (PostgresServer\.isWanted|RedisServer\.isExpected)\b)"#),
        bannedNames, length,
    ]

    private static let bannedWords: Set = [
        "Helper", "Helpers", "Util", "Utils", "Common", "Manager", "Misc", "Data", "Info", "New",
    ]

    private static let bannedNames = SourceRule(
        description: "names say what a thing is",
        concerns: { $0.hasPrefix("Sources/") },
        violations: { path, lines in
            let declared = lines.compactMap { line in
                line.firstMatch(of: /\b(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)/).map { String($0.1) }
            }
            let file = path.split(separator: "/").last.map { String($0.prefix { $0 != "." && $0 != "+" }) } ?? ""
            // "UserInfo" is what OpenID Connect calls the endpoint.
            return (declared + [file]).filter { !$0.hasPrefix("UserInfo") }.filter {
                !bannedWords.isDisjoint(with: words(of: $0))
            }
        })

    private static let length = SourceRule(
        description: "a file holds one thing",
        concerns: { $0.hasPrefix("Sources/") && !$0.hasSuffix("EmbeddedFiles.swift") },
        violations: { _, lines in lines.count > 400 ? ["\(lines.count) lines"] : [] })

    private static func lines(
        _ description: String, in folders: String..., outside excluded: String? = nil, except files: Set<String>,
        matching pattern: String
    ) -> SourceRule {
        SourceRule(
            description: description,
            concerns: { path in
                folders.contains { path.hasPrefix($0) } && excluded.map { !path.hasPrefix($0) } ?? true
                    && !files.contains(String(path.split(separator: "/").last ?? ""))
            },
            violations: { _, lines in
                guard let expression = try? Regex(pattern) else { return ["the pattern does not compile"] }
                return lines.filter { line in
                    !line.drop { $0 == " " }.hasPrefix("//") && line.firstMatch(of: expression) != nil
                }.map(String.init)
            })
    }

    /// `AuditLogData` is Audit, Log, Data.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        for character in name {
            if character.isUppercase || words.isEmpty { words.append("") }
            words[words.count - 1].append(character)
        }
        return words
    }
}
