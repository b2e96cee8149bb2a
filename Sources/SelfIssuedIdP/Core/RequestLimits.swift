/// How long the texts of a request may be.
enum RequestLimits {
    /// Characters of a link or a code: more than any of ours, and little enough to read.
    static let link = 8192
    /// Characters of a nonce.
    static let nonce = 8...256
}
