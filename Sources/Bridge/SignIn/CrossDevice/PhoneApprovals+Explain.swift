import OAuth2

// Asking what a sign-in across devices would come to: nothing changes, nothing is counted, and no digits are told.
extension PhoneApprovals {
    /// What an administrator was given to ask about.
    package enum Shown: Sendable {
        /// The link behind the code on the screen, or its last part.
        case link(String)
        case letters(String)
    }

    /// - Parameters:
    ///   - shown: what the computer's page shows; `nil` to ask about the app alone.
    ///   - bearer: that of the app that is to approve; `nil` to ask about the page alone.
    package func explain(
        _ shown: Shown?, bearer: BearerIdentity?, in explanation: inout Explanation
    ) async throws {
        let now = time.now()
        let phone: ApprovingPhone? =
            if let bearer { try await approvers.explain(bearer, at: now, in: &explanation) } else { nil }
        guard let shown, let id = try await id(of: shown, at: now, in: &explanation) else { return }
        let found = try await records.find(id, at: now)
        guard
            explanation.check(
                "a page shows it", fails: found == nil ? PhoneSignIn.Refusal.gone.rawValue : nil), let found
        else { return }
        let signIn = found.signIn
        explanation.note("computer", PhoneApprovers.network(of: signIn.page.address)?.description ?? "not known")
        if approvers.requiresSameNetwork {
            explanation.note("network of the phone", "must be the same; not judged here")
        }
        if let scanner = signIn.phone {
            explanation.note("scanned by", "\(scanner.clientID.rawValue), session \(scanner.sessionID.rawValue)")
        }
        try await explainReport(on: signIn.page.address, at: now, in: &explanation)
        explainStep(of: signIn, by: phone, at: now, in: &explanation)
    }

    private func id(
        of shown: Shown, at now: Timestamp, in explanation: inout Explanation
    ) async throws -> String? {
        switch shown {
        case .link(let text):
            let id = text.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            let isID = PhoneSignInNames.isID(id)
            return explanation.check("link can be one", isID, else: .malformedLink) ? id : nil
        case .letters(let text):
            let code = DeviceUserCode(text)
            guard explanation.check("letters can be some", code != nil, else: .malformedUserCode), let code
            else { return nil }
            let id = try await records.id(ofCode: code, at: now)
            return explanation.check("a page has these letters", id != nil, else: .unknownCode) ? id : nil
        }
    }

    private func explainReport(
        on address: NetworkAddress?, at now: Timestamp, in explanation: inout Explanation
    ) async throws {
        let decision = try await log.limiter.peek(LimitSettings.reportedKeys(address), at: now)
        let isReported = if case .exceeded = decision { true } else { false }
        explanation.note("computer was reported", isReported ? "yes; it begins no other for a while" : "no")
    }

    /// Whether the step that comes next would be taken: a scan, which the phone that did it may repeat, or the digits.
    private func explainStep(
        of signIn: PhoneSignIn, by phone: ApprovingPhone?, at now: Timestamp, in explanation: inout Explanation
    ) {
        let state = signIn.state(at: now)
        explanation.note("state", state.rawValue)
        guard explanation.check("it goes on", fails: state.isOpen ? nil : state.rawValue) else { return }
        if let phone, state != .approved {
            do throws(PhoneSignIn.Refusal) {
                try signIn.checkScan(by: phone, at: now)
                explanation.check("this phone may scan it", fails: nil)
            } catch {
                explanation.check("this phone may scan it", fails: error.rawValue)
            }
        }
        explanation.note("seconds left", String((signIn.endsAt() - now).roundedUpSeconds))
    }
}
