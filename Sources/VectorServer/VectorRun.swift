import OAuth2

/// A request as it arrived.
struct ReceivedRequest: Sendable {
    let method: String
    /// Below the issuer, without the query.
    let path: String
    let query: String
    /// Names in lower case, in order.
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    func count(_ name: String) -> Int { headers.count { $0.name == name } }
}

/// One play of one case: where its script stands, and what went wrong so far.
struct VectorRun: Sendable {
    let vector: VectorCase
    let library: String
    var fill: ScriptFill
    private var used: [Int]
    private(set) var problems: [String] = []
    private var authorizations: [String: AuthorizationNote] = [:]
    private var onceOnly: Set<String> = []
    private var verifiers: [String] = []
    private var proofIDs: Set<String> = []
    private var proofKeys: Set<String> = []

    init(_ vector: VectorCase, origin: String, run: String, library: String) {
        self.library = library
        self.vector = vector
        fill = ScriptFill(origin: origin, run: run)
        used = Array(repeating: 0, count: vector.exchange.count)
    }

    mutating func note(_ problem: String) { if problems.count < 20 { problems.append(problem) } }

    mutating func description(run: String) -> JSONValue {
        var apps: [String: JSONValue] = [:]
        for (name, settings) in vector.document["apps"]?.object ?? ["a": .object(["client_id": .string("app-a")])] {
            let usual: [String: JSONValue] = [
                "client_id": .string("app-\(name)"), "redirect_uri": .string("com.example.app:/callback"),
                "dpop": .bool(false), "shares": .null, "issuer": .string(fill.issuer), "clock_off": .number("0"),
            ]
            apps[name] = fill.value(.object(usual.merging(settings.object ?? [:]) { $1 }))
        }
        let steps = vector.steps.map { step -> JSONValue in
            let together = step.object?["together"]?.array?.map { plain($0) }
            return together.map { .object(["together": .array($0), "after": step.object?["after"] ?? .number("0")]) }
                ?? plain(step)
        }
        return .object([
            "run": .string(run), "issuer": .string(fill.issuer), "now": .number("\(ScriptFill.now)"),
            "timeout_ms": vector.document["timeout_ms"] ?? .number("15000"), "apps": .object(apps),
            "steps": .array(steps),
        ])
    }

    private mutating func plain(_ step: JSONValue) -> JSONValue {
        var members = step.object ?? [:]
        members["expect"] = nil
        return fill.value(.object(["app": .string("a"), "after": .number("0")].merging(members) { $1 }))
    }

    mutating func answer(_ request: ReceivedRequest) -> ScriptedAnswer {
        checkAlways(request)
        let form = parameters(of: request)
        if request.path == "/oauth/authorize" { noteAuthorization(request) }
        checkProof(request)
        let client = form["client_id"] ?? ""
        fill.authorization = authorizations[client] ?? fill.authorization
        guard let index = entry(for: request, form) else { return unscripted(request) }
        used[index] += 1
        let entry = vector.exchange[index]
        check(request, form, against: entry)
        if form["grant_type"] == "authorization_code" { checkRedemption(form) }
        return ScriptedAnswer(entry.answer, &fill, answering: form)
    }

    private func parameters(of request: ReceivedRequest) -> FormParameters {
        guard request.method == "POST", request.header("content-type")?.hasPrefix("application/x-www-form") == true
        else {
            return .none
        }
        return (try? FormParameters(bytes: request.body)) ?? .none
    }

    /// The first entry for this request that is not used up; the last of those used up when it is the usual documents'.
    private mutating func entry(for request: ReceivedRequest, _ form: FormParameters) -> Int? {
        for (index, entry) in vector.exchange.enumerated()
        where entry.method == request.method && entry.path == request.path && used[index] < entry.most {
            var fits = true
            for (name, wanted) in entry.request["for"]?.object ?? [:] {
                fits = fits && form[name] == fill.value(wanted).string
            }
            if fits { return index }
        }
        return nil
    }

    private mutating func unscripted(_ request: ReceivedRequest) -> ScriptedAnswer {
        let isForbidden = vector.exchange.contains {
            $0.most == 0 && $0.method == request.method && $0.path == request.path
        }
        if isForbidden { note("\(request.method) \(request.path) came once too often") }
        switch (request.method, request.path) {
        case ("GET", "/.well-known/openid-configuration"), ("GET", "/.well-known/oauth-authorization-server"):
            return ScriptedAnswer(json: usualDescription)
        case ("GET", "/.well-known/jwks.json"): return ScriptedAnswer(json: fill.keySet(["k1"]))
        default:
            note("\(request.method) \(request.path) was not expected (any more)")
            return ScriptedAnswer(code: 599)
        }
    }

    private var usualDescription: JSONValue {
        let issuer = fill.issuer
        return .object([
            "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/oauth/authorize"),
            "token_endpoint": .string("\(issuer)/oauth/token"),
            "userinfo_endpoint": .string("\(issuer)/oauth/userinfo"),
            "jwks_uri": .string("\(issuer)/.well-known/jwks.json"),
            "revocation_endpoint": .string("\(issuer)/oauth/revoke"),
            "device_authorization_endpoint": .string("\(issuer)/oauth/device_authorization"),
            "code_challenge_methods_supported": .array([.string("S256")]),
            "response_types_supported": .array([.string("code")]),
            "dpop_signing_alg_values_supported": .array([.string("ES256")]),
            "authorization_response_iss_parameter_supported": .bool(true),
        ])
    }

    private mutating func check(_ request: ReceivedRequest, _ form: FormParameters, against entry: ScriptEntry) {
        let place = "\(request.method) \(request.path)"
        let query = (try? FormParameters(bytes: Array(request.query.utf8))) ?? .none
        for (kind, found) in [("form", form), ("query", query)] {
            for (name, wanted) in entry.request[kind]?.object ?? [:] {
                let value = found[name]
                if let reason = mismatch(value, wanted) { note("\(place): \(kind) parameter \(name) \(reason)") }
            }
        }
        for (name, wanted) in entry.request["headers"]?.object ?? [:] {
            if let reason = mismatch(request.header(name), wanted) { note("\(place): header \(name) \(reason)") }
        }
        for name in entry.request["absent"]?.strings ?? [] where form[name] != nil || query[name] != nil {
            note("\(place): parameter \(name) must not be there")
        }
        for name in entry.request["no_headers"]?.strings ?? [] where request.header(name) != nil {
            note("\(place): header \(name) must not be there")
        }
        if let wanted = entry.request["json"] {
            let found = JSONValue.parse(bytes: request.body)
            if found != fill.value(wanted) { note("\(place): the JSON body is not the one expected") }
        }
        if let wanted = entry.request["dpop"] { checkProof(request, wanted, place) }
    }

    private mutating func mismatch(_ found: String?, _ wanted: JSONValue) -> String? {
        if wanted == .bool(true) { return found == nil ? "is missing" : nil }
        guard let found else { return "is missing" }
        return found == fill.value(wanted).string ? nil : "is not the one expected"
    }

    private mutating func checkAlways(_ request: ReceivedRequest) {
        let place = "\(request.method) \(request.path)"
        let address = "\(request.path)?\(request.query)"
        for (name, secret) in knownSecrets where address.contains(secret) { note("\(place): \(name) in the address") }
        if request.header("cookie") != nil { note("\(place): a cookie was sent") }
        if let referer = request.header("referer"), knownSecrets.contains(where: { referer.contains($0.value) }) {
            note("\(place): a secret in Referer")
        }
        for name in ["authorization", "dpop", "content-type"] where request.count(name) > 1 {
            note("\(place): \(name) twice")
        }
        guard request.method == "POST", !request.body.isEmpty else { return }
        switch request.header("content-type")?.prefix(while: { $0 != ";" }).lowercased() {
        case "application/x-www-form-urlencoded":
            let form = try? FormParameters(bytes: request.body)
            if form == nil || form?.hasRepeated == true { note("\(place): the form is broken or repeats a parameter") }
        case "application/json":
            if JSONValue.parse(bytes: request.body) == nil { note("\(place): the JSON is broken or repeats a member") }
        default: note("\(place): a body without its type")
        }
    }

    private mutating func noteAuthorization(_ request: ReceivedRequest) {
        guard let query = try? FormParameters(bytes: Array(request.query.utf8)), !query.hasRepeated else {
            return note("authorization request: broken, or a parameter twice")
        }
        let said = AuthorizationNote(
            client: query["client_id"] ?? "", state: query["state"] ?? "", nonce: query["nonce"] ?? "",
            redirect: query["redirect_uri"] ?? "", challenge: query["code_challenge"] ?? "")
        for (name, value) in [("state", said.state), ("nonce", said.nonce), ("code_challenge", said.challenge)] {
            if value.utf8.count < 22 { note("authorization request: \(name) is missing or shorter than 128 bits") }
            if !onceOnly.insert("\(name) \(value)").inserted { note("authorization request: \(name) used twice") }
        }
        if query["response_type"] != "code" { note("authorization request: response_type is not code") }
        if query["code_challenge_method"] != "S256" || CodeChallenge(said.challenge) == nil {
            note("authorization request: no S256 challenge")
        }
        if query["scope"]?.split(separator: " ").contains("openid") != true {
            note("authorization request: no scope openid")
        }
        authorizations[said.client] = said
        fill.authorization = said
    }

    private mutating func checkRedemption(_ form: FormParameters) {
        guard let said = authorizations[form["client_id"] ?? ""] else {
            return note("a code is redeemed by a client that did not ask for one")
        }
        let verifier = form["code_verifier"].flatMap { CodeVerifier($0) }
        guard let verifier, CodeChallenge(said.challenge)?.isAnswered(by: verifier) == true else {
            return note("code_verifier does not fit the challenge")
        }
        verifiers.append(verifier.value)
        if form["redirect_uri"] != said.redirect { note("redirect_uri is not that of the authorization request") }
    }

    /// What holds for every proof: it is about this request, new, and of the one key.
    private mutating func checkProof(_ request: ReceivedRequest) {
        guard let text = request.header("dpop") else { return }
        let place = "\(request.method) \(request.path)"
        do throws(DPoPRefusal) {
            let proof = try DPoPProof(text)
            if let flaw = proof.flaw(method: request.method, targets: [fill.issuer + request.path]) { throw flaw }
            if !proofIDs.insert(proof.id).inserted { note("\(place): jti of a proof used twice") }
            proofKeys.insert(proof.keyThumbprint)
            if proofKeys.count > (vector.document["keys"]?.integer ?? 1) { note("\(place): a proof of another key") }
            let off = vector.document["apps"]?.object?.values.compactMap { $0.object?["clock_off"]?.decimal } ?? []
            let earliest = Double(ScriptFill.now) + min(0, off.min() ?? 0) - 60
            let latest = Double(ScriptFill.now) + max(0, off.max() ?? 0) + vector.elapsed + 60
            if !(earliest...latest).contains(proof.issuedAt) { note("\(place): iat of a proof is not the time") }
        } catch {
            note("\(place): the proof is not valid: \(error.rawValue)")
        }
    }

    private mutating func checkProof(_ request: ReceivedRequest, _ wanted: JSONValue, _ place: String) {
        guard wanted != .bool(false) else {
            if request.header("dpop") != nil { note("\(place): a proof where none belongs") }
            return
        }
        guard let text = request.header("dpop"), let proof = try? DPoPProof(text) else {
            return note("\(place): no valid proof")
        }
        let nonce = wanted.object?["nonce"].flatMap { fill.value($0).string }
        if proof.nonce != nonce { note("\(place): the proof's nonce is not the one expected") }
        let token = wanted.object?["ath"]?.string.map { fill.secret($0) }
        if proof.tokenHash != token.map({ DPoPProof.hash(ofToken: $0) }) { note("\(place): the proof's ath is wrong") }
    }

    /// Everything of this run that no log may hold, with a name to tell it by.
    private var knownSecrets: [(name: String, value: String)] {
        fill.secrets.filter { !$0.key.hasPrefix("public_") }.map { ($0.key, $0.value) }
            + fill.issuedTokens.map { ("an ID token", $0) } + verifiers.map { ("code_verifier", $0) }
    }

    mutating func judge(_ report: JSONValue, _ advice: VectorAdvice) -> [String] {
        guard let report = report.object, let outcomes = report["outcomes"]?.array else {
            return ["the report has no outcomes"]
        }
        if outcomes.count != vector.steps.count {
            note("\(vector.steps.count) steps, but \(outcomes.count) outcomes")
        }
        for (index, (step, outcome)) in zip(vector.steps, outcomes).enumerated() {
            if let together = step.object?["together"]?.array {
                let found = outcome.array ?? []
                if found.count != together.count { note("step \(index + 1): not one outcome per step") }
                for (step, outcome) in zip(together, found) { judge(step, outcome, index + 1, advice) }
            } else {
                judge(step, outcome, index + 1, advice)
            }
        }
        for (entry, used) in zip(vector.exchange, used) where used < entry.least {
            note("\(entry.method) \(entry.path) came \(used) times of \(entry.least)")
        }
        let log = report["log"]?.string ?? ""
        for (name, secret) in knownSecrets where log.contains(secret) { note("the log holds \(name)") }
        judgeStore(report["store"]?.strings ?? [])
        return problems
    }

    private mutating func judge(
        _ step: JSONValue, _ outcome: JSONValue, _ number: Int, _ advice: VectorAdvice
    ) {
        let wanted = fill.value(step.object?["expect"] ?? .null)
        let outcome = outcome.object ?? [:]
        if case .object(let members) = wanted {
            for (name, member) in members.sorted(by: { $0.key < $1.key })
            where !Self.holds(outcome[name] ?? .null, member) {
                note(
                    "step \(number): \(name) is \((outcome[name] ?? .null).text), expected \(member.text)"
                        + (outcome["sentence"]?.string.map { " (\($0))" } ?? ""))
            }
        }
        guard let error = outcome["error"]?.string else { return }
        let sentence = outcome["sentence"]?.string ?? ""
        if let text = advice.text(of: error, code: outcome["oauth"]?.string) {
            if !sentence.lowercased().contains(text.lowercased()) {
                note("step \(number): the sentence does not tell to \"\(text)\", but says: \(sentence)")
            }
        } else {
            note("step \(number): \(error) is no name of an error")
        }
        if sentence.split(separator: " ").count < 4 { note("step \(number): no sentence behind the error") }
        if sentence.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
            note("step \(number): the sentence holds control characters, which a terminal would obey")
        }
        for (name, secret) in knownSecrets where sentence.contains(secret) {
            note("step \(number): the sentence holds \(name)")
        }
    }

    /// Every member that is wanted is there; null stands for absent as well.
    private static func holds(_ found: JSONValue, _ wanted: JSONValue) -> Bool {
        switch (found, wanted) {
        case (.object(let found), .object(let wanted)):
            wanted.allSatisfy { holds(found[$0.key] ?? .null, $0.value) }
        case (.array(let found), .array(let wanted)):
            found.count == wanted.count && zip(found, wanted).allSatisfy { holds($0, $1) }
        case (.number, .number): found.decimal == wanted.decimal
        default: found == wanted
        }
    }

    private mutating func judgeStore(_ kept: [String]) {
        let wish = vector.document["store"]?.object ?? [:]
        for name in wish["holds"]?.strings ?? [] {
            let secret = fill.secret(name)
            if !kept.contains(where: { $0.contains(secret) }) { note("the store does not hold \(name)") }
        }
        for name in wish["lacks"]?.strings ?? [] {
            let secret = fill.secret(name)
            if kept.contains(where: { $0.contains(secret) }) { note("the store still holds \(name)") }
        }
    }
}
