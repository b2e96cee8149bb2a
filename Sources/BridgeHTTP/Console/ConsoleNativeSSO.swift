import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The settings of Native SSO: every field with its range, and where its value comes from.
struct ConsoleNativeSSO: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: path, "consoleNativeSSOSettings", show),
        Route(form: path, "consoleSaveNativeSSOSettings", save),
        Route(form: "\(path)/reset", "consoleResetNativeSSOSettings", reset),
    ]

    let frame: ConsoleFrame
    let device: DeviceServices

    static let path = "/admin/settings/native-sso"

    @Sendable func show(
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let query = try AdminRequestReader.query(request, knowing: ["done"])
        var notice: [String: any Sendable] = [:]
        if let done = query["done"] { notice[done == "reset" ? "is_reset" : "is_saved"] = true }
        return try await page(notice, request, context, visit)
    }

    @Sendable func save(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let action = try frame.action(fields, request, context, visit)
        var changed: [NativeSSOField: NativeSSOValue] = [:]
        var problems: [NativeSSOField: String] = [:]
        var typed: [NativeSSOField: String] = [:]
        for entry in try await device.configuration.entries() {
            guard let text = fields[entry.field.rawValue] else { continue }
            typed[entry.field] = text
            let value = Self.value(text, like: entry.value)
            if let problem = entry.field.problem(with: value) { problems[entry.field] = problem }
            // A value that was not changed keeps its source.
            if value != entry.value { changed[entry.field] = value }
        }
        guard problems.isEmpty else {
            return try await page(
                ["has_problem": true], problems: problems, typed: typed, request, context, visit)
        }
        if !changed.isEmpty {
            try await device.configuration.change(
                changed, by: action.actor, origin: context.origin(of: request), reason: action.reason)
        }
        return frame.redirect(to: "\(Self.path)?done=saved")
    }

    @Sendable func reset(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let action = try frame.action(fields, request, context, visit)
        try await device.configuration.reset(
            by: action.actor, origin: context.origin(of: request), reason: action.reason)
        return frame.redirect(to: "\(Self.path)?done=reset")
    }

    /// - Parameters:
    ///   - problems: what is wrong with the values that were typed.
    ///   - typed: shown instead of the values in force.
    private func page(
        _ more: [String: any Sendable], problems: [NativeSSOField: String] = [:],
        typed: [NativeSSOField: String] = [:], _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let entries = try await device.configuration.entries()
        var values = more
        values["fields"] = entries.map { Self.row($0, problem: problems[$0.field], typed: typed[$0.field]) }
        values["is_set"] = entries.contains { $0.source == .admin }
        return frame.render(
            "native_sso", values, section: .settings, visit: visit, request, context,
            status: problems.isEmpty ? .ok : .init(code: ErrorCode.invalidRequest.status))
    }

    private static func row(
        _ entry: NativeSSOConfiguration.Entry, problem: String?, typed: String?
    ) -> [String: any Sendable] {
        let current = text(entry.value)
        let shown = typed ?? current
        var row: [String: any Sendable] = [
            "name": entry.field.rawValue, "title": entry.field.title, "explanation": entry.field.explanation,
            "value": shown, "source": entry.source.rawValue, "is_set": entry.source == .admin,
            "default": text(entry.field.fallback),
        ]
        row["problem"] = problem
        if let range = entry.field.range {
            row["minimum"] = String(range.lowerBound)
            row["maximum"] = String(range.upperBound)
        } else {
            let words: [String] =
                if case .flag = entry.value { ["true", "false"] } else {
                    DeviceSecretLimit.Behavior.allCases.map(\.rawValue)
                }
            row["choices"] = words.map { word -> [String: any Sendable] in
                ["word": word, "title": Self.titles[word] ?? word, "is_chosen": word == shown]
            }
        }
        return row
    }

    private static let titles = [
        "true": "on", "false": "off", "revoke_oldest": "revoke the oldest", "reject": "refuse the new one",
    ]

    /// What was typed, as a value of the same kind; anything else is a word, which no such field takes.
    private static func value(_ text: String, like value: NativeSSOValue) -> NativeSSOValue {
        switch value {
        case .flag: ["true": .flag(true), "false": .flag(false)][text] ?? .word(text)
        case .number: Int(text).map(NativeSSOValue.number) ?? .word(text)
        case .word: .word(text)
        }
    }

    private static func text(_ value: NativeSSOValue) -> String {
        switch value {
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): String(number)
        case .word(let word): word
        }
    }
}

extension NativeSSOField {
    fileprivate var title: String {
        switch self {
        case .enabled: "Native SSO"
        case .deviceSecretTTLDays: "Life of a device secret, in days"
        case .maxDeviceSecretsPerUser: "Devices of one user"
        case .maxSecretsBehavior: "When a user has that many"
        case .allowCrossClientNativeSSO: "Exchange between apps"
        case .maxAttemptsPerMinute: "Exchanges of one device in a minute"
        case .blockDurationMinutes: "Pause after too many, in minutes"
        case .rotateDeviceSecrets: "Rotate device secrets"
        case .rotationOverlapSeconds: "Grace of a rotated secret, in seconds"
        }
    }

    fileprivate var explanation: String {
        switch self {
        case .enabled: "Whether apps get device secrets and may exchange them."
        case .deviceSecretTTLDays: "Counted from when it was given out."
        case .maxDeviceSecretsPerUser: "Live ones, whatever the app."
        case .maxSecretsBehavior: "What a further device does."
        case .allowCrossClientNativeSSO: "Whether one app's sign-in may open another app that shares with it."
        case .maxAttemptsPerMinute: "Further ones are answered with slow_down."
        case .blockDurationMinutes: "How long the device is answered so."
        case .rotateDeviceSecrets:
            "Whether every exchange gives a new secret; an old one that comes again revokes the device."
        case .rotationOverlapSeconds: "How long the old one works once more, for an answer that was lost."
        }
    }
}
