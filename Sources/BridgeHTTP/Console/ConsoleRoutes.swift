import Bridge
import HTTPTypes

/// The console's pages (contract §8).
struct ConsoleRoutes {
    let frame: ConsoleFrame

    func add(to endpoints: Endpoints) {
        let signIn = ConsoleSignIn(frame: frame)
        endpoints.on("/admin/sign-in", [.get: signIn.show, .post: signIn.submit])
        endpoints.on("/admin/sign-out", [.post: frame.form(signIn.signOut)])
        endpoints.on("/admin/", [.get: frame.page(ConsoleOverview(frame: frame).show)])
        let events = ConsoleEvents(frame: frame)
        endpoints.on("/admin/events", [.get: frame.page(events.search)])
        endpoints.on("/admin/events/{id}", [.get: frame.page(events.show)])
        endpoints.on("/admin/live", [.get: frame.page(events.live)])
        let users = ConsoleUsers(frame: frame)
        endpoints.on("/admin/users", [.get: frame.page(users.list)])
        endpoints.on("/admin/users/{id}", [.get: frame.page(users.show)])
        endpoints.on("/admin/users/{id}/end-sessions", [.post: frame.form(users.endSessions)])
        endpoints.on("/admin/users/{id}/standing", [.post: frame.form(users.setDisabled)])
        endpoints.on("/admin/sessions/{id}/end", [.post: frame.form(users.endSession)])
        let clients = ConsoleClients(frame: frame)
        endpoints.on("/admin/clients", [.get: frame.page(clients.list), .post: frame.form(clients.create)])
        endpoints.on("/admin/register-client", [.get: frame.page(clients.showEmpty)])
        endpoints.on("/admin/clients/{id}", [.get: frame.page(clients.show), .post: frame.form(clients.save)])
        endpoints.on("/admin/clients/{id}/delete", [.post: frame.form(clients.delete)])
        let tools = ConsoleTools(frame: frame)
        endpoints.on("/admin/explain", [.get: frame.page(tools.explain), .post: frame.form(tools.answer)])
        endpoints.on("/admin/keys", [.get: frame.page(tools.keys)])
        endpoints.on("/admin/keys/rotate", [.post: frame.form(tools.rotate)])
        endpoints.on("/admin/keys/{kid}/retire", [.post: frame.form(tools.retire)])
        endpoints.on("/admin/settings", [.get: frame.page(tools.settings)])
        endpoints.on("/admin/nodes", [.get: frame.page(tools.nodes)])
        guard let device = frame.device else { return }
        let devices = ConsoleDevices(frame: frame, device: device)
        endpoints.on("/admin/device-secrets/{id}/revoke", [.post: frame.form(devices.revoke)])
        let nativeSSO = ConsoleNativeSSO(frame: frame, device: device)
        endpoints.on(
            ConsoleNativeSSO.path, [.get: frame.page(nativeSSO.show), .post: frame.form(nativeSSO.save)])
        endpoints.on("\(ConsoleNativeSSO.path)/reset", [.post: frame.form(nativeSSO.reset)])
    }

    /// Their routes, whose errors are pages.
    static let paths: Set<String> = [
        "/admin", "/admin/", "/admin/sign-in", "/admin/sign-out", "/admin/events", "/admin/events/{id}",
        "/admin/live", "/admin/users", "/admin/users/{id}", "/admin/users/{id}/end-sessions",
        "/admin/users/{id}/standing", "/admin/sessions/{id}/end", "/admin/clients", "/admin/register-client",
        "/admin/clients/{id}", "/admin/clients/{id}/delete", "/admin/explain", "/admin/keys", "/admin/keys/rotate",
        "/admin/keys/{kid}/retire",
        "/admin/settings", "/admin/nodes", "/admin/device-secrets/{id}/revoke", ConsoleNativeSSO.path,
        "\(ConsoleNativeSSO.path)/reset",
    ]
}
