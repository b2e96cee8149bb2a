import Bridge
import OAuth2

/// What a login link or its form carries, taken from the raw text.
///
/// Read pair by pair, because one bad escape must not spoil the rest: a malformed `redirect` does not fail the
/// sign-in (contract §4.3), and a malformed token is simply one that does not verify.
struct RedemptionParameters: Sendable {
    /// Every `token` that is not empty, and whether the name occurred more than once.
    private(set) var tokens: [String] = []
    private(set) var isTokenRepeated = false
    private(set) var redirects: [[UInt8]] = []
    private(set) var verifiers: [String] = []
    private(set) var typedCode: String?
    private(set) var formToken: String?
    private(set) var isAutomatic = false
    private(set) var confirmsSwitch = false

    init(parsing text: some Sequence<UInt8>) {
        var tokenCount = 0
        let parts = Array(text).split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true)
        for part in parts.prefix(FormParameters.maximumCount) {
            let (name, value) = Self.pair(part)
            switch name {
            case "token":
                tokenCount += 1
                if !value.isEmpty { tokens.append(String(decoding: value, as: UTF8.self)) }
            case "redirect": redirects.append(value)
            case "code_verifier": if !value.isEmpty { verifiers.append(String(decoding: value, as: UTF8.self)) }
            case "login_code": if !value.isEmpty { typedCode = String(decoding: value, as: UTF8.self) }
            case "form_token": formToken = String(decoding: value, as: UTF8.self)
            case "auto": isAutomatic = !value.isEmpty
            case "confirm_switch": confirmsSwitch = value.elementsEqual("yes".utf8)
            default: break
            }
        }
        // Beyond the limit anything may follow, a second token too.
        isTokenRepeated = tokenCount > 1 || parts.count > FormParameters.maximumCount
    }

    var redirect: RedemptionRequest.RedirectParameter {
        guard let first = redirects.first else { return .absent }
        guard redirects.count == 1 else { return .repeated(first: first) }
        return first.isEmpty ? .absent : .bytes(first)
    }

    /// - Returns: the decoded pair; an undecodable value stays as it came, and then matches nothing.
    private static func pair(_ part: ArraySlice<UInt8>) -> (name: String?, value: [UInt8]) {
        let separator = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        let name = PercentEncoding.decode(bytes: part[..<separator], plusIsSpace: true).flatMap {
            String(validating: $0, as: UTF8.self)
        }
        let raw = separator == part.endIndex ? [] : part[(separator + 1)...]
        return (name, PercentEncoding.decode(bytes: raw, plusIsSpace: true) ?? Array(raw))
    }
}
