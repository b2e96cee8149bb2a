import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

extension RouteGuard where Group == DevicesController, Admitted == SignedIn {
    /// Whoever is signed in; anybody else sees how to be.
    static var session: Self {
        Self(.session) { group, handler in
            { request, context in
                guard let found = try await group.browsers.signedIn(by: request) else {
                    return group.pages.devicesSignedOut(
                        isAfterForm: request.uri.query == DevicesController.lostName,
                        to: group.pageVisitor(request, context))
                }
                return try await handler(request, context, found)
            }
        }
    }
}

extension RouteGuard where Group == DevicesController, Admitted == (found: SignedIn, form: BrowserForm) {
    /// A form from whoever is signed in, whether it is ours or not; anybody else is shown how to be.
    static var sessionForm: Self {
        Self(.session) { group, handler in
            { request, context in
                let form = try await BrowserForm.read(
                    request, as: .devices, isOfSession: true, formTokens: group.formTokens, random: group.random)
                guard let found = try await group.browsers.signedIn(by: request) else {
                    return group.onward("\(DevicesController.path)?\(DevicesController.lostName)", request)
                }
                return try await handler(request, context, (found, form))
            }
        }
    }
}

extension RouteGuard where Group == AccountController, Admitted == SignedIn {
    /// Whoever is signed in; anybody else is led to the sign-in.
    static var session: Self {
        Self(.session) { group, handler in
            { request, context in
                guard let found = try await group.browsers.signedIn(by: request) else {
                    return group.onward(SignInController.path(backTo: request.uri.path), request)
                }
                return try await handler(request, context, found)
            }
        }
    }
}

extension RouteGuard where Group: BrowserGroup, Admitted == SignedIn {
    /// Whoever is signed in by the session's cookie; anybody else is led to the sign-in, and from there to the page.
    /// - Parameter path: the page's.
    static func secretSession(at path: String) -> Self {
        Self(.session) { group, handler in
            { request, context in
                guard let found = try await group.browsers.secretSession(of: request) else {
                    return group.onward(SignInController.path(backTo: path), request)
                }
                return try await handler(request, context, found)
            }
        }
    }
}

extension RouteGuard where Group: BrowserGroup, Admitted == (found: SignedIn, form: BrowserForm) {
    /// A visitor who is signed in by the session's cookie, with the page's form, whether it is ours or not.
    static func secretSessionForm(_ purpose: FormTokens.Purpose, at path: String) -> Self {
        Self(.session) { group, handler in
            { request, context in
                let form = try await BrowserForm.read(
                    request, as: purpose, isOfSession: true, formTokens: group.formTokens, random: group.random)
                guard let found = try await group.browsers.secretSession(of: request) else {
                    return group.onward(SignInController.path(afterLostForm: path), request)
                }
                return try await handler(request, context, (found, form))
            }
        }
    }
}

extension RouteGuard where Group == SecondFactorController, Admitted == SecondFactorController.Visit {
    /// Whoever is signed in by the session's cookie; anybody else is led to the sign-in.
    static var session: Self {
        Self(.session) { group, handler in
            { request, context in
                let query = try request.query()
                let journey = SecondFactorController.Journey(
                    isForConsole: query["for"] == "console", origin: group.origins.own(of: request))
                guard let found = try await group.browsers.secretSession(of: request) else { return journey.signIn }
                return try await handler(
                    request, context,
                    SecondFactorController.Visit(
                        found: found, secret: request.sessionSecret,
                        browser: FormCookie.binding(of: request, random: group.random), journey: journey,
                        visitor: group.pageVisitor(request, context)))
            }
        }
    }
}

extension RouteGuard
where Group == SecondFactorController, Admitted == (visit: SecondFactorController.Visit, form: BrowserForm) {
    /// A visitor who is signed in by the session's cookie, with the page's form.
    static var sessionForm: Self {
        Self(.session) { group, handler in
            { request, context in
                let form = try await BrowserForm.read(
                    request, as: .secondFactor, isOfSession: true, formTokens: group.formTokens, random: group.random)
                let journey = SecondFactorController.Journey(
                    isForConsole: form.parameters["for"] == "console", origin: group.origins.own(of: request))
                guard let found = try await group.browsers.secretSession(of: request) else {
                    return journey.signInAfterLostForm
                }
                let visit = SecondFactorController.Visit(
                    found: found, secret: request.sessionSecret, browser: form.browser, journey: journey,
                    visitor: group.pageVisitor(request, context))
                return try await handler(request, context, (visit, form))
            }
        }
    }
}
