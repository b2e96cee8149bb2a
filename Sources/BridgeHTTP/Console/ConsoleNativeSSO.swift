import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What was typed into the form of settings and not saved.
private struct Unsaved {
    /// Shown instead of the values in force.
    var typed: [NativeSSOField: String] = [:]
    /// Those whose typed values cannot be.
    var wrong: Set<NativeSSOField> = []
    /// Those that somebody else has set since the page was shown.
    var overtaken: Set<NativeSSOField> = []
}

/// The settings of Native SSO: every field with its range, and where its value comes from.
struct ConsoleNativeSSO: ConsoleGroup {
    static let routes: [Route<Self>] = [
        Route(page: path, "consoleNativeSSOSettings", show),
        Route(form: path, "consoleSaveNativeSSOSettings", save).says("native_sso_title", in: "console_settings"),
        Route(form: "\(path)/reset", "consoleResetNativeSSOSettings", reset)
            .says("reset_title", in: "console_settings"),
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
        return page(try await device.configuration.entries(), notice, request, context, visit)
    }

    @Sendable func save(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let action = try frame.action(fields, request, context, visit)
        let form = ShownFields(fields)
        let entries = try await device.configuration.entries()
        var changed: [NativeSSOField: NativeSSOValue] = [:]
        var unsaved = Unsaved()
        for entry in entries {
            let wish = form.wish(for: entry.field.rawValue, now: Self.text(entry.value))
            // A value that was left alone keeps its source.
            guard let text = wish.typed else { continue }
            unsaved.typed[entry.field] = text
            let value = Self.value(text, like: entry.value)
            if entry.field.problem(with: value) != nil { unsaved.wrong.insert(entry.field) }
            if case .overtaken = wish { unsaved.overtaken.insert(entry.field) }
            if value != entry.value { changed[entry.field] = value }
        }
        guard unsaved.wrong.isEmpty, unsaved.overtaken.isEmpty else {
            return page(entries, ["reason": fields["reason"] ?? ""], unsaved: unsaved, request, context, visit)
        }
        if !changed.isEmpty {
            try await frame.services.gate.requireFreshSignIn(visit, request, context)
            try await device.configuration.change(changed, by: action)
        }
        return frame.redirect(to: "\(Self.path)?done=saved")
    }

    @Sendable func reset(
        _ fields: FormParameters, _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) async throws -> Response {
        let action = try frame.action(fields, request, context, visit)
        try await frame.services.gate.requireFreshSignIn(visit, request, context)
        try await device.configuration.reset(by: action)
        return frame.redirect(to: "\(Self.path)?done=reset")
    }

    private func page(
        _ entries: [NativeSSOConfiguration.Entry], _ more: [String: any Sendable], unsaved: Unsaved = Unsaved(),
        _ request: Request, _ context: BridgeRequestContext, _ visit: AdminVisit
    ) -> Response {
        var values = more
        let words = frame.words(request, context)
        let first = entries.first { unsaved.wrong.union(unsaved.overtaken).contains($0.field) }?.field
        values["fields"] = entries.map { entry -> [String: any Sendable] in
            var row = Self.row(entry, unsaved, words)
            row["has_focus"] = entry.field == first
            return row
        }
        values["is_set"] = entries.contains { $0.source == .admin }
        values["is_unsaved"] = first != nil
        values["has_problem"] = !unsaved.wrong.isEmpty
        values["has_conflict"] = !unsaved.overtaken.isEmpty
        let code: ErrorCode = unsaved.wrong.isEmpty ? .preconditionFailed : .invalidRequest
        return frame.render(
            "native_sso", values, section: .settings, visit: visit, request, context,
            status: first == nil ? .ok : .init(code: code.status))
    }

    private static func row(
        _ entry: NativeSSOConfiguration.Entry, _ unsaved: Unsaved, _ words: ConsoleWords
    ) -> [String: any Sendable] {
        let current = text(entry.value)
        let shown = unsaved.typed[entry.field] ?? current
        var row: [String: any Sendable] = [
            "name": entry.field.rawValue, "title": words("console_settings", entry.field.key),
            "explanation": words("console_settings", "\(entry.field.key)_help"), "value": shown,
            "shown_name": ShownFields.name(beside: entry.field.rawValue), "shown_value": current,
            "source": words("console_settings", "from_\(entry.source.rawValue)"),
            "is_set": entry.source == .admin, "is_wrong": unsaved.wrong.contains(entry.field),
            "default": words("console_settings", "default", ["value": word(entry.field.fallback, words)]),
        ]
        if unsaved.overtaken.contains(entry.field) {
            row["overtaken"] = words("console_settings", "overtaken", ["value": word(current, words)])
        }
        if let range = entry.field.range {
            let ends = ["minimum": String(range.lowerBound), "maximum": String(range.upperBound)]
            row["minimum"] = ends["minimum"]
            row["range"] = words("console_settings", "range", ends)
        } else {
            let choices: [String] =
                if case .flag = entry.value { ["true", "false"] } else {
                    DeviceSecretLimit.Behavior.allCases.map(\.rawValue)
                }
            row["choices"] = choices.map { choice -> [String: any Sendable] in
                ["word": choice, "title": word(choice, words), "is_chosen": choice == shown]
            }
        }
        return row
    }

    /// A value as people read it.
    private static func word(_ value: NativeSSOValue, _ words: ConsoleWords) -> String { word(text(value), words) }

    private static func word(_ text: String, _ words: ConsoleWords) -> String {
        NativeSSOField.word(for: text).map { words("console_settings", $0) } ?? text
    }

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
