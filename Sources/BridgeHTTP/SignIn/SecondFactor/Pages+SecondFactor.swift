import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

extension Pages {
    func secondFactor(_ page: SecondFactorPage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "form_token": page.formToken, "is_for_console": page.isForConsole,
        ]
        values["notice"] = text(of: page.notice, in: "second_factor", language)
        if case .wrongCode(let form) = page.notice {
            values["is_error"] = true
            values["is_error_renewal"] = form == .recoveryCodes
            values["is_error_removal"] = form == .remove
        }
        switch page.content {
        case .unavailable: values["unavailable"] = true
        case .draft(let sealed, let typed, let uri):
            var draft: [String: any Sendable] = [
                "sealed": sealed, "typed": typed.expose(), "uri": uri.expose(),
            ]
            // Without it a name that is too long for a code leaves the key to be typed.
            if let drawing = QRCode(Array(uri.expose().utf8))?.drawing {
                draft["qr"] = ["path": drawing.path, "side": String(drawing.side)]
            }
            values["draft"] = draft
        case .enrolled(let left):
            values["enrolled"] = [
                "codes_left": texts.text("second_factor", "codes_left", in: language, ["count": String(left)])
            ]
        }
        return render("second_factor", values, notice: page.notice, to: visitor, language: language)
    }

    /// The recovery codes, shown this once.
    /// - Parameters:
    ///   - username: whose they are, for whoever keeps those of several accounts.
    ///   - next: where to go from here.
    func recoveryCodes(
        _ codes: [RecoveryCode], of username: Username?, isNewFactor: Bool, next: String, to visitor: PageVisitor
    ) -> Response {
        var values: [String: any Sendable] = [
            "codes": codes.map { $0.text.expose() }, "is_new_factor": isNewFactor, "next": next,
        ]
        values["username"] = username?.text
        return render("recovery_codes", values, to: visitor)
    }
}
