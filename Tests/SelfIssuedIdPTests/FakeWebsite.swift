import Foundation
import Synchronization

@testable public import SelfIssuedIdP

/// A website that a test plays: answers from a table, and remembers what was sent to it.
final class FakeWebsite: WebsiteTransport {
    private let answers = Mutex<[String: WebsiteAnswer]>([:])
    private let sent = Mutex<[WebsiteRequest]>([])

    init(_ file: [String: JSONValue]? = nil, names: [String] = ["example.com"]) {
        if let file { serve(JSONValue.object(file).text, at: FakeWebsite.file, names: names) }
    }

    static let file = "https://example.com/rp/rpf.json"
    static let link = "openid://authz?request_uri=\(file)&state=a_f2fkEx&nonce=4f8921ce98f89"

    func serve(_ text: String, at address: String, status: Int = 200, names: [String] = ["example.com"]) {
        let answer = WebsiteAnswer(
            status: status, body: Array(text.utf8), certificate: CertificateNames(dnsNames: names))
        answers.withLock { $0[address] = answer }
    }

    func send(_ request: WebsiteRequest) async throws(PhoneRefusal) -> WebsiteAnswer {
        sent.withLock { $0.append(request) }
        guard let answer = answers.withLock({ $0[request.address.text] }) else {
            throw PhoneRefusal(.unreachable, "nothing there")
        }
        return answer
    }

    var posts: [String] { sent.withLock { $0.compactMap { $0.form?.expose() } } }
    var fetches: [String] { sent.withLock { $0.filter { $0.form == nil }.map(\.address.text) } }

    /// The request file of 2012.
    static let fileOf2012: [String: JSONValue] = [
        "response_type": "token id_token userinfo", "client_id": "https://example.com/", "scope": "openid profile",
        "userinfo": ["claims": ["email": .null, "name": .null, "picture": ["optional": true]]],
        "registration": [
            "claims": [
                "type": "client_association", "application_name": "Sample RP",
                "logo_url": "https://example.com/rp/logo.png", "policy_url": "https://other.example/policy",
                "redirect_uris": "https://example.com/rp/authz/callback.php",
            ]
        ],
    ]
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
    ExpressibleByUnicodeScalarLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByIntegerLiteral
{
    /// As the literal says.
    public init(stringLiteral value: String) { self = .string(value) }
    /// As the literal says.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// As the literal says.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// As the literal says.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    /// As the literal says.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

/// Keys that last as long as the test.
actor KeysInMemory: KeyStore {
    private var keys: [Website: PhoneKey] = [:]

    func holds(_ website: Website) -> Bool { keys[website] != nil }
    func key(of website: Website) -> PhoneKey? { keys[website] }
    func keep(_ key: PhoneKey, for website: Website, at now: Int64) -> PhoneKey {
        let kept = keys[website] ?? key
        keys[website] = kept
        return kept
    }
}

/// A person who has decided beforehand; remembers what was asked.
final class Decided: ConsentAsker {
    private let decide: @Sendable (ConsentQuestion) -> ConsentDecision
    private let questions = Mutex<[ConsentQuestion]>([])

    init(_ decide: @escaping @Sendable (ConsentQuestion) -> ConsentDecision) { self.decide = decide }

    static var ticked: Decided {
        Decided { question in .granted(Set(question.offers.filter(\.isTicked).map(\.id))) }
    }
    static var no: Decided { Decided { _ in .declined } }

    func ask(_ question: ConsentQuestion) async -> ConsentDecision {
        questions.withLock { $0.append(question) }
        return decide(question)
    }

    var asked: [ConsentQuestion] { questions.withLock { $0 } }
}

/// One phone, one website, one person.
struct Phone {
    static let now: Int64 = 1_800_000_000
    var website = FakeWebsite(FakeWebsite.fileOf2012)
    var store: any KeyStore = KeysInMemory()
    var consent = Decided.ticked
    var profile = Profile.empty

    func handle(
        _ link: String = FakeWebsite.link, _ options: SelfIssuedProvider.Options = .init()
    ) async throws(PhoneRefusal) -> Outcome {
        try await SelfIssuedProvider(
            transport: website, store: store, consent: consent, profile: profile,
            time: TimeSource { Date(timeIntervalSince1970: Double(Self.now)) }
        ).handle(link, options)
    }

    /// The refusal that a link meets.
    func refusal(
        of link: String = FakeWebsite.link, _ options: SelfIssuedProvider.Options = .init()
    ) async -> PhoneRefusal.Reason? {
        do throws(PhoneRefusal) {
            _ = try await handle(link, options)
            return nil
        } catch {
            return error.reason
        }
    }
}

extension Outcome {
    /// The parameters of the fragment.
    var answer: [String: String] {
        let fragment = (open?.expose() ?? "").split(separator: "#").last ?? ""
        let pairs = (FormEncoding.decode(fragment) ?? []).map { ($0.name, $0.value) }
        return Dictionary(pairs) { first, _ in first }
    }

    func token(_ name: String = "id_token") -> CompactJWS? { answer[name].flatMap { CompactJWS($0) } }
}

extension String {
    var jwk: JSONValue { JSONValue(json: Array(utf8)) ?? .null }
}
