import OAuth2

/// Where a sign-in across devices stands: the words of contract §9.
package enum PhoneSignInState: String, Hashable, Sendable, CaseIterable {
    /// The page shows its code.
    case created
    /// A phone is bound to it, and asks its user.
    case scanned
    /// The phone shows digits, which the page waits for.
    case approved
    case denied
    /// The digits were wrong three times.
    case locked
    case completed
    case expired

    /// Whether it may still be completed.
    package var isOpen: Bool { self == .created || takesDigits }

    /// Whether the page has a field for digits: only once a phone is bound, so that a person who was merely sent the
    /// code has nothing to type into.
    package var takesDigits: Bool { self == .scanned || self == .approved }
}

/// A sign-in of a computer's browser that a phone approves: where it stands, and what may come next (contract §9). Pure:
/// what is decided here is then written by compare-and-set.
struct PhoneSignIn: Hashable, Sendable {
    /// How long a page may be scanned and approved.
    static let patience = Duration.seconds(120)
    /// How long the digits are good that the phone shows.
    static let digitsLifetime = Duration.seconds(60)
    /// From whatever state: then nothing of it is left.
    static let lifetime = Duration.seconds(180)
    static let tries = 3

    /// Why a step is refused: for audit and log.
    enum Refusal: String, Error, Hashable, Sendable, CaseIterable {
        /// There is none, or it is too old.
        case gone
        /// Another phone was first.
        case alreadyScanned = "already_scanned"
        /// It was never this phone's.
        case otherPhone = "other_phone"
        case wrongTransaction = "wrong_txn"
        /// The phone is in another network, where that is not allowed.
        case otherNetwork = "other_network"
        /// It was approved, declined or used up before.
        case over
    }

    /// What is known of the computer.
    struct Page: Hashable, Sendable {
        let address: NetworkAddress?
        let userAgent: String?
        /// See ``KnownBrowsers``.
        let recognition: String?
    }

    /// Where it stands, with what belongs to that and nothing else.
    enum Step: Hashable, Sendable {
        case created
        case scanned(by: ApprovingPhone, transactionDigest: String)
        /// With the number of wrong attempts at the digits.
        case approved(by: ApprovingPhone, digitsDigest: String, at: Timestamp, wrong: Int)
        /// With whether the phone's report has been written down.
        case denied(by: ApprovingPhone, isReported: Bool)
        case locked(ApprovingPhone)
        case completed(by: ApprovingPhone, approvedAt: Timestamp)
    }

    let step: Step
    let createdAt: Timestamp
    let page: Page

    private init(step: Step, createdAt: Timestamp, page: Page) {
        self.step = step
        self.createdAt = createdAt
        self.page = page
    }

    init(page: Page, at now: Timestamp) { self.init(step: .created, createdAt: now, page: page) }

    private func moved(to step: Step) -> PhoneSignIn { PhoneSignIn(step: step, createdAt: createdAt, page: page) }

    var stored: PhoneSignInState {
        switch step {
        case .created: .created
        case .scanned: .scanned
        case .approved: .approved
        case .denied: .denied
        case .locked: .locked
        case .completed: .completed
        }
    }

    /// The one that is bound; `nil` until one is.
    var phone: ApprovingPhone? {
        switch step {
        case .created: nil
        case .scanned(let phone, _), .approved(let phone, _, _, _), .denied(let phone, _), .locked(let phone),
            .completed(let phone, _):
            phone
        }
    }

    /// How many attempts at the expected digits were wrong.
    var wrong: Int {
        if case .approved(_, _, _, let wrong) = step { wrong } else { 0 }
    }

    /// Whether it is over without being completed, and no report has been written down.
    var mayYetBeReported: Bool {
        switch step {
        case .denied(_, let isReported): !isReported
        case .locked: true
        case .created, .scanned, .approved, .completed: false
        }
    }

    /// When it is over without another step.
    func endsAt() -> Timestamp {
        switch step {
        case .created, .scanned: createdAt + Self.patience
        case .approved(_, _, let approvedAt, _): min(approvedAt + Self.digitsLifetime, createdAt + Self.lifetime)
        case .denied, .locked, .completed: createdAt + Self.lifetime
        }
    }

    func state(at now: Timestamp) -> PhoneSignInState { stored.isOpen && now >= endsAt() ? .expired : stored }

    /// Whether a phone may bind it, or has, and its user has not decided.
    func mayBeScanned(by scanner: ApprovingPhone, at now: Timestamp) -> Bool {
        (try? checkScan(by: scanner, at: now)) != nil
    }

    /// - Throws: why this phone may not bind it.
    func checkScan(by scanner: ApprovingPhone, at now: Timestamp) throws(Refusal) {
        if state(at: now) == .expired { throw .gone }
        guard phone == nil || phone?.isSame(as: scanner) == true else { throw .alreadyScanned }
        guard stored == .created || stored == .scanned else { throw .over }
    }

    /// The first phone is bound; the same one may scan again.
    func scanned(
        by scanner: ApprovingPhone, transaction: Secret<String>, at now: Timestamp
    ) throws(Refusal) -> PhoneSignIn {
        try checkScan(by: scanner, at: now)
        return moved(to: .scanned(by: scanner, transactionDigest: Self.digest(transaction.expose())))
    }

    func approved(
        by approver: ApprovingPhone, transaction: Secret<String>, digits: Secret<String>, at now: Timestamp
    ) throws(Refusal) -> PhoneSignIn {
        try check(approver, at: now)
        guard case .scanned(_, let transactionDigest) = step else { throw .over }
        guard ConstantTime.equals(transactionDigest.utf8, Self.digest(transaction.expose()).utf8) else {
            throw .wrongTransaction
        }
        return moved(to: .approved(by: approver, digitsDigest: Self.digest(digits.expose()), at: now, wrong: 0))
    }

    /// Also after the approval, as long as the digits have not been typed. Once more as well: the person who denies may
    /// have been told that it could not be written down for good. And after wrong digits, for the report's sake: else
    /// whoever is to be reported could type some.
    func denied(by decliner: ApprovingPhone, at now: Timestamp) throws(Refusal) -> PhoneSignIn {
        try check(decliner, at: now)
        switch step {
        case .scanned(let phone, _), .approved(let phone, _, _, _):
            return moved(to: .denied(by: phone, isReported: false))
        case .locked(let phone): return moved(to: .denied(by: phone, isReported: false))
        case .denied: return self
        case .created, .completed: throw .over
        }
    }

    /// Its page shows another: as if the phone had declined, whose user may still say so themselves.
    /// - Returns: `nil` where it is over already.
    func withdrawn(at now: Timestamp) -> PhoneSignIn? {
        guard state(at: now).isOpen else { return nil }
        return phone.map { moved(to: .denied(by: $0, isReported: false)) } ?? self
    }

    /// The report that another person began it is written down.
    func reported() -> PhoneSignIn {
        guard case .denied(let phone, _) = step else { return self }
        return moved(to: .denied(by: phone, isReported: true))
    }

    private func check(_ caller: ApprovingPhone, at now: Timestamp) throws(Refusal) {
        if state(at: now) == .expired { throw .gone }
        guard let phone, phone.isSame(as: caller) else { throw .otherPhone }
    }

    /// The result of typed digits, and what follows: a wrong attempt counts, the third is the last.
    /// - Returns: `nil` where no digits are waited for; nothing changes then.
    func confirmed(with typed: String, at now: Timestamp) -> PhoneSignIn? {
        guard state(at: now) == .approved, case .approved(let phone, let digitsDigest, let approvedAt, let wrong) = step
        else { return nil }
        if ConstantTime.equals(digitsDigest.utf8, Self.digest(typed).utf8) {
            return moved(to: .completed(by: phone, approvedAt: approvedAt))
        }
        guard wrong + 1 < Self.tries else { return moved(to: .locked(phone)) }
        return moved(to: .approved(by: phone, digitsDigest: digitsDigest, at: approvedAt, wrong: wrong + 1))
    }

    static func digest(_ text: String) -> String {
        SHA256Hash(of: text).base64URL
    }
}

/// An app's session that approves sign-ins of its user.
struct ApprovingPhone: Hashable, Sendable {
    let subject: Subject
    let clientID: ClientID
    let sessionID: SessionID
    /// What its bearer has; the browser's session gets no more.
    let scope: Scope

    /// Whether this is the same user on the same device, whatever token was used.
    func isSame(as other: ApprovingPhone) -> Bool { subject == other.subject && sessionID == other.sessionID }

    func add(to json: inout JSONObjectWriter) {
        json.add("sub", subject.rawValue)
        json.add("client", clientID.rawValue)
        json.add("sid", sessionID.rawValue)
        json.add("scope", scope.tokens)
    }

    init(subject: Subject, clientID: ClientID, sessionID: SessionID, scope: Scope) {
        self.subject = subject
        self.clientID = clientID
        self.sessionID = sessionID
        self.scope = scope
    }

    init?(_ members: [String: JSONValue]) {
        guard let subject = members["sub"]?.string, let client = members["client"]?.string,
            let session = members["sid"]?.string, let scope = members["scope"]?.strings
        else { return nil }
        self.init(
            subject: Subject(rawValue: subject), clientID: ClientID(rawValue: client),
            sessionID: SessionID(rawValue: session), scope: Scope(tokens: scope))
    }
}

// The form in which its record has it.
extension PhoneSignIn {
    var text: [UInt8] {
        var json = JSONObjectWriter()
        json.add("state", stored.rawValue)
        json.add("at", createdAt.milliseconds)
        json.add("ip", page.address?.description)
        json.add("ua", page.userAgent)
        json.add("known", page.recognition)
        phone?.add(to: &json)
        switch step {
        case .created, .locked: break
        case .scanned(_, let transactionDigest): json.add("txn", transactionDigest)
        case .approved(_, let digitsDigest, let approvedAt, _):
            json.add("digits", digitsDigest)
            json.add("approved", approvedAt.milliseconds)
        case .denied(_, let isReported): if isReported { json.add("reported", true) }
        case .completed(_, let approvedAt): json.add("approved", approvedAt.milliseconds)
        }
        // In every state, for nodes of the version before, which read nothing without it.
        json.add("wrong", Int64(wrong))
        return json.finish()
    }

    /// - Returns: `nil` for a text that cannot be read, or whose state lacks what belongs to it.
    init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(bytes: text)?.object, let created = members["at"]?.integer,
            let step = Step(members)
        else { return nil }
        self.init(
            step: step, createdAt: Timestamp(milliseconds: created),
            page: Page(
                address: members["ip"]?.string.flatMap { NetworkAddress($0) }, userAgent: members["ua"]?.string,
                recognition: members["known"]?.string))
    }
}

extension PhoneSignIn.Step {
    fileprivate init?(_ members: [String: JSONValue]) {
        guard let state = members["state"]?.string.flatMap(PhoneSignInState.init(rawValue:)) else { return nil }
        let approvedAt = members["approved"]?.integer.map { Timestamp(milliseconds: $0) }
        switch (state, ApprovingPhone(members)) {
        case (.created, nil): self = .created
        case (.scanned, let phone?):
            guard let transactionDigest = members["txn"]?.string else { return nil }
            self = .scanned(by: phone, transactionDigest: transactionDigest)
        case (.approved, let phone?):
            guard let digitsDigest = members["digits"]?.string, let approvedAt,
                let wrong = members["wrong"]?.integer, (0..<Int64(PhoneSignIn.tries)).contains(wrong)
            else { return nil }
            self = .approved(by: phone, digitsDigest: digitsDigest, at: approvedAt, wrong: Int(wrong))
        case (.denied, let phone?):
            self = .denied(by: phone, isReported: members["reported"]?.bool ?? false)
        case (.locked, let phone?): self = .locked(phone)
        case (.completed, let phone?):
            guard let approvedAt else { return nil }
            self = .completed(by: phone, approvedAt: approvedAt)
        default: return nil
        }
    }
}

/// Names of one sign-in: its browser has a secret, from which all of them follow and which follows from none, so
/// nothing but digests is kept and seeing the code does not let anyone stand in for the browser.
struct PhoneSignInNames: Sendable {
    /// In the link that the phone opens; 128 bits, 22 characters.
    let id: String
    /// For the browser's own page; as long.
    let tab: String
    /// What is typed where there is no camera.
    let userCode: DeviceUserCode

    init(of secret: OpaqueSecret) {
        func hash(_ what: String) -> SHA256Hash {
            SHA256Hash(of: "drawbridge phone sign-in \(what) \(secret.expose())")
        }
        id = hash("id").base64URLOfHalf
        tab = hash("tab").base64URLOfHalf
        var round = 0
        userCode = DeviceUserCode {
            defer { round += 1 }
            return hash("code \(round)").bytes
        }
    }

    /// Whether a text has the form of an id.
    static func isID(_ text: String) -> Bool { text.utf8.count == 22 && Base64URL.decode(text)?.count == 16 }

    static func key(of id: String) -> String { "p:" + PhoneSignIn.digest(id) }

    /// What events of one sign-in say, from the scan to the session: which one it is. The link has the id itself.
    /// - Parameter computer: the address of the page, in events of the phone.
    static func auditDetail(of id: String, computer: NetworkAddress? = nil) -> String {
        var detail = JSONObjectWriter()
        detail.add("computer", computer?.description)
        detail.add(AuditDetail.signInID, AuditDetail.publicName(of: "sign-in", id))
        return detail.finishedText()
    }
}

extension RandomSource {
    /// Six decimal digits, each number as likely as any other.
    func sixDigits() -> String {
        while true {
            let number = bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard number < 4_294_000_000 else { continue }
            return SixDigits.text(number)
        }
    }
}
