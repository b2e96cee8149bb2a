import Bridge

/// What the sign-in page says above its fields.
enum SignInNotice: Sendable {
    /// Name or password are wrong, and nothing tells which.
    case refused
    case limited(Duration)
    /// The page was open too long, or in another browser.
    case stale
    /// The upstream provider named nobody who may sign in.
    case declined

    /// The text's key in the section `sign_in`.
    var key: String {
        switch self {
        case .refused: "refused"
        case .limited: "limited"
        case .stale: "stale"
        case .declined: "declined"
        }
    }
}

/// The content of the sign-in page.
struct SignInPage: Sendable {
    let fields: [HiddenField]
    let notice: SignInNotice?
    let username: String?
    /// The app that asked for the sign-in.
    let clientName: String?
    let formTargets: [String]
    /// Other ways to sign in.
    var providers: [(name: String, url: String)] = []
}
