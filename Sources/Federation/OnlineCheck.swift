import AsyncHTTPClient
package import Bridge
import NIOCore
import NIOHTTP1
import OAuth2

/// Asks others once what the service will ask of them later: whether they answer, and with what.
package enum OnlineCheck {
    /// What a check found, in words for the operator who runs `check-config --online`.
    package enum Finding: Hashable, Sendable {
        case good(String)
        /// Worth a look, and no fault by itself.
        case note(String)
        case bad(String)
    }

    /// A trusted issuer: its keys, or what stands in their place.
    package static func keys(of issuer: TrustedIssuerSettings) async -> Finding {
        let limits = FetchLimits()
        let connection = IssuerConnection(limits: limits, triesOnce: true)
        func count(_ json: [UInt8], at url: EndpointURL) throws -> Finding {
            let set = try KeySet(json: json, allowed: issuer.algorithms, maximumKeys: limits.maximumKeys)
            return set.keys.isEmpty
                ? .bad("\(url) has no key for any of the allowed algorithms")
                : .good("\(set.keys.count) keys at \(url)")
        }
        do {
            switch issuer.verification {
            case .hmac: return .good("a shared secret, nothing to ask")
            case .jwksFile(let path):
                let set = try KeySetFile.read(path, allowed: issuer.algorithms, limits: limits)
                return .good("\(set.keys.count) keys in \(path)")
            case .jwksURL(let text):
                guard let url = EndpointURL(text) else { return .bad("jwks_uri is not a secure URL") }
                return try count(try await connection.get(url), at: url)
            case .discovery:
                guard let url = EndpointURL(issuer.issuer) else { return .bad("issuer is not a secure URL") }
                let metadata = try await IssuerMetadata.fetch(for: url, over: connection)
                return try count(try await connection.get(metadata.keySetURL), at: metadata.keySetURL)
            case .introspection(let text, let clientID, let secret, _):
                guard let url = EndpointURL(text) else { return .bad("introspection.endpoint is not a secure URL") }
                // RFC 7662 §2.2: a token that it does not know is reported as not active.
                let answer = try await connection.post(
                    url, form: [("token", "drawbridge-check-config")], clientID: clientID, secret: secret)
                return switch IntrospectingIssuer.members(ofAnswer: answer)?["active"]?.bool {
                case false?: .good("\(url) answers us as \(clientID)")
                case true?: .bad("\(url) calls a token active that nobody has issued")
                case nil: .bad("\(url) does not answer with a JSON object that has active")
                }
            }
        } catch {
            return .bad(words(error))
        }
    }

    /// A provider that users sign in at.
    /// - Parameter redirectURI: where it sends them back to.
    package static func provider(
        _ settings: UpstreamProviderSettings, redirectURI: String, limits: FetchLimits = FetchLimits()
    ) async -> Finding {
        guard let issuer = EndpointURL(settings.issuer, allowingQuery: false) else {
            return .bad("\(settings.issuer) is not a secure URL")
        }
        let connection = IssuerConnection(limits: limits, triesOnce: true)
        do {
            let metadata = try await UpstreamMetadata.fetch(for: issuer, over: connection)
            let set = try KeySet(
                json: try await connection.get(metadata.keySetURL), allowed: UpstreamProviderSettings.algorithms,
                maximumKeys: limits.maximumKeys)
            guard !set.keys.isEmpty else {
                return .bad("\(metadata.keySetURL) has no key for any of the allowed algorithms")
            }
            let form = OpenIDProvider.form(
                code: "drawbridge-check-config", redirectURI: redirectURI, verifier: String(repeating: "v", count: 43))
            return await credentials(
                of: settings, posting: form, to: metadata.tokenEndpoint, over: connection,
                beside: "metadata, and \(set.keys.count) keys")
        } catch {
            return .bad(words(error))
        }
    }

    /// Whether a provider accepts our credentials: it then refuses only the code, which was never issued (RFC 6749
    /// §5.2).
    /// - Parameter found: what else is good.
    private static func credentials(
        of settings: UpstreamProviderSettings, posting form: [(String, String)], to endpoint: EndpointURL,
        over connection: IssuerConnection, beside found: String
    ) async -> Finding {
        do {
            _ = try await connection.post(
                endpoint, form: form, clientID: settings.clientID, secret: settings.clientSecret)
            return .bad("\(endpoint) answers with 200 to a code that nobody was given")
        } catch let failure as IssuerConnection.Failure {
            if failure.refusesClient { return .bad("\(endpoint) \(failure): client_id or client_secret_file is wrong") }
            guard failure.refusesCode else { return .bad("\(endpoint) \(failure)") }
            if case .status(_, .invalidGrant?) = failure {
                return .good("\(found); \(endpoint) accepts us as \(settings.clientID)")
            }
            return .note("\(found); \(endpoint) \(failure), which does not say whether client_secret_file is right")
        } catch {
            return .bad("\(endpoint): \(words(error))")
        }
    }

    /// An origin of ours, as browsers would meet it.
    /// - Returns: what was found, and how far the clock there is ahead of `now`, when it says.
    package static func origin(_ origin: WebOrigin, at now: Timestamp) async -> (finding: Finding, clock: Duration?) {
        let connection = IssuerConnection(limits: FetchLimits(), triesOnce: true)
        do {
            // Which is there at each of our origins (contract §6), and says so to everyone.
            let (status, body, date) = try await connection.look(at: "\(origin)/session")
            return (judged(status, isOurs: isSession(body)), date.map { $0 - now })
        } catch {
            let obstacle = FetchObstacle(error)
            return switch obstacle {
            case .tls, .noName: (.bad(obstacle.text), nil)
            case .nobody: (.note("\(obstacle.text); a server or proxy should"), nil)
            case .unreadable: (.note(obstacle.text), nil)
            }
        }
    }

    /// - Parameter isOurs: whether the content is what we answer.
    private static func judged(_ status: Int, isOurs: Bool) -> Finding {
        switch status {
        case 200 where isOurs: .good("answers")
        case 200..<300: .bad("something else answers /session; the proxy has to lead Drawbridge's paths to Drawbridge")
        case 404:
            .bad(
                "reaches a server that has no /session, or does not see this Host; the proxy has to pass Host on, with "
                    + "its port (nginx: `proxy_set_header Host $http_host`)")
        case 300..<400: .note("answers with \(status): a gate in front leads elsewhere whoever has no pass for it")
        case 401, 403: .note("answers with \(status): a gate in front lets nobody through from here")
        default: .note("answers with \(status): the proxy answers, and Drawbridge behind it does not")
        }
    }

    private static func isSession(_ body: [UInt8]) -> Bool {
        JSONValue.parse(body)?.object?["authenticated"]?.bool != nil
    }

    /// A collector of spans: whether it takes a message without any.
    package static func collector(_ receiver: OTLPReceiver) async -> Finding {
        let status: Int
        do {
            status = try await receiver.ask(within: FetchLimits().timeout)
        } catch IssuerConnection.Failure.timedOut {
            return .bad("does not answer in time")
        } catch {
            return .bad(FetchObstacle(error).text)
        }
        return switch status {
        case 200..<300: .good("takes spans")
        case 401, 403:
            .bad("answers with \(status): telemetry.authorization_file, or the lack of one, does not let us in")
        case 404, 405: .bad("answers with \(status): nothing takes spans at this path; OTLP's own is /v1/traces")
        case 415: .bad("answers with 415: it takes no JSON")
        case 300..<400: .bad("answers with \(status): it leads elsewhere, where spans are not sent")
        case 429, 500...: .bad("answers with \(status): it takes no spans now")
        default: .bad("answers with \(status)")
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let failure as IssuerConnection.Failure: failure.description
        case IssuerMetadataError.otherIssuer: "its metadata name another issuer"
        case IssuerMetadataError.missing(let name): "its metadata have no \(name) that is a secure URL"
        case IssuerMetadataError.malformed: "its metadata are no JSON object"
        case let problem as TrustedIssuerError: problem.text
        case KeySetError.tooManyKeys: "its key set has too many keys"
        default: "its keys are no JWK set"
        }
    }
}

extension IssuerConnection {
    /// Whether an address answers, whatever it says.
    /// - Returns: the status, the content of a document that is not too large, and the time that the other side says it
    ///   is (RFC 9110 §6.6.1).
    func look(at url: String) async throws -> (status: Int, body: [UInt8], date: Timestamp?) {
        let (limits, client) = (limits, client)
        return try await Deadline.run(limits.timeout, otherwise: Failure.timedOut) {
            let response = try await client.execute(
                HTTPClientRequest(url: url), timeout: .milliseconds(limits.timeout.inMilliseconds))
            var body: [UInt8] = []
            if response.status == .ok, let content = try? await response.body.collect(upTo: limits.maximumBytes) {
                body = Array(content.readableBytesView)
            }
            let date = response.headers.first(name: "Date").flatMap { HTTPDate($0)?.instant }
            return (Int(response.status.code), body, date)
        }
    }
}
