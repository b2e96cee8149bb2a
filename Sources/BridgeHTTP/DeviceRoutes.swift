import Bridge
import HTTPTypes

/// The routes about devices and their web sessions (contract §5, §6).
struct DeviceRoutes {
    let device: DeviceServices
    let services: BridgeServices
    let origins: OriginReader

    func add(to endpoints: Endpoints) {
        let refresh = SessionRefreshController(
            refresh: device.refresh, clients: services.clients, signOut: services.browserSignOut, origins: origins,
            time: services.time)
        endpoints.only(for: .website).on(CookieTokens.refreshPath, [.post: refresh.renew])
        let pages = DevicesController(
            places: device.places, browsers: services.browserSessions, clients: services.clients,
            formTokens: services.formTokens, pages: services.pages, origins: origins,
            random: services.random, offersSecondFactor: services.signIn?.secondFactor != nil)
        let own = endpoints.only(for: [.provider, .console])
        own.on(DevicesController.path, [.get: pages.show])
        own.on(DevicesController.endPath, [.post: pages.end])
        let nativeSSO = NativeSSOSettingsController(gate: services.admin.gate, configuration: device.configuration)
        let console = endpoints.only(for: .console)
        console.on(
            "/api/admin/settings/native-sso",
            [.get: nativeSSO.show, .put: nativeSSO.change, .delete: nativeSSO.reset])
        let secrets = DeviceSecretController(gate: services.admin.gate, device: device)
        console.on("/api/admin/users/{id}/device-secrets", [.get: secrets.list])
        console.on("/api/admin/device-secrets/{id}", [.delete: secrets.revoke])
        guard let compatibility = device.compatibility, let provider = services.provider else { return }
        addCompatibility(to: endpoints.only(for: [.website, .provider]), compatibility, provider, refresh)
    }

    /// The paths of the VA's sign-in service.
    private func addCompatibility(
        to endpoints: Endpoints, _ compatibility: SignInCompatibility, _ provider: ProviderServices,
        _ refresh: SessionRefreshController
    ) {
        let base = SignInCompatibility.base
        let authorize = CompatibleAuthorizeController(
            compatibility: compatibility, browsers: services.browserSessions, clients: services.clients,
            publicOrigin: origins.configured.issuer, time: services.time)
        endpoints.on("\(base)/authorize", [.get: authorize.authorize])
        endpoints.on("\(base)/authorize_sso", [.get: authorize.authorizeFromWeb])
        let tokens = CompatibleTokenController(
            compatibility: compatibility, provider: provider, secrets: device.secrets, endings: services.endings,
            refresh: refresh, origins: origins,
            time: services.time)
        endpoints.on("\(base)/token", [.post: tokens.token])
        endpoints.on(SignInCompatibility.refreshPath, [.post: tokens.refresh])
        endpoints.on("\(base)/revoke", [.post: tokens.revoke])
        let sessions = CompatibleSessionController(
            provider: provider, gate: services.bearers, endings: services.endings, browsers: services.browserSessions,
            clients: services.clients, browserSignOut: services.browserSignOut, formTokens: services.formTokens,
            pages: services.pages, origins: origins, time: services.time, random: services.random)
        endpoints.on("\(base)/user_info", [.get: sessions.userInfo])
        endpoints.on("\(base)/logout", [.get: sessions.askToSignOut, .post: sessions.signOut])
        endpoints.on("\(base)/revoke_all_sessions", [.get: sessions.askToEndAll, .post: sessions.endAll])
    }
}
