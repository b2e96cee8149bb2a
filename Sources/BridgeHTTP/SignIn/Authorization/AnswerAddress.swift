/// The address that an authorization answer goes to.
enum AnswerAddress {
    /// Whether it is an app's, by a scheme of its own.
    static func isApp(_ location: String) -> Bool {
        !location.hasPrefix("https://") && !location.hasPrefix("http://")
    }

    /// Host and port of a web address.
    static func authority(of uri: String) -> Substring {
        uri.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
    }
}
