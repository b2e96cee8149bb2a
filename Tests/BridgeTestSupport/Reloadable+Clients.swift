package import Bridge

/// What becomes of the clients of a running server: an operator's new settings file, or an administrator's act. The
/// website that is opened by default stays the same.
extension Reloadable<ClientDirectory> {
    /// Registers clients, each in the place of one that has the same id.
    package func add(_ added: [Client]) {
        let directory = current
        replace(with: ClientDirectory(directory.all + added, defaultTarget: directory.defaultTarget))
    }

    /// Registers clients, each in the place of one that has the same id.
    package func add(_ added: Client...) { add(added) }

    /// Changes the registrations of clients, all of which there are.
    package func change(_ ids: ClientID..., by change: (inout Client) throws -> Void) rethrows {
        for id in ids {
            guard var client = current[id] else { preconditionFailure("there is no client \(id.rawValue)") }
            try change(&client)
            add(client)
        }
    }

    /// Takes clients away.
    package func remove(_ ids: ClientID...) {
        let directory = current
        replace(
            with: ClientDirectory(
                directory.all.filter { !ids.contains($0.id) }, defaultTarget: directory.defaultTarget))
    }
}
