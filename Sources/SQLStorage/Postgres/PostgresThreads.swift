import Dispatch
import Foundation

/// Threads that each own a connection and do jobs on it.
final class PostgresThreads: Sendable {
    typealias Job = @Sendable (PostgresSession) -> Void

    private let jobs: JobQueue<Job>
    private let running = DispatchGroup()

    /// How long a close waits for jobs that have begun.
    private static let patience = DispatchTimeInterval.seconds(10)

    /// - Parameters:
    ///   - limit: jobs that may wait.
    ///   - makeSession: called on each thread.
    init(_ name: String, count: Int, limit: Int, makeSession: @escaping @Sendable () -> PostgresSession) {
        jobs = JobQueue(limit: limit)
        for _ in 0..<count {
            running.enter()
            let thread = Thread { [jobs, running] in
                let session = makeSession()
                while let job = jobs.next() { job(session) }
                session.disconnect()
                running.leave()
            }
            thread.name = name
            thread.start()
        }
    }

    deinit { jobs.close() }

    /// - Returns: whether the job will be run.
    func add(_ job: @escaping Job) -> Bool { jobs.add(job) }

    /// Ends the threads and their connections once all jobs are done.
    func close() {
        jobs.close()
        _ = running.wait(timeout: .now() + Self.patience)
    }
}
