import HTTPTypes
import Hummingbird
import Bridge
import OAuth2

extension Pages {
    func signIn(_ page: SignInPage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "fields": page.fields.map(\.values), "query_suffix": page.querySuffix,
            "needs_username": page.username == nil,
        ]
        values["notice"] = text(of: page.notice, in: "sign_in", language)
        values["is_error"] = page.notice.map(\.isOfFields) ?? false
        values["username"] = page.username
        values["passkey"] = page.passkey?.values
        values["providers"] = page.providers.map { provider in
            [
                "url": provider.url,
                "label": texts.text("sign_in", "with", in: language, ["provider": provider.name]),
            ]
        }
        values[visitor.hasUsedPhoneKey ? "first_self_issued_url" : "self_issued_url"] = page.selfIssuedURL
        values["phone_url"] = page.phoneURL
        values["second_factor_url"] = page.secondFactorURL
        // Whoever is known came from there.
        let ownPage: String? =
            switch page.destination {
            case .account where page.known == nil: "for_account"
            case .device where page.known == nil: "for_device"
            case .account, .device, .console, .app, .website: nil
            }
        values["purpose"] =
            ownPage.map { texts.text("sign_in", $0, in: language) } ?? purpose(page.clientName, language)
        values["is_by_link"] = page.destination == .account && page.isByLink
        if let known = page.known {
            values["known"] = known.name
            values["other_url"] = known.otherAccountURL
        }
        values["title"] = texts.text("sign_in", page.known == nil ? "title" : "again_title", in: language)
        return answer("sign_in", values, page.notice, leadingTo: page.destination, language, visitor)
    }

    /// The second step, for accounts with a second factor; the only one where nothing else is missing.
    func code(_ page: CodePage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "fields": page.fields.map(\.values), "query_suffix": page.querySuffix,
            "other_url": page.otherAccountURL,
        ]
        values["notice"] = text(of: page.notice, in: "code", language)
        values["is_error"] = page.notice.map(\.isOfFields) ?? false
        values["purpose"] = purpose(page.clientName, language)
        values["known"] = page.name
        return answer("code", values, page.notice, leadingTo: page.destination, language, visitor)
    }

    /// The app that the visitor signs in for, as the end of the title.
    private func purpose(_ clientName: String?, _ language: String) -> String? {
        clientName.map { texts.text("sign_in", "purpose", in: language, ["client": $0]) }
    }

    private func answer(
        _ template: String, _ values: [String: any Sendable], _ notice: SignInNotice?,
        leadingTo destination: SignInErrand.Destination, _ language: String, _ visitor: PageVisitor
    ) -> Response {
        render(
            template, values, notice: notice, to: visitor, language: language,
            policy: destination.formPolicy)
    }
}
