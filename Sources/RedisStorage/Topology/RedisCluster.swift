import Bridge
import Logging
import NIOCore
import Synchronization

/// The masters of a cluster, a line to each that was needed.
final class RedisCluster: Sendable {
    /// A resharding in progress takes two; more is a cluster that does not know what it wants.
    private static let redirectLimit = 3
    /// The pause between two times that the slots are asked for.
    private static let refreshPause = Duration.milliseconds(100)

    private struct State {
        var slots = SlotMap()
        var lines: [RedisAddress: RedisLine] = [:]
        /// The last time that the slots were asked for, until the pause after it is over.
        var refresh: Task<Void, any Error>?
        var isClosed = false
    }

    private let connector: RedisConnector
    private let logger: Logger
    private let state = Mutex(State())

    init(connector: RedisConnector, logger: Logger) {
        self.connector = connector
        self.logger = logger
    }

    /// Sends each command to the node of its key; commands of one node go in one write.
    func send(_ commands: [RedisCommand]) async throws -> [RedisReply] {
        var groups: [RedisAddress: [Int]] = [:]
        for (index, command) in commands.enumerated() {
            groups[try await address(for: command), default: []].append(index)
        }
        if groups.count == 1, let address = groups.keys.first { return try await send(commands, to: address) }
        return try await withThrowingTaskGroup(of: ([Int], [RedisReply]).self) { tasks in
            for (address, indices) in groups {
                tasks.addTask { (indices, try await self.send(indices.map { commands[$0] }, to: address)) }
            }
            var replies = [RedisReply](repeating: .null, count: commands.count)
            for try await (indices, found) in tasks {
                for (index, reply) in zip(indices, found) { replies[index] = reply }
            }
            return replies
        }
    }

    /// Learns the slots, unless that was tried a moment ago; then it ends as that did.
    func refresh() async throws { try await currentRefresh().task.value }

    /// At most one at a time, with a pause after it: a failed master makes every caller ask for it.
    /// - Parameter suspect: a node that is better not believed.
    private func currentRefresh(
        suspecting suspect: RedisAddress? = nil
    ) -> (task: Task<Void, any Error>, isNew: Bool) {
        let current = state.withLock { state -> (task: Task<Void, any Error>, isNew: Bool) in
            if let task = state.refresh { return (task, false) }
            let task = Task { try await self.learnSlots(suspecting: suspect) }
            state.refresh = task
            return (task, true)
        }
        if current.isNew {
            Task {
                _ = await current.task.result
                try? await Task.sleep(for: Self.refreshPause)
                state.withLock { $0.refresh = nil }
            }
        }
        return current
    }

    /// Learns the slots, from the first node that answers.
    ///
    /// A node that has lost the others tells what it knew before. So it is asked last, and the others in any order,
    /// since another may have lost them too.
    private func learnSlots(suspecting suspect: RedisAddress?) async throws {
        let known = state.withLock { $0.slots.addresses }.shuffled() + connector.settings.addresses
        let candidates = known.filter { $0 != suspect } + known.filter { $0 == suspect }
        var lastError: any Error = RedisConnectionError.notConnected
        for address in candidates {
            do {
                let reply = try await line(to: address).send([RedisCommand("CLUSTER", "SLOTS")])[0]
                if let error = reply.serverError { throw RedisConnectionError.refused(error) }
                guard let slots = SlotMap(reply, from: address) else { throw RedisConnectionError.unexpectedReply }
                await adopt(slots)
                return
            } catch {
                // Only ``close()`` cancels this task; the task that waits for it was not cancelled.
                lastError = error is CancellationError ? RedisConnectionError.closed : error
            }
        }
        throw lastError
    }

    /// The address of any node that is a master, for what needs no key.
    func anyAddress() async throws -> RedisAddress {
        if state.withLock({ $0.slots.addresses.isEmpty }) { try await refresh() }
        guard let address = state.withLock({ $0.slots.addresses.randomElement() }) else {
            throw RedisConnectionError.notConnected
        }
        return address
    }

    func close() async {
        let (lines, refresh) = state.withLock { state in
            state.isClosed = true
            defer { (state.lines, state.refresh) = ([:], nil) }
            return (Array(state.lines.values), state.refresh)
        }
        refresh?.cancel()
        for line in lines { await line.close() }
    }

    private func address(for command: RedisCommand) async throws -> RedisAddress {
        guard let key = command.key else { return try await anyAddress() }
        let slot = HashSlot.of(key)
        if let address = state.withLock({ $0.slots[slot] }) { return address }
        try await refresh()
        guard let address = state.withLock({ $0.slots[slot] }) else { throw RedisConnectionError.notConnected }
        return address
    }

    private func send(_ commands: [RedisCommand], to address: RedisAddress) async throws -> [RedisReply] {
        var replies = try await exchange(commands, with: address)
        for (index, reply) in replies.enumerated() {
            guard let error = reply.serverError, let redirect = RedisRedirect(error, from: address) else { continue }
            replies[index] = try await follow(redirect, with: commands[index])
        }
        return replies
    }

    /// Sends to one node. Where it is away, or has lost the others, its slots may have another master by now.
    private func exchange(_ commands: [RedisCommand], with address: RedisAddress) async throws -> [RedisReply] {
        do {
            let replies = try await line(to: address).send(commands)
            if replies.contains(where: { $0.serverError?.isClusterDown ?? false }) {
                refreshInBackground(suspecting: address)
            }
            return replies
        } catch {
            refreshInBackground(suspecting: address)
            throw error
        }
    }

    private func follow(_ first: RedisRedirect, with command: RedisCommand) async throws -> RedisReply {
        var redirect = first
        for _ in 0..<Self.redirectLimit {
            let reply: RedisReply?
            if redirect.isForGood {
                state.withLock { $0.slots[redirect.slot] = redirect.address }
                refreshInBackground()
                reply = try await exchange([command], with: redirect.address).last
            } else {
                reply = try await exchange([RedisCommand("ASKING"), command], with: redirect.address).last
            }
            guard let reply else { throw RedisConnectionError.unexpectedReply }
            guard let next = reply.serverError.flatMap({ RedisRedirect($0, from: redirect.address) }) else {
                return reply
            }
            redirect = next
        }
        throw RedisConnectionError.tooManyRedirects
    }

    private func line(to address: RedisAddress) async throws -> RedisLine {
        let line = state.withLock { state -> RedisLine? in
            if state.isClosed { return nil }
            if let line = state.lines[address] { return line }
            let line = RedisLine(
                name: "\(address)", limits: connector.settings.limits, eventLoop: connector.group.any(), logger: logger
            ) { [connector] in try await connector.connect(to: address) }
            state.lines[address] = line
            return line
        }
        guard let line else { throw RedisConnectionError.closed }
        await line.waitForFirstAttempt()
        return line
    }

    private func adopt(_ slots: SlotMap) async {
        let kept = Set(slots.addresses + connector.settings.addresses)
        let gone = state.withLock { state in
            state.slots = slots
            let gone = state.lines.filter { !kept.contains($0.key) }
            for address in gone.keys { state.lines[address] = nil }
            return gone
        }
        for line in gone.values { await line.close() }
    }

    private func refreshInBackground(suspecting suspect: RedisAddress? = nil) {
        guard !state.withLock({ $0.isClosed }) else { return }
        let refresh = currentRefresh(suspecting: suspect)
        guard refresh.isNew else { return }
        Task {
            do { try await refresh.task.value } catch {
                logger.warning("no news of the cluster's slots", metadata: ["error": "\(StorageError.redis(error))"])
            }
        }
    }
}
