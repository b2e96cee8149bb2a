import Foundation

/// What the text of an `OAuthError` holds beside fixed words: nothing but the expressions that are listed here, by
/// file, each looked at by whoever listed it (ADR-0083).
enum ErrorTexts {
    /// By the end of a file's path: names that we declare, numbers of ours, words of our enums, and texts that another
    /// function makes of these.
    static let parts: [String: Set<String>] = [
        "AdminExplainController.swift": ["name"],
        "AdminRefusal+Answer.swift": ["WebSession.signInFreshness.roundedUpMinutes"],
        "AdminRequestReader.swift": [
            "AdminAction.reasonLimit", "limit", "limits.lowerBound", "limits.upperBound", "name",
        ],
        "AdminUserController.swift": ["AccountNames.limit", "Username.limit", "error.description", "name", "problem"],
        "AuditFilterReader.swift": ["AdminAction.reasonLimit", "AuditFilter.addressExpectation", "name"],
        "AuthenticationDemand.swift": ["name"],
        "AuthorizationRequestReader.swift": ["name"],
        "CheckedWebsite.swift": ["Self.parameter"],
        "ClientAuthenticator.swift": ["Self.description(of: flaw)"],
        // What is wrong with an administrator's document: the one text that quotes (ADR-0083).
        "BridgeHTTP/Admin/ClientEdit.swift": ["name", "text"],
        "CompatibleAuthorizeController.swift": ["name"],
        "CompatibleSessionController.swift": ["Scope.revokeAllSessions"],
        "CompatibleTokenController.swift": ["refused.error.publicDescription"],
        "ConsoleOverview.swift": ["known"],
        "DeviceCodeGrant.swift": ["poll.interval.roundedUpSeconds"],
        "HandOffController.swift": ["lengths.lowerBound", "lengths.upperBound", "name"],
        "IssueRequestReader.swift": ["name"],
        "KeyRegistration.swift": ["LinkedKeys.linkFreshness.roundedUpMinutes", "refusal.explanation"],
        "LimitGate.swift": ["text"],
        "ListOrder.swift": ["known"],
        "LoginTokenExchange.swift": ["error.publicDescription"],
        "LoginTokenTerms.swift": ["explanation(of: refusal)", "longest"],
        "NativeSSOExchange.swift": ["flaw.publicDescription"],
        "NativeSSOSettingsText.swift": ["field.rawValue", "problem"],
        "PhoneApprovers.swift": ["act.words", "minutes", "words"],
        "PushedRequests.swift": [
            "AuthorizationRequestReader.foreignResource", "Self.maximumBytes", "description",
            "description(of: problem)", "problem",
        ],
        "RequestedExchange.swift": ["type.rawValue"],
        "SecretInAddress.swift": ["name"],
        "SelfIssuedController.swift": ["SelfIssuedRefusal.Reason.foreignPage.explanation"],
        // A member that the body may have.
        "StrictBody.swift": ["name"],
        "TextMembers.swift": ["name"],
        "TokenGrant.swift": ["AuthorizationRequestReader.foreignResource", "name"],
        // A name of the request's, once it is sure that it can be one.
        "UnknownName.swift": ["problem"],
    ]

    /// Every part that is not listed, every one that is listed and gone, and how many texts cannot be read: those with
    /// quotation marks or brackets inside an interpolation.
    static func violations(in path: String, _ lines: [Substring]) -> [String] {
        let listed = parts.first { path.hasSuffix("/\($0.key)") }?.value ?? []
        let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        guard let head = try? NSRegularExpression(pattern: headPattern),
            let whole = try? NSRegularExpression(pattern: headPattern + textPattern),
            let literal = try? NSRegularExpression(pattern: literalPattern),
            let interpolation = try? NSRegularExpression(pattern: #"\\\(([^()"]*)\)"#)
        else { return ["a pattern does not compile"] }
        let texts = matches(of: whole, in: code)
        let unread = matches(of: head, in: code).count - texts.count
        var found: Set<String> = []
        for text in texts {
            var rest = text
            for piece in matches(of: literal, in: text) {
                found.formUnion(matches(of: interpolation, in: piece))
                rest = rest.replacing(piece, with: "")
            }
            let words = rest.split { $0.isWhitespace || $0 == "+" }
            if !words.isEmpty { found.insert(words.joined(separator: " ")) }
        }
        var problems = found.subtracting(listed).sorted()
        problems += listed.subtracting(found).sorted().map { "\($0) is listed and gone" }
        if unread != 0 { problems.append("\(unread) texts cannot be read") }
        return problems
    }

    /// Up to the text: of an error whose second argument has no label, or of what is called a refusal and brings one.
    private static let headPattern =
        #"(?:\bOAuthError\(\s*[^,()"]+,\s*+(?!(?:detail|retryAfter|challenge):)|\brefused?\(\s*\.\w+,\s*+(?="))"#
    private static let literalPattern = #""(?:[^"\\]|\\[^(]|\\\([^()"]*\))*+""#
    private static let textPattern = "((?:\(literalPattern)|[^\"(),]|\\([^()\"]*\\))++)(?=[,)])"

    /// The first group of each match; where there is none, the match.
    private static func matches(of expression: NSRegularExpression, in text: String) -> [String] {
        expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
            Range(match.range(at: expression.numberOfCaptureGroups == 0 ? 0 : 1), in: text).map { String(text[$0]) }
        }
    }
}
