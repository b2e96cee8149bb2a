import OAuth2

/// The parameters besides those of RFC 6749 and 7636, checked by themselves (docs/rules/authorization-request.md A9).
struct AuthorizationExtras {
    private(set) var prompts: Set<Prompt> = []
    private(set) var maximumAge: Int64?
    private(set) var requestedClaims = RequestedClaims.none
    private(set) var essentialACRs: [String] = []
    let wantedACRs: [String]
    private(set) var claimedSubject: Subject?

    /// What is wrong with the first of them that is.
    struct Problem: Error {
        let description: String

        fileprivate init(_ description: String) {
            self.description = description
        }
    }

    private static let maximumACRs = 16

    init(_ parameters: FormParameters) throws(Problem) {
        if let text = parameters["prompt"] {
            guard let set = Prompt.set(text) else { throw Problem("prompt none stands alone") }
            prompts = set
        }
        if parameters.bytes("max_age") != nil {
            guard let age = parameters["max_age"].flatMap(Self.seconds) else {
                throw Problem("max_age must be a number of seconds")
            }
            maximumAge = age
        }
        // What it says is a wish (OpenID Connect Core §3.1.2.1), so nothing is wrong with any value.
        wantedACRs = (parameters["acr_values"] ?? "").split(separator: " ").prefix(Self.maximumACRs).map(String.init)
        if parameters.bytes("claims") != nil {
            guard let members = parameters["claims"].flatMap({ JSONValue.parse($0.utf8)?.object }),
                let claims = RequestedClaims(members)
            else {
                throw Problem("claims is malformed")
            }
            requestedClaims = claims
            readValues(of: members)
        }
        if let problem = ReturnedParameters.problem(in: parameters) { throw Problem(problem) }
        if parameters.bytes("dpop_jkt") != nil {
            guard let thumbprint = parameters["dpop_jkt"], SHA256Hash.isBase64URL(thumbprint) else {
                throw Problem("dpop_jkt is malformed")
            }
        }
    }

    /// The members of `claims` that bind the server (OpenID Connect Core §5.5.1, §5.5.1.1).
    private mutating func readValues(of claims: [String: JSONValue]) {
        guard let idToken = claims["id_token"]?.object else { return }
        let subject = idToken["sub"]?.object
        // A list can bind the server too, when it holds one subject: no session is of two.
        let values = subject?["values"]?.strings ?? []
        claimedSubject = (subject?["value"]?.string ?? (values.count == 1 ? values[0] : nil))
            .map(Subject.init(rawValue:))
        if let acr = idToken["acr"]?.object, acr["essential"]?.bool == true {
            essentialACRs = acr["values"]?.strings ?? acr["value"]?.string.map { [$0] } ?? []
        }
    }

    private static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        // However many digits: no sign-in is older than three hundred years.
        return min(Int64(text) ?? .max, 10_000_000_000)
    }
}
