import OAuth2

/// Names of checks that more than one wing makes: an explanation calls each the same, whoever makes it (ADR-0069).
package enum ExplainedCheck {
    package static let websiteIsKnown = "website is known"
    package static let appMayOpenTheWebsite = "app may open the website"
    package static let appsAboveMayOpenTheWebsite = "apps above may open the website"
    package static let userMaySignIn = "user may sign in"
    package static let signInIsEnough = "sign-in is strong and fresh enough"
    package static let codeVerifier = "code verifier"
    package static let proofOfPossession = "proof of possession"
}

/// What would be decided, step by step (contract §13). Asking changes nothing.
package struct Explanation: Hashable, Sendable {
    /// One check, in the order in which they are made.
    package struct Step: Hashable, Sendable {
        package let check: String
        /// `passed`, `failed` or what was found.
        package let outcome: String
    }

    package private(set) var passes = true
    /// Why not; `nil` when it passes.
    package private(set) var reason: String?
    /// The check that decided.
    package private(set) var rule: String
    package private(set) var steps: [Step] = []
    /// The login token that this is about, where it could be read: what the log has of it is found by its id.
    package internal(set) var tokenID: TokenID?

    /// - Parameter rule: what decides when every check passes.
    package init(rule: String) { self.rule = rule }

    /// Notes a check.
    /// - Parameter part: what of the thing that is checked has the flaw, where that is known.
    /// - Returns: whether it passed, so that the caller can stop.
    @discardableResult
    package mutating func check(
        _ name: String, fails reason: String?, in part: String? = nil, found: String? = nil
    ) -> Bool {
        let flaw = reason.map { [$0, part].compactMap(\.self).joined(separator: " ") }
        steps.append(Step(check: name, outcome: flaw.map { "failed: \($0)" } ?? found ?? "passed"))
        guard let reason, passes else { return reason == nil }
        passes = false
        self.reason = reason
        rule = name
        return false
    }

    /// Notes a check, with the reason that it gives where it is not met.
    /// - Returns: as ``check(_:fails:in:found:)``.
    @discardableResult
    package mutating func check(
        _ name: String, _ isMet: Bool, else reason: RefusalReason, found: String? = nil
    ) -> Bool {
        check(name, fails: isMet ? nil : reason.rawValue, found: found)
    }

    /// Notes a check that an endpoint would refuse so.
    mutating func check(_ name: String, refusedWith error: OAuthError) {
        check(name, fails: error.detail ?? error.code.rawValue)
    }

    /// Names what decided that everything passes, where it is more than one rule.
    package mutating func decided(by rule: String) {
        if passes { self.rule = rule }
    }

    /// Notes what was found, whatever it means.
    package mutating func note(_ name: String, _ outcome: String) { steps.append(Step(check: name, outcome: outcome)) }

    /// Notes a check whose answer belongs to the request that would be made, so that none is known here.
    package mutating func leaveOpen(_ name: String) { note(name, "needed; not judged here") }
}

extension Explanation {
    /// Contract §13.
    package var json: String {
        var object = JSONObjectWriter()
        object.add("passes", passes)
        if let reason { object.add("reason", reason) } else { object.addNull("reason") }
        object.add("rule", rule)
        let steps = steps.map { step in
            var object = JSONObjectWriter()
            object.add("check", step.check)
            object.add("outcome", step.outcome)
            return object
        }
        object.add("steps", objects: steps)
        return object.finishedText()
    }
}
