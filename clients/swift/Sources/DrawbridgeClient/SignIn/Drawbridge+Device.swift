public import Foundation

/// A sign-in that a person finishes on another device: what to show them.
public struct DeviceSignIn: Sendable {
    /// To be compared letter by letter, or typed.
    public let userCode: String
    /// Where the code is entered.
    public let verificationAddress: String
    /// The address with the code in it, for a QR code; the person still compares the code.
    public let completeAddress: String?
    /// When it can no longer be finished.
    public let expiresAt: Date
    let deviceCode: Redacted<String>
    /// Seconds between two questions.
    let interval: TimeInterval
}

// Sign-in without a browser (RFC 8628).
extension Drawbridge {
    /// Seconds for which a code is asked for at most.
    private static let longestCode: TimeInterval = 86_400

    /// The first half: asks for the code to show.
    public func beginDeviceSignIn() async throws(ClientError) -> DeviceSignIn {
        guard let address = try await provider.metadata().deviceAuthorizationEndpoint else {
            throw .provider(.endpoint("device_authorization_endpoint"))
        }
        try await provider.needKeys()
        // What a device cannot have is not asked for: there may be no person at it who could tell.
        let scope = configuration.scope.filter { $0 != "offline_access" && $0 != "device_sso" }
        let answer = try await transport.send(
            .form(
                [("client_id", configuration.clientID), ("scope", scope.joined(separator: " "))], to: address))
        guard answer.status == 200 else {
            throw failure(answer, of: "the device authorization endpoint")
        }
        guard let started = answer.decode(DeviceAnswer.self), SecureAddress(started.verificationURI) != nil else {
            throw answer.unexpected("the device authorization endpoint's answer cannot be read")
        }
        return DeviceSignIn(
            userCode: started.userCode, verificationAddress: started.verificationURI,
            completeAddress: started.completeURI.flatMap { SecureAddress($0) == nil ? nil : $0 },
            expiresAt: time.now().addingTimeInterval(min(started.expiresIn, Self.longestCode)),
            deviceCode: Redacted(started.deviceCode),
            interval: max(1, started.interval ?? 5))
    }

    /// The second half: asks until the person has answered, as slowly as the provider wants, and keeps the tokens.
    /// - Parameters:
    ///   - device: what the first half gave, and the person was shown.
    ///   - patience: seconds to ask at most; the code's own life bounds it.
    ///   - sleep: waits between two questions, no longer than until its task is cancelled.
    /// - Returns: who is signed in.
    /// - Throws: ``ClientError/cancelled`` when the task is cancelled before the person has answered.
    @discardableResult
    public func finishDeviceSignIn(
        _ device: DeviceSignIn, patience: TimeInterval = 3600,
        sleep: @Sendable (TimeInterval) async throws -> Void = {
            try await Task.sleep(nanoseconds: UInt64($0 * 1_000_000_000))
        }
    ) async throws(ClientError) -> IDTokenClaims {
        // Beside the asking: a code that was used is not asked with again, which would end what it opened.
        let tokens = try await poll(device, patience, sleep)
        return try await regardlessOfCancellation { () async throws(ClientError) in try await self.kept(tokens) }
    }

    private func kept(_ tokens: TokenAnswer) async throws(ClientError) -> IDTokenClaims {
        do throws(ClientError) {
            guard let idToken = tokens.idToken else { throw .idToken(.missing) }
            let claims = try await verified(
                idToken,
                IDTokenCheck(
                    issuer: configuration.issuer, clientID: configuration.clientID, accessToken: tokens.accessToken))
            try await begin(StoredSignIn(tokens, of: claims, at: time.now()))
            return claims
        } catch {
            await abandon(tokens)
            throw error
        }
    }

    private func poll(
        _ device: DeviceSignIn, _ patience: TimeInterval, _ sleep: @Sendable (TimeInterval) async throws -> Void
    ) async throws(ClientError) -> TokenAnswer {
        var interval = device.interval
        let end = min(device.expiresAt, time.now().addingTimeInterval(patience))
        while true {
            // No longer than the code lives, whatever the provider wants.
            let wait = max(0, min(interval, end.timeIntervalSince(time.now())))
            do { try await sleep(wait) } catch { throw .cancelled }
            // Not every sleep throws when its task is cancelled.
            guard !Task.isCancelled else { throw .cancelled }
            do throws(ClientError) {
                return try await regardlessOfCancellation { () async throws(ClientError) in
                    try await self.token([
                        ("grant_type", TokenType.deviceCodeGrant), ("device_code", device.deviceCode.expose()),
                    ])
                }
            } catch {
                switch error {
                case .refused(let refusal) where refusal.code == "authorization_pending": break
                case .refused(let refusal) where refusal.code == "slow_down": interval += 5
                case .refused(let refusal) where refusal.code == "expired_token": throw .timedOut
                // A lost connection is not an answer (RFC 8628 §3.5).
                case .unreachable: interval = min(interval * 2, 60)
                case .comeBackLater(let seconds, _): interval = max(interval, TimeInterval(seconds ?? 0))
                default: throw error
                }
            }
            guard time.now() < end else { throw .timedOut }
        }
    }
}

/// RFC 8628 §3.2.
private struct DeviceAnswer: Decodable {
    let deviceCode: String
    let userCode: String
    let verificationURI: String
    let completeURI: String?
    let expiresIn: Double
    /// A pace that is not a number counts as none.
    let interval: Double?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        deviceCode = try members.decode(String.self, forKey: .deviceCode)
        userCode = try members.decode(String.self, forKey: .userCode)
        verificationURI = try members.decode(String.self, forKey: .verificationURI)
        completeURI = try members.decodeIfPresent(String.self, forKey: .completeURI)
        expiresIn = try members.decode(Double.self, forKey: .expiresIn)
        interval = try? members.decodeIfPresent(Double.self, forKey: .interval)
    }

    private enum CodingKeys: String, CodingKey {
        case deviceCode = "device_code"
        case userCode = "user_code"
        case verificationURI = "verification_uri"
        case completeURI = "verification_uri_complete"
        case expiresIn = "expires_in"
        case interval
    }
}
