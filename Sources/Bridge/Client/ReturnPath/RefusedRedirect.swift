import OAuth2

/// What the audit log keeps of a refused redirect: its length and the first bytes of its path, never its query
/// (docs/rules/return-path.md P8).
enum RefusedRedirect {
    static let keptBytes = 64

    /// One line of JSON, `{"length":…,"path":"…"}`. Bytes outside visible ASCII are written as `\xNN`, so that
    /// nothing in the log can act on a terminal or a page.
    static func detail(_ input: [UInt8]) -> String {
        let path = input.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return #"{"length":\#(input.count),"path":\#(RefusedParameter.quoted(path, keptBytes))}"#
    }
}
