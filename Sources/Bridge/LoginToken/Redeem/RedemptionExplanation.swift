extension RedemptionExaminer {
    /// Adds how each question of the candidate's channel is answered, and whether the token is unused; uses nothing up.
    /// - Parameter store: knows what became of the token.
    /// - Returns: whether it would be redeemed.
    func explain(
        _ candidate: RedemptionCandidate, store: any LoginTokenStore, in explanation: inout Explanation
    ) async throws -> Bool {
        let (finding, passed, decisive) = try await examine(candidate)
        for question in passed { Self.add(question, candidate, nil, to: &explanation) }
        if case .refused(let refusal, _) = finding {
            Self.add(decisive, candidate, refusal, to: &explanation)
            return false
        }
        let refusal = try await store.refusalOfUse(of: candidate.claims.id)
        return explanation.check("token is unused", fails: refusal?.rawValue)
    }

    /// Notes how a question was answered; those about a browser's own past say something only where they refuse.
    private static func add(
        _ question: RedemptionCheck.Question?, _ candidate: RedemptionCandidate, _ refusal: RedemptionRefusal?,
        to explanation: inout Explanation
    ) {
        let claims = candidate.claims
        let isByServer = candidate.channel == .server
        let reason = refusal?.rawValue
        switch question {
        case .inTime:
            explanation.check("token is alive", fails: reason, found: "until \(claims.expiresAt.rfc3339)")
        case .isForTheWebsite where isByServer: explanation.check("token is for this client", fails: reason)
        case .isForTheWebsite:
            let lacksPaths = refusal == .noReturnPaths
            explanation.check(
                ExplainedCheck.websiteIsKnown, fails: lacksPaths ? nil : reason, found: claims.audience.rawValue)
            if lacksPaths { explanation.check("website has return paths", fails: reason) }
        case .appMayOpenTheWebsite: explanation.check(ExplainedCheck.appMayOpenTheWebsite, fails: reason)
        case .bindingIsShown where isByServer:
            if claims.binding.challenge != nil { explanation.check(ExplainedCheck.codeVerifier, fails: reason) }
        case .bindingIsShown:
            let isJudged = candidate.binding.network == claims.binding.network
            explanation.check(
                "network binding", fails: reason, found: isJudged ? nil : "no address given; not judged here")
        case .codeIsGiven:
            if claims.binding.typedCodeKey != nil { explanation.note("asks for", "the code that the app shows") }
        case .signInIsEnough: explanation.check(ExplainedCheck.signInIsEnough, fails: reason)
        case .userAndSessionStand:
            let isUser = refusal == .subjectDisabled
            guard explanation.check(ExplainedCheck.userMaySignIn, fails: isUser ? reason : nil) else { return }
            explanation.check("parent session lives", fails: reason)
        case .appsAboveMayOpenTheWebsite:
            explanation.check(ExplainedCheck.appsAboveMayOpenTheWebsite, fails: reason)
        case .isUnknownToTheBrowser, .browserHasNoAttempt, .serverHasNoAttempt, .isNoHandOff, .isUnbound, .needsNoClick,
            .codeIsRight, .requestWouldBeAnswered, nil:
            if let reason { explanation.check("redemption", fails: reason) }
        }
    }
}

extension Explanation {
    /// Notes whether a text is a token of ours.
    /// - Returns: as ``LoginTokenVerification/read()``; `nil` when it is none.
    mutating func read(_ verification: LoginTokenVerification) -> (claims: LoginTokenClaims, isExpired: Bool)? {
        let name = "token is ours and unchanged"
        do throws(LoginTokenRefusal) {
            let found = try verification.read()
            check(name, fails: nil)
            return found
        } catch {
            check(name, fails: RedemptionRefusal(error).rawValue)
            return nil
        }
    }
}

extension LoginTokenRedeemer {
    /// Adds what a redemption by a website's server would come to; uses nothing up, counts and writes nothing.
    ///
    /// Not judged are the address, which is not the server's here; the digits, which could be tried out this way; and
    /// an earlier attempt of the server's that could not be confirmed, since it is there for one question alone.
    func explain(_ request: BackChannelRedemption, in explanation: inout Explanation) async throws {
        let now = time.now()
        let verification = try await reader.verify(request.token, at: now)
        guard let (claims, isExpired) = explanation.read(verification) else { return }
        if request.lacksAuthentication(for: claims) {
            explanation.check("client keeps a secret", fails: BackChannelRedemption.publicClient.rawValue)
            return
        }
        var judged = reader.candidate(of: request, claims, isExpired: isExpired, at: now)
        judged.judgedBinding = LoginTokenBinding(challenge: claims.binding.challenge)
        var asking = examiner
        asking.attempts = nil
        guard try await asking.explain(judged, store: singleUse.store, in: &explanation) else { return }
        if claims.binding.network != .none { explanation.leaveOpen("network binding") }
        guard claims.binding.typedCodeKey != nil else { return }
        explanation.check(
            "code is given", fails: judged.typedCode == nil ? RedemptionRefusal.codeMissing.rawValue : nil,
            found: "not judged here")
    }
}
