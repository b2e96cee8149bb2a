import Bridge
import OAuth2

/// What the sign-in page says above its fields.
enum SignInNotice: PageNotice {
    /// Name or password are wrong, and nothing tells which.
    case refused
    /// What was typed next to the user name cannot be a phone's digits.
    case noDigits
    case limited(Duration)
    /// The page was open too long, or in another browser.
    case stale
    /// The browser keeps no cookies from here, so that no form of it is ever known for ours.
    case noCookies
    /// The password is wrong of a user whom the page names.
    case wrongPassword
    /// The passkey does not sign anybody in here now.
    case passkeyRefused
    /// The upstream provider named nobody who may sign in.
    case declined
    /// The browser's session is the user's own sign-in, and not what an app asks for.
    case notEnough
    /// Another device has answered for the browser's session, and that is not what it is here for.
    case notEnoughElsewhere
    /// The website wants a second factor, and the user whose sign-in it is has none.
    case lacksSecondFactor
    /// A change in the console waits for a newer sign-in.
    /// - Parameter isKept: whether what was sent is done after it, or has to be sent again.
    case changeWaits(isKept: Bool)
    /// Whoever followed a set-up link has a password now.
    case passwordSet
    /// A form of the account came back when its session was over.
    case formLost

    /// What is said of a form that is not ours.
    static func notOurs(_ form: BrowserForm) -> SignInNotice { form.lacksCookie ? .noCookies : .stale }

    /// The text's key in the section `sign_in`, or in that of the page which shows it.
    var key: String {
        switch self {
        case .refused: "refused"
        case .noDigits: "no_digits"
        case .limited: "limited"
        case .stale: "stale"
        case .noCookies: Pages.noCookies.key
        case .wrongPassword: "wrong_password"
        case .passkeyRefused: "passkey_refused"
        case .declined: "declined"
        case .notEnough: "not_enough"
        case .notEnoughElsewhere: "not_enough_elsewhere"
        case .lacksSecondFactor: "lacks_second_factor"
        case .changeWaits(let isKept): isKept ? "change_waits" : "change_lost"
        case .passwordSet: "password_set"
        case .formLost: "not_done"
        }
    }

    var section: String? {
        switch self {
        case .noCookies: Pages.noCookies.section
        case .noDigits: "phone"
        // The page of the code says it as well.
        case .notEnoughElsewhere: "sign_in"
        default: nil
        }
    }

    /// What its text says to wait.
    var wait: Duration? { if case .limited(let wait) = self { wait } else { nil } }

    var code: ErrorCode? {
        switch self {
        case .refused, .noDigits, .wrongPassword, .stale, .noCookies, .passkeyRefused, .declined: .invalidRequest
        case .limited: .rateLimited
        case .changeWaits: .insufficientUserAuthentication
        case .notEnough, .notEnoughElsewhere, .lacksSecondFactor, .passwordSet, .formLost: nil
        }
    }

    var isDone: Bool { if case .passwordSet = self { true } else { false } }

    /// Whether what was typed is wrong, so that the fields say so too.
    var isOfFields: Bool {
        switch self {
        case .refused, .noDigits, .wrongPassword: true
        default: false
        }
    }
}

/// The content of the sign-in page.
struct SignInPage: Sendable {
    let fields: [HiddenField]
    /// What the addresses of its forms end in (``SignInErrand/querySuffix``).
    let querySuffix: String
    let destination: SignInErrand.Destination
    let notice: SignInNotice?
    let username: String?
    /// The app that asked for the sign-in.
    let clientName: String?
    /// Whether the browser has a session already, which came over an edge and is not enough for that page.
    var isByLink = false
    /// What a passkey is asked for; `nil` where none signs in.
    var passkey: PasskeyRequest?
    /// Other ways to sign in.
    var providers: [(name: String, url: String)] = []
    /// Where somebody sets up a second factor whom the page tells that they lack one.
    var secondFactorURL: String?
    /// Where somebody signs in with a key on a phone.
    var selfIssuedURL: String?
    /// The page on which a phone signs in; `nil` where none may.
    var phoneURL: String?
    /// The name of the user whose password alone is asked for, and the way out for everybody else; `nil` where anyone
    /// may sign in.
    var known: (name: String, otherAccountURL: String)?
}
