import Foundation

@testable import drawbridge

/// One rule about the sources that a compiler does not check.
struct SourceRule: Sendable, CustomStringConvertible {
    let description: String
    /// Which files it is about, by their path in the package.
    let concerns: @Sendable (String) -> Bool
    /// What is wrong with a file; empty when nothing is.
    let violations: @Sendable (_ path: String, _ lines: [Substring]) -> [String]

    static let all: [SourceRule] = [
        lines(
            "statuses stand in the error table", in: "Sources/",
            // The app's page on the loopback interface knows nothing of the service, and so not its errors.
            outside: ["Sources/drawbridge-app/"], except: ["ErrorCode.swift", "EmbeddedFiles.swift"],
            matching:
                #"(^|[^.\w])status: (\.init\()?(code: )?[1-5][0-9][0-9]\b|[^.\w]status: \.(badRequest|unauthorized|forbidden|notFound|conflict|tooManyRequests|serviceUnavailable|internalServerError)\b|\? \.(ok : \.)?(badRequest|unauthorized|forbidden|notFound|conflict|tooManyRequests|serviceUnavailable|internalServerError)\b"#
        ),
        // The bell tells the kernel until when to wait, by the clock that nobody sets. By that one drivers give up on
        // their servers too, and the keeper measures a disk: a test's clock says nothing of those.
        lines(
            "the clock is read in one file", in: "Sources/",
            except: [
                "TimeSource.swift", "EmbeddedFiles.swift", "Bell.swift", "PostgresEngine.swift", "PostgresLink.swift",
                "PostgresMigration.swift", "PostgresOutage.swift", "PostgresSession.swift", "PostgresStorage.swift",
                "RedisLine.swift", "Turnstile.swift", "WriteAheadLogKeeper.swift",
            ],
            matching:
                #"\bDate\(\)|\bDate\.now\b|gettimeofday|clock_gettime|\b(Continuous|Suspending)Clock(\.now\b|\(\))|(\(|\w: |[^=]= |\{ |[-+] )\.now\b(?!\()"#
        ),
        // Where there is a default, a clock that somebody forgot to hand on compiles. Those left out measure spans in
        // memory, which tests of what stands on them may leave to the machine.
        lines(
            "who needs the time is told it", in: "Sources/Bridge/",
            except: ["Degradation.swift", "RecentTries.swift", "ReplayGuard.swift"],
            matching: #"\bTimeSource\?? = (TimeSource)?\.system\b"#),
        lines(
            "redirects are not decided by URL parsers or regular expressions",
            in: "Sources/Bridge/Client/ReturnPath/", "Sources/Bridge/LoginToken/Redeem/", except: [],
            matching: #"\bURL\(|\bURLComponents\b|\bRegex\b|NSRegularExpression"#),
        // The apps and the libraries that they build in know nothing of the service, and so not its `ASCII`.
        lines(
            "bytes are classified in one place", in: "Sources/",
            outside: ["Sources/SelfIssuedIdP/", "Sources/drawbridge-app/", "Sources/drawbridge-phone/"],
            except: ["ASCII.swift", "HexDigit.swift"],
            matching:
                #"0x2[01](\.\.\.|\.\.<)0x7[EeFf]|0x30\.\.\.0x39|0x41\.\.\.0x5[Aa]|0x61\.\.\.0x7[Aa]|ascii: "[Aa0]"\)\.\.\."#
        ),
        lines(
            "nothing crashes on purpose", in: "Sources/", except: [],
            matching: #"\btry!|\bfatalError\(|\bas! "#),
        lines(
            "only commands print", in: "Sources/", "clients/swift/Sources/",
            outside: [
                "Sources/drawbridge/", "Sources/drawbridge-app/", "Sources/drawbridge-phone/",
                "Sources/BridgeHTTP/Generated/",
            ], except: [],
            matching: #"\bprint\("#),
        lines(
            "commands speak through streams that a test can replace", in: "Sources/drawbridge/",
            except: ["StandardStreams.swift"],
            matching: #"\b(print|readLine)\("#),
        lines(
            "no work is left for later", in: "Sources/", "Tests/", "Config/",
            except: ["SourceRule.swift", "ArchitectureTests.swift"],
            matching: #"\b(TODO|FIXME|XXX)\b"#),
        // Libraries are what other packages build on; the rest is the service's own.
        lines(
            "nothing is public", in: "Sources/", outside: ["Sources/SelfIssuedIdP/"],
            except: [],
            matching: #"^\s*(public|open) "#),
        lines(
            "the library for apps knows nothing of the service", in: "clients/swift/Sources/DrawbridgeClient/",
            except: [],
            matching:
                #"^\s*(public |package |internal )?import (?!(Foundation|FoundationNetworking|Crypto|CryptoKit|Security|WebKit|AuthenticationServices|SafariServices|SwiftUI)$)"#
        ),
        // iOS 15 and macOS 12 do not have these; no compiler says so on Linux.
        lines(
            "the library for apps runs on the systems it names", in: "clients/swift/Sources/", except: [],
            matching:
                #"(^|\W)(Duration|Mutex|Regex)(\W|$)|Atomic<|import Synchronization|ContinuousClock|SuspendingClock|sleep\(for:|\.replacing\(|\.firstMatch\(of|\.wholeMatch\(|appending\(path|percentEncoded:|trimmingPrefix"#
        ),
        lines(
            "the library for phones knows nothing of the service", in: "Sources/SelfIssuedIdP/", except: [],
            matching: #"^\s*(public |package |internal )?import (?!(Foundation|Crypto|CryptoExtras)$)"#),
        lines(
            "307 and 308 are never answered", in: "Sources/BridgeHTTP/", "Sources/drawbridge/", except: [],
            matching: #"temporaryRedirect|permanentRedirect|\b30[78]\b"#),
        lines(
            "the rules know neither network nor database", in: "Sources/Bridge/", "Sources/OAuth2/", except: [],
            matching:
                #"^(package |internal )?import (NIO|Hummingbird|GRDB|AsyncHTTPClient|JWTKit|SQLStorage|BridgeHTTP|Federation)"#
        ),
        // One least version and one rule for literal addresses. The phone is a program of its own.
        lines(
            "connections to others are secured in one way", in: "Sources/", outside: ["Sources/drawbridge-phone/"],
            except: ["OutboundTLS.swift"],
            matching: #"\bmakeClientConfiguration\(|\bNIOSSLClientHandler\("#),
        // A backup that looks for another name finds nothing, and says nothing.
        lines(
            "files of the data folder are named in one place", in: "Sources/drawbridge/", except: ["FileName.swift"],
            matching: #"[/"](drawbridge\.sqlite|master-key|audit-signing-key|login-token-keys\.json|retired-keys)""#),
        lines(
            "where people sign in is written in one place", in: "Sources/",
            outside: ["Sources/BridgeHTTP/Generated/"], except: ["SignInPath.swift"],
            matching: #""(/session)?/sign-in["?]|/sign-in/callback"#),
        // So that none is without what all of them must have.
        lines(
            "browsers are sent on in one way", in: "Sources/BridgeHTTP/", except: ["Response+SeeOther.swift"],
            matching: #"(\bResponse\(|^\s*)status: \.(seeOther|found)\b"#),
        lines(
            "cookies are set in one way", in: "Sources/BridgeHTTP/",
            except: ["HTTPFields+Cookies.swift", "TokenCookies.swift", "EmbeddedFiles.swift"],
            matching: #"; Secure\b"#),
        // Each wing says itself what it counts, and of whom (docs/architecture.md).
        lines(
            "limits know no bearer", in: "Sources/Bridge/Limit/", except: [],
            matching: #"\b(BearerIdentity|bearerRefused|clientRefused|tokenRequestRefused|tokenWithheld)\b"#),
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
                "AccountGuard.swift", "SignInGuard.swift", "ConsoleFrame.swift", "AdminGate.swift",
                "BearerGate.swift", "BrowserSessions.swift", "TokenCookieSessions.swift",
            ],
            matching:
                #"\b(gate|bearers)\.(admit|visit|identity|claims)\(|\.lookUp(OrLeft)?\(|\bRouteGuard\(|\bextension RouteGuard\b|\b(AdminVisit|SignedIn|AdmittedBearer|AdmittedCheck|ClientRequest|ConsoleForm|SignInForm|SignInVisit|SelfIssuedStart)\("#
        ),
        // One style for every `error_description` (CONTRIBUTING.md); header fields keep their capitals.
        lines(
            "what an error says is half a sentence", in: "Sources/Bridge/", "Sources/BridgeHTTP/", "Sources/OAuth2/",
            // Apps of another product wait for the very words of that one.
            outside: ["Sources/BridgeHTTP/Compatibility/"], except: [],
            matching:
                #"(OAuthError\(|^\s*)\.[a-z]\w+, "((?!Authorization|Idempotency-Key|Last-Event-ID|X-CSRF-Token)[A-Z][a-z]* [^"]*|[^"]*[a-z]\.)"[,)]"#
        ),
        // What is written once is a case of `RefusalReason` or of a check's own family, and listed in
        // docs/audit-format.md.
        lines(
            "why something was refused is a case", in: "Sources/Bridge/", "Sources/BridgeHTTP/",
            outside: ["Sources/BridgeHTTP/Generated/"], except: [],
            matching:
                #"\b(detail|fails): ([^#",]*[?:] )?"[a-z]|\.failure, reason: "|(^|\W)(refuse|refused|invalidParameters)\("[a-z]|\.\w+Refused, "[a-z]"#
        ),
        // So that none quotes a value that has no place in a quoted string.
        lines(
            "what a sign-in must be like is said in one way", in: "Sources/",
            outside: ["Sources/BridgeHTTP/Generated/"], except: ["AuthenticationChallenge.swift"],
            matching: #"\binsufficientUserAuthentication\.rawValue\b|error=\\?"insufficient_user_authentication"#),
        // Keys of one purpose open nothing of another, as long as all purposes are seen together.
        lines(
            "keys are derived where their purposes are listed", in: "Sources/",
            except: ["DerivedKeyPurpose.swift", "MasterKey.swift"], matching: #"\bHKDF<"#),
        // A service takes the stores that it needs; whoever has them all can restore and close the database.
        lines(
            "services do not have the whole database", in: "Sources/",
            outside: ["Sources/drawbridge/", "Sources/SQLStorage/"], except: ["BridgeStorage.swift"],
            matching: #"\bBridgeStorage\b"#),
        // Both are true with CI=true, so that a suite whose server is not there fails instead of being skipped.
        lines(
            "what is not installed is missed where everything must hold", in: "Tests/",
            except: ["SourceRule.swift", "ArchitectureTests.swift"],
            // What makes files of several accounts takes root, as which everything is run in CI.
            matching: #"\.disabled\(|\.enabled\((?!if: (PostgresServer\.isWanted|RedisServer\.isExpected|"#
                + #"geteuid\(\) == 0)\b)"#),
        bannedNames, length, functionLength, settingOnce, errorTexts, memories, comments, signInGroups, logLines,
    ]

    /// Part of what is built for others: the programs, and the library for apps.
    private static func isProduct(_ path: String) -> Bool {
        path.hasPrefix("Sources/") || path.hasPrefix("clients/swift/Sources/")
    }

    private static let bannedWords: Set = [
        "Helper", "Helpers", "Util", "Utils", "Common", "Manager", "Misc", "Data", "Info", "New",
    ]

    private static let bannedNames = SourceRule(
        description: "names say what a thing is",
        concerns: { isProduct($0) },
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

    /// A setting's name is written where its wing declares it, once; everything else names the declaration.
    private static let settingOnce = SourceRule(
        description: "a setting is declared once, in its wing",
        concerns: { $0.hasPrefix("Sources/drawbridge/") },
        violations: { path, lines in
            // A name without a dot is also an ordinary word, and a field of many a document.
            let names = SettingKey.all.map(\.name).filter { $0.contains(".") }
            let isWing = path.hasPrefix("Sources/drawbridge/Settings/Wings/")
            let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
            let repeated = names.filter { code.split(separator: "\"\($0)\"").count - 1 > (isWing ? 1 : 0) }
            let declared =
                isWing
                ? 0
                : code.split(
                    separator:
                        /Setting(<\w+>)?\s*\.\s*(text|path|database|origin|address|boolean|integer|fraction|duration|optionalDuration|choice|list|objects)\(\s*"/
                ).count - 1
            return repeated + (declared > 0 ? ["declares a setting outside of Settings/Wings"] : [])
        })

    private static let errorTexts = SourceRule(
        description: "an error's text is made of what is listed",
        concerns: { path in
            ["Sources/Bridge/", "Sources/BridgeHTTP/", "Sources/OAuth2/"].contains { path.hasPrefix($0) }
                && !path.hasPrefix("Sources/BridgeHTTP/Generated/")
        },
        violations: { path, lines in ErrorTexts.violations(in: path, lines) })

    /// What remembers lives as long as the process (ADR-0059).
    private static let memories = SourceRule(
        description: "what remembers is a class",
        concerns: { $0.hasPrefix("Sources/") },
        violations: { _, lines in
            lines.indices.filter { index in
                let member = lines[index].firstMatch(of: /^( +)(?:\w+ )*let \w+: ShortLivedCache</)
                guard let margin = member?.1.count else { return false }
                let owner = lines[..<index].last { line in
                    line.prefix { $0 == " " }.count == margin - 4
                        && line.firstMatch(of: /\b(?:struct|class|actor|enum|extension) \w/) != nil
                }
                return owner?.firstMatch(of: /\bclass \w/) == nil
            }.map { String(lines[$0]) }
        })

    /// Editors and generated documentation show a comment without the one before it.
    private static let comments = SourceRule(
        description: "comments stand by themselves",
        concerns: { isProduct($0) },
        violations: { _, lines in
            lines.indices.filter { index in
                let text = lines[index].drop { $0 == " " }
                let goesOn = index > lines.startIndex && lines[index - 1].drop { $0 == " " }.hasPrefix("/// ")
                return !goesOn && (text.hasPrefix("/// The same") || text.hasPrefix("/// Of "))
            }.map { String(lines[$0]) }
        })

    /// A test asks whether routes refuse web views, and asks it of these groups alone.
    private static let signInGroups = SourceRule(
        description: "whoever signs somebody in is a sign-in group",
        concerns: { $0.hasPrefix("Sources/BridgeHTTP/") },
        violations: { _, lines in
            let isGroup = lines.contains { $0.contains(": SignInGroup {") }
            return isGroup ? [] : lines.filter { $0.contains(/\bflow\.(proceed|setCookies)\(/) }.map(String.init)
        })

    /// Operators search the log for a line as it is quoted, in the middle of a sentence.
    private static let logLines = SourceRule(
        description: "a log line begins with a small letter",
        concerns: { $0.hasPrefix("Sources/") && !$0.hasSuffix("EmbeddedFiles.swift") },
        violations: { _, lines in
            let levels = "trace|debug|info|notice|warning|error|critical"
            guard let pattern = try? LinePattern(#"ogger\??\.(\#(levels))\([^")]*"[A-Z][a-z ]"#) else {
                return ["the pattern does not compile"]
            }
            return lines.indices.filter { index in
                // The text is seldom on the line of the call.
                lines[index].contains("ogger")
                    && pattern.occurs(in: lines[index...].prefix(3).joined(separator: "\n")[...])
            }.map { String(lines[$0]) }
        })

    private static let length = SourceRule(
        description: "a file holds one thing",
        concerns: { isProduct($0) && !$0.hasSuffix("EmbeddedFiles.swift") },
        violations: { _, lines in lines.count > 400 ? ["\(lines.count) lines"] : [] })

    private static let functionLength = SourceRule(
        description: "a function does one thing",
        concerns: { isProduct($0) && !$0.hasSuffix("EmbeddedFiles.swift") },
        violations: { _, lines in FunctionLength.violations(in: lines) })

    private static func lines(
        _ description: String, in folders: String..., outside excluded: [String] = [], except files: Set<String>,
        matching pattern: String
    ) -> SourceRule {
        let pattern = Result { try LinePattern(pattern) }
        return SourceRule(
            description: description,
            concerns: { path in
                folders.contains { path.hasPrefix($0) } && !excluded.contains { path.hasPrefix($0) }
                    && !files.contains(String(path.split(separator: "/").last ?? ""))
            },
            violations: { _, lines in
                guard let pattern = try? pattern.get() else { return ["the pattern does not compile"] }
                return lines.filter { line in
                    pattern.occurs(in: line) && !line.drop { $0 == " " }.hasPrefix("//")
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
