import Bridge
import OAuth2

/// What brought a browser to the sign-in page, carried through its forms.
struct SignInErrand: Sendable {
    /// An authorization request on its way.
    let journey: String?
    /// A path of the website to land on; of several, which are not followed, the first.
    let named: [UInt8]?
    /// Whether more than one path came. None counts then, and the landing tells the audit log
    /// (docs/rules/return-path.md P0).
    let isRepeated: Bool
    /// Whether the visitor wants to sign in as somebody else than the browser's session says.
    let isForAnother: Bool
    /// Whether a website that the visitor is signed in to wants a newer sign-in, or a stronger one. The address says
    /// so, because the session's cookies are those of another host.
    let isStepUp: Bool
    /// How strong the sign-in has to be, as a website's proxy asks: as one of these. Empty where it says nothing.
    let acrValues: [String]
    let destination: Destination
    /// A form of the console that waits for the sign-in, sealed (``HeldForm``). Travels in forms alone: it is long.
    let held: String?

    /// The field by which ``isForAnother`` is said.
    private static let another = HiddenField(name: "account", value: "another")
    /// The field by which ``isRepeated`` is said: no form of ours has a field twice.
    private static let repeated = HiddenField(name: "repeated", value: SignInWay.wanted)

    init(_ parameters: FormParameters) {
        journey = parameters["journey"]
        named = parameters.bytes(SignInWay.wanted)
        isRepeated =
            parameters.isRepeated(SignInWay.wanted) || parameters[Self.repeated.name] == Self.repeated.value
        isForAnother = parameters[Self.another.name] == Self.another.value
        isStepUp = parameters[SignInWay.stepUp.name] == SignInWay.stepUp.value
        acrValues =
            parameters[SignInWay.wantedStrength].flatMap { try? AuthenticationDemand.acrValues($0) } ?? []
        held = parameters[Self.heldName]
        destination = Destination(journey: journey, path: isRepeated ? nil : named)
    }

    init(
        journey: String?, named: [UInt8]?, isRepeated: Bool = false, isForAnother: Bool = false,
        isStepUp: Bool = false, acrValues: [String] = [], held: String? = nil
    ) {
        self.journey = journey
        self.named = named
        self.isRepeated = isRepeated
        self.isForAnother = isForAnother
        self.isStepUp = isStepUp
        self.acrValues = acrValues
        self.held = held
        destination = Destination(journey: journey, path: isRepeated ? nil : named)
    }

    /// A page of ours to land on.
    init(redirect path: String) { self.init(journey: nil, named: Array(path.utf8)) }

    /// A change in the console that takes a newer sign-in.
    /// - Parameter page: where a form that is not held is filled in once more. No sign-in leads to one with a slash in the
    ///   name of what it shows, as a user's can have: the console's first page stands for it.
    init(forConsole held: String?, from page: String) {
        let place = held == nil ? ConsolePath.checked(page) ?? ConsolePath.home : ConsolePath.home
        self.init(journey: nil, named: Array(place.utf8), held: held)
    }

    private static let heldName = "held"

    /// This errand, for any user.
    var forAnother: SignInErrand {
        SignInErrand(
            journey: journey, named: named, isRepeated: isRepeated, isForAnother: true, isStepUp: isStepUp,
            acrValues: acrValues, held: held)
    }

    /// This errand after a sign-in that is too weak for it: what that one lacks is asked for.
    var forTheRest: SignInErrand {
        SignInErrand(journey: journey, named: named, isRepeated: isRepeated, acrValues: acrValues)
    }

    /// The path that may be followed, if the website's list has it.
    var redirect: [UInt8]? { isRepeated ? nil : named }

    /// The hand-off that another device's answer may lead on by; `nil` where it leads to none, where none would follow,
    /// and where a website's proxy says how strong the sign-in has to be: it would send its visitor back.
    var handOff: HandOffs.Request? { acrValues.isEmpty ? HandOffs.Request(path: redirectText) : nil }

    /// Whether it leads on to a website elsewhere, by a request that can be answered or not.
    var isHandOff: Bool { HandOffs.checked(redirectText) != nil }

    /// ``redirect``, as text.
    var redirectText: String? { redirect.map { String(decoding: $0, as: UTF8.self) } }

    /// What the landing decides about.
    var redirectParameter: RedemptionRequest.RedirectParameter {
        if isRepeated { return .repeated(first: named ?? []) }
        return named.map(RedemptionRequest.RedirectParameter.bytes) ?? .absent
    }

    /// The complete sign-in page for a journey, whichever user's the browser's session is.
    static func otherAccountURL(journey: String) -> String {
        SignInErrand(journey: journey, named: nil, isForAnother: true).url
    }

    /// The sign-in page's address.
    var url: String { SignInController.path + querySuffix }

    var isEmpty: Bool { addressed.isEmpty }

    /// What an address that carries it ends in: a page's form has such a one too, so that whoever loads the address of
    /// the answer again has not lost what the sign-in is for. What counts are the form's fields.
    var querySuffix: String { isEmpty ? "" : "?\(query)" }

    /// The parameters of this errand as a query.
    var query: String {
        addressed.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }

    /// The hidden fields of a form.
    var fields: [HiddenField] { addressed + (held.map { [HiddenField(name: Self.heldName, value: $0)] } ?? []) }

    private var addressed: [HiddenField] {
        [
            journey.map { HiddenField(name: "journey", value: $0) },
            named.map { HiddenField(name: SignInWay.wanted, value: String(decoding: $0, as: UTF8.self)) },
            isRepeated ? Self.repeated : nil,
            isForAnother ? Self.another : nil,
            isStepUp ? SignInWay.stepUp : nil,
            acrValues.isEmpty
                ? nil : HiddenField(name: SignInWay.wantedStrength, value: acrValues.joined(separator: " ")),
        ].compactMap(\.self)
    }
}

extension SignInErrand {
    /// Where a sign-in leads.
    enum Destination: Hashable, Sendable {
        /// To the app that asked for it (``SignInErrand/journey``).
        case app
        case console
        /// To the pages of one's own account.
        case account
        /// To the page that lets another device in.
        case device
        /// To a website, and to no page of ours.
        case website

        /// - Parameter path: the one that may be followed.
        fileprivate init(journey: String?, path: [UInt8]?) {
            let path = path.map { String(decoding: $0, as: UTF8.self) }
            self =
                if journey != nil {
                    .app
                } else if ConsolePath.checked(path) != nil {
                    .console
                } else if AccountPath.checked(path) != nil {
                    .account
                } else if DevicePath.checked(path) != nil {
                    .device
                } else {
                    .website
                }
        }

        /// The policy of a page whose form leads there (ADR-0045). The console can have an origin of its own.
        var formPolicy: ContentSecurityPolicy {
            switch self {
            case .app, .website, .console: .leadingOut
            case .account, .device: .usual
            }
        }
    }
}
