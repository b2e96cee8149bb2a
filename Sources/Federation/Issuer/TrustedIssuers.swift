package import Bridge
package import Logging
import OAuth2

/// Bearers of other people's issuers (contract §1.1): picks the issuer and lets it prove the token.
///
/// Put a `CachedBearerAuthenticator` in front: a verification costs a signature, or a request.
package struct TrustedIssuers: BearerAuthenticator {
    private let issuers: [[UInt8]: any TrustedIssuer]
    private let introspecting: (any TrustedIssuer)?

    /// - Parameter own: this service, whose users they must not be able to name.
    /// - Throws: ``TrustedIssuerProblems`` with everything that is wrong, unreadable key files included. Nothing is
    ///   fetched: an issuer that is away must not keep the service from starting.
    package init(
        _ settings: [TrustedIssuerSettings], beside own: OwnIssuer = .none, limits: FetchLimits = FetchLimits(),
        logger: Logger
    ) async throws(TrustedIssuerProblems) {
        var problems = TrustedIssuerSettings.problems(in: settings, beside: own)
        guard problems.isEmpty else { throw TrustedIssuerProblems(problems) }
        var issuers: [[UInt8]: any TrustedIssuer] = [:]
        for setting in settings {
            do {
                issuers[Array(setting.issuer.utf8)] = try Self.issuer(setting, limits: limits, logger: logger)
            } catch var problem as TrustedIssuerError {
                problem.issuer = setting.issuer
                problems.append(problem)
            } catch {
                problems.append(.init(issuer: setting.issuer, field: "issuer", text: "cannot be set up"))
            }
        }
        guard problems.isEmpty else { throw TrustedIssuerProblems(problems) }
        self.issuers = issuers
        introspecting = issuers.values.first { $0.settings.usesIntrospection }
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        let (issuer, parsed) = try self.issuer(of: token)
        return try await issuer.identity(of: token, parsed: parsed, at: now)
    }

    package func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool {
        guard introspecting != nil, let (issuer, _) = try? self.issuer(of: token) else { return false }
        return issuer.mustAsk(about: token, at: now)
    }

    package func claimedIssuer(of token: Secret<String>) -> String? {
        (try? self.issuer(of: token))?.issuer.settings.issuer
    }

    package func mismatch(of token: Secret<String>, refusedFor reason: BearerRefusal.Reason) -> BearerMismatch? {
        let text = token.expose()
        guard text.utf8.count <= TrustedIssuerSettings.maximumTokenLength, !OpaqueSecret.isMarked(text),
            let claims = ForeignToken(text)?.claims, let issuer = claims["iss"]?.string
        else { return nil }
        let known = issuers[Array(issuer.utf8)]?.settings
        switch reason {
        case .unknownIssuer where known == nil:
            let configured = issuers.values.map { $0.settings.issuer }.sorted()
            return BearerMismatch(claim: "iss", said: [issuer], configured: configured)
        case .wrongAudience:
            // What an introspection endpoint says of the audience is not in the token.
            guard let known, !known.usesIntrospection, let audience = claims["aud"] else { return nil }
            return BearerMismatch(claim: "aud", said: audience.oneOrMore ?? [], configured: known.audiences)
        default: return nil
        }
    }

    /// Reads files of keys and secrets again and forgets fetched keys (SIGHUP). What is broken now stays as it was.
    /// - Throws: ``TrustedIssuerProblems``, for the log.
    package func reload() async throws(TrustedIssuerProblems) {
        var problems: [TrustedIssuerError] = []
        for issuer in issuers.values {
            do {
                try await issuer.reload()
            } catch var problem as TrustedIssuerError {
                problem.issuer = issuer.settings.issuer
                problems.append(problem)
            } catch {
                problems.append(.init(issuer: issuer.settings.issuer, field: "issuer", text: "cannot be reloaded"))
            }
        }
        guard problems.isEmpty else { throw TrustedIssuerProblems(problems) }
    }

    private func issuer(
        of token: Secret<String>
    ) throws(BearerRefusal) -> (issuer: any TrustedIssuer, parsed: ForeignToken?) {
        let text = token.expose()
        // A secret of ours that strayed is not an issuer's, and no issuer is shown it.
        guard text.utf8.count <= TrustedIssuerSettings.maximumTokenLength, !OpaqueSecret.isMarked(text) else {
            throw .malformed
        }
        let parsed = ForeignToken(text)
        // Signed or sealed, with a byte too many or too few: taken off, it may work where we read it.
        guard parsed != nil || !StrayedSecret.beginsSignedOrSealed(text) || ForeignToken.isEncrypted(text) else {
            throw .malformed
        }
        let issuer: (any TrustedIssuer)?
        if let parsed {
            issuer = try self.issuer(of: parsed)
        } else {
            issuer = introspecting
        }
        // Nothing else reaches an introspection endpoint. What was parsed consists of base64url and dots.
        guard let issuer, parsed != nil || ASCII.isToken68(text) else { throw .malformed }
        return (issuer, parsed)
    }

    // The unverified `iss` only chooses whose keys must fit; it is believed once they do.
    private func issuer(of token: ForeignToken) throws(BearerRefusal) -> any TrustedIssuer {
        // Tokens made for something else: a login token must never work as a bearer (contract §2), nor a DPoP proof
        // or a logout token (RFC 8725 §3.11).
        guard !["login+jwt", "dpop+jwt", "logout+jwt"].contains(token.type) else { throw .wrongType }
        guard !token.hasCriticalExtensions else { throw .malformed }
        guard token.algorithm.lowercased() != "none" else { throw .wrongAlgorithm }
        guard let issuer = token.claims["iss"]?.string else { throw .missing(claim: "iss") }
        guard let known = issuers[Array(issuer.utf8)] else { throw .unknownIssuer }
        return known
    }
}
