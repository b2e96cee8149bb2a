/// An error answer of the provider (RFC 6749 §5.2, RFC 6750 §3.1).
public struct OAuthRefusal: Error, Sendable, Equatable {
    /// Such as `invalid_grant`, `access_denied`, `interaction_required`.
    public let code: String
    /// For developers; in English.
    public let explanation: String?
    /// A page that explains the error.
    public let page: String?
    /// To find the request in the provider's log.
    public let requestID: String?
    /// What a sign-in has to be like (RFC 9470 §3), for ``SignInOptions/levels``; empty when the provider does not say.
    public let levels: [String]
    /// How many seconds ago it may have been, for ``SignInOptions/maximumAge``.
    public let maximumAge: Int?

    /// Says no with a code.
    public init(
        code: String, explanation: String? = nil, page: String? = nil, requestID: String? = nil, levels: [String] = [],
        maximumAge: Int? = nil
    ) {
        self.code = code
        self.explanation = explanation
        self.page = page
        self.requestID = requestID
        self.levels = levels
        self.maximumAge = maximumAge
    }

    /// The grant, secret or session that the request relies on is gone: sign in again.
    public var endsSignIn: Bool { code == "invalid_grant" || code == "invalid_token" }

    /// A person has to do something in the browser: consent, or prove more (RFC 9470).
    public var needsPerson: Bool {
        ["interaction_required", "login_required", "consent_required", "insufficient_user_authentication"]
            .contains(code)
    }
}

extension OAuthRefusal: Decodable {
    private enum CodingKeys: String, CodingKey {
        case code = "error"
        case explanation = "error_description"
        case page = "error_uri"
        case requestID = "request_id"
    }

    /// Reads the body of an answer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // Whatever else is there is a help, and no reason to lose the code.
        func text(_ key: CodingKeys) -> String? { try? members.decode(String.self, forKey: key) }
        code = try members.decode(String.self, forKey: .code)
        explanation = text(.explanation)
        page = text(.page)
        requestID = text(.requestID)
        // Those are said in a header.
        levels = []
        maximumAge = nil
    }
}
