import Synchronization

/// Asks sentinels who the master is.
final class RedisSentinels: Sendable {
    private let connector: RedisConnector
    private let master: String
    /// The one that answered last comes first.
    private let addresses: Mutex<[RedisAddress]>

    init(connector: RedisConnector, master: String) {
        self.connector = connector
        self.master = master
        addresses = Mutex(connector.settings.addresses)
    }

    /// Opens a connection to the master.
    ///
    /// Sentinels may lag, so the server itself is asked for its role.
    func connectToMaster(
        receiveMessage: (@Sendable ([RedisReply]) -> Void)? = nil
    ) async throws -> RedisConnection {
        var lastError: any Error = RedisConnectionError.notConnected
        for sentinel in addresses.withLock({ $0 }) {
            do {
                let address = try await masterAddress(from: sentinel)
                let connection = try await connector.connect(to: address, receiveMessage: receiveMessage)
                guard try await isMaster(connection) else {
                    connection.close()
                    throw RedisConnectionError.wrongRole
                }
                addresses.withLock { addresses in
                    addresses.removeAll { $0 == sentinel }
                    addresses.insert(sentinel, at: 0)
                }
                return connection
            } catch {
                lastError = error
            }
        }
        throw lastError
    }

    private func masterAddress(from sentinel: RedisAddress) async throws -> RedisAddress {
        let connection = try await connector.connectToSentinel(at: sentinel)
        defer { connection.close() }
        let reply = try await connection.send([RedisCommand("SENTINEL", "get-master-addr-by-name", master)])[0]
        if let error = reply.serverError { throw RedisConnectionError.refused(error) }
        guard let elements = reply.elements, elements.count == 2, let host = elements[0].text,
            let port = elements[1].text.flatMap({ Int($0) }), (1...65_535).contains(port)
        else { throw RedisConnectionError.unexpectedReply }
        return RedisAddress(host: host, port: port)
    }

    private func isMaster(_ connection: RedisConnection) async throws -> Bool {
        do {
            let reply = try await connection.send([RedisCommand("ROLE")])[0]
            if let error = reply.serverError { throw RedisConnectionError.refused(error) }
            return reply.elements?.first?.text == "master"
        } catch {
            connection.close()
            throw error
        }
    }
}
