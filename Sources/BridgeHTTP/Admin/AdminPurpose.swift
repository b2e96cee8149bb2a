/// What an administrator's request is for.
enum AdminPurpose: Sendable {
    case read
    /// Goes on by itself for as long as a page is open: no use of the session that it comes with.
    case watch
    /// Reads all there is, which leaves an event or a file behind: a browser that another website led here does not.
    case take
    /// Sends something and changes nothing of anybody else's: a question, or the way out.
    case ask
    case change

    /// By the method: what may change something is taken to do so.
    init(_ method: String) { self = ["GET", "HEAD", "OPTIONS"].contains(method) ? .read : .change }

    /// Whether a browser must prove that a page of ours sends it.
    var takesFormToken: Bool { self == .ask || self == .change }
}
