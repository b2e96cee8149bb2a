import Bridge
import BridgeHTTP
import Foundation

extension SettingsResolver {
    mutating func tlsFiles() -> DrawbridgeSettings.TLSFiles? {
        let certificate = path(.tlsCertificate)
        let privateKey = path(.tlsPrivateKey)
        guard let certificate, let privateKey else {
            if certificate != nil {
                note(SettingProblem(.tlsPrivateKey, "is required when tls.certificate is set"))
            }
            if privateKey != nil {
                note(SettingProblem(.tlsCertificate, "is required when tls.private_key is set"))
            }
            return nil
        }
        if !FileManager.default.isReadableFile(atPath: certificate) {
            note(SettingProblem(.tlsCertificate, value: certificate, at: source(of: .tlsCertificate), "cannot be read"))
        }
        requirePrivate(privateKey, key: .tlsPrivateKey)
        return DrawbridgeSettings.TLSFiles(certificate: certificate, privateKey: privateKey)
    }

    /// Notes a secret file that is missing or that others can read.
    mutating func requirePrivate(_ path: String, key: SettingKey) {
        do {
            _ = try PrivateFile.read(path)
        } catch {
            note(SettingProblem(key, value: path, at: source(of: key), "\(error)"))
        }
    }

    /// `nil` when limits are lifted.
    mutating func limits() -> LimitSettings? {
        var limits = LimitSettings()
        limits.issuePerDevice = bucket(.issueDeviceBurst, .issueDevicePerHour)
        limits.issuePerSubject = bucket(.issueUserBurst, .issueUserPerHour)
        limits.issuePerNetwork = bucket(.issueNetworkBurst, .issueNetworkPerHour)
        limits.issuePerClient = clientBucket()
        limits.authorizationPerSubject = bucket(.authorizationUserBurst, .authorizationUserPerHour)
        limits.refreshPerSubject = bucket(.refreshUserBurst, .refreshUserPerHour)
        limits.failedRedemptionPerNetwork = TokenBucket(perMinute: integer(.redemptionFailuresPerMinute))
        limits.refusedBearerPerNetwork = TokenBucket(perMinute: integer(.bearerFailuresPerMinute))
        limits.failedSignIn = TokenBucket(perMinute: integer(.signInFailuresPerMinute))
        limits.wrongPasswordPerDay = TokenBucket(perDay: integer(.wrongPasswordsPerDay))
        limits.wrongCodePerDay = TokenBucket(perDay: integer(.wrongCodesPerDay))
        limits.pushedRequestPerClient = TokenBucket(perMinute: integer(.pushedRequestsPerMinute))
        limits.pushedRequestPerNetwork = TokenBucket(perMinute: integer(.pushedRequestsOfNetworkPerMinute))
        return boolean(.limitsEnabled) ? limits : nil
    }

    /// Both numbers lie in ranges that a cost may have.
    mutating func passwordCost() -> PasswordCost {
        PasswordCost(logarithm: integer(.passwordMemoryLogarithm), parallelism: integer(.passwordPasses)) ?? .standard
    }

    private mutating func bucket(_ burstKey: SettingKey, _ hourKey: SettingKey) -> TokenBucket {
        let burst = integer(burstKey)
        let perHour = integer(hourKey)
        if perHour <= burst {
            note(
                SettingProblem(
                    hourKey, value: "\(perHour)", at: source(of: hourKey),
                    "must be more than \(burstKey.name), which is \(burst)"))
        }
        return TokenBucket(burst: burst, perHour: perHour)
    }

    private mutating func clientBucket() -> TokenBucket? {
        let isSet = [SettingKey.issueClientBurst, .issueClientPerHour].map { integer($0) > 0 }
        if isSet == [false, false] { return nil }
        if isSet != [true, true] {
            note(
                SettingProblem(
                    .issueClientBurst, at: source(of: .issueClientBurst),
                    "and limits.issue.client_per_hour are set together or not at all"))
            return nil
        }
        return bucket(.issueClientBurst, .issueClientPerHour)
    }

    mutating func appLinks() -> AppLinkSettings {
        let apple = elements(.appLinksApple, expecting: "an app id such as ABCDE12345.com.example.app") { text in
            text.contains(".") && text.utf8.allSatisfy(Self.isNameByte)
                ? AppLinkSettings.AppleApp(appID: text, paths: ["/*"]) : nil
        }
        let android = elements(
            .appLinksAndroid, expecting: "package=fingerprint, the fingerprint 32 hex pairs with colons"
        ) { text -> AppLinkSettings.AndroidApp? in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isNameByte) else { return nil }
            let pairs = parts[1].split(separator: ":", omittingEmptySubsequences: false)
            guard pairs.count == 32, pairs.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
                return nil
            }
            return .init(package: parts[0], fingerprints: [parts[1].uppercased()])
        }
        return AppLinkSettings(appleApps: apple, androidApps: android)
    }

    /// Letters, digits, dots, dashes and underscores.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
