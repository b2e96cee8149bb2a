import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

extension Pages {
    /// Asks for the code that a device shows.
    func deviceEntry(
        _ notice: DeviceEntryNotice?, user: String, switchURL: String, typed: String?, fields: [HiddenField],
        to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "fields": fields.map(\.values), "user": user, "switch_url": switchURL,
        ]
        values["typed"] = typed
        values["notice"] = text(of: notice, in: "device", language)
        if case .unknown = notice { values["is_error"] = true }
        if case .needsSecondFactor = notice { values["offers_second_factor"] = true }
        return render("device", values, notice: notice, to: visitor, language: language)
    }

    /// Who asks for what on the device, in whose name: what the user compares before answering.
    func deviceQuestion(
        _ question: DeviceApprovals.Question, user: String, switchURL: String, fields: [HiddenField],
        to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        func text(_ key: String, _ values: [String: String] = [:]) -> String {
            texts.text("device", key, in: language, values)
        }
        let minutes = Int(question.age.components.seconds / 60)
        let near = question.isNear.map { text($0 ? "same_network" : "other_network") }
        var values: [String: any Sendable] = [
            "title": text("question_title", ["client": question.client.name]), "user": user, "switch_url": switchURL,
            "user_code": question.userCode.shown, "fields": fields.map(\.values),
            "scopes": question.scope.tokens.map { scopeText($0, language) },
            "age": minutes < 1 ? text("asked_now") : text("asked_before", ["minutes": String(minutes)]),
        ]
        values["near"] = near
        values["is_far"] = question.isNear == false
        values["policy_uri"] = question.client.policyURI
        return render("device_question", values, to: visitor, language: language)
    }

    func deviceAnswered(_ client: String, wasLetIn: Bool, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        return render(
            "device_answered",
            [
                "title": texts.text("device", wasLetIn ? "allowed_title" : "denied_title", in: language),
                "explanation": texts.text(
                    "device", wasLetIn ? "allowed" : "denied", in: language, ["client": client]),
                "was_let_in": wasLetIn,
            ], to: visitor, language: language)
    }
}
