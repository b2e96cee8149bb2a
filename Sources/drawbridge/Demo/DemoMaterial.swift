import Bridge
import Foundation
import OAuth2
import SQLStorage

/// A throwaway secret of the demo: a file of its folder, named as it is here.
///
/// A new case needs nothing but how it is made: it then survives a restart on the same folder, and every process on
/// one database has the same (contract §15).
enum DemoMaterial: CaseIterable {
    case auditSigningKey, issuerSecret, passwordSeed, masterKey

    var fileName: String {
        switch self {
        case .auditSigningKey: FileName.auditSigningKey
        case .issuerSecret: "trusted-issuer-secret"
        case .passwordSeed: "password-seed"
        case .masterKey: FileName.masterKey
        }
    }

    private func make(random: RandomSource) throws -> String {
        switch self {
        case .auditSigningKey: try AuditSigningKey.generate(name: "localhost/drawbridge", random: random).text.expose()
        case .issuerSecret, .passwordSeed, .masterKey: Base64URL.encode(random.bytes(32))
        }
    }

    /// - Returns: `nil` when the folder has none yet.
    private func content(in folder: DemoFolder) throws -> String? {
        try PrivateFile.readIfThere(folder.path(of: self)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// In a service's database a demo would leave an administrator whose password it prints.
    ///
    /// A demo's secrets are there before its database is, or anything is in it: where they are not, it is not a demo's.
    private static func requireRoom(in folder: DemoFolder, _ database: PostgresAddress?) async throws {
        // A service on PostgreSQL has its master key there, and a demo writes its own last.
        let isUsed =
            access("\(folder.path)/\(FileName.database)", F_OK) == 0 || access(folder.path(of: .masterKey), F_OK) == 0
        if isUsed, access(folder.path(of: .passwordSeed), F_OK) != 0 { throw DemoRefusal.folder(folder.path) }
        let seed = Self.passwordSeed.fileName
        guard let database, try await PostgresDemoMaterial.isOthers(database, lacking: seed) else { return }
        throw DemoRefusal.database(database.description)
    }

    /// Sees to it that every file is in the folder.
    /// - Parameter database: decides where it is named: what the first process put there is kept.
    /// - Throws: ``DemoRefusal`` where there is something that is not a demo's; nothing is changed then.
    static func prepare(
        in folder: DemoFolder, sharedBy database: PostgresAddress?, at now: Timestamp = TimeSource.system.now(),
        random: RandomSource = .system
    ) async throws {
        try await requireRoom(in: folder, database)
        var present: [String: String] = [:]
        var settled: [String: String] = [:]
        for part in allCases {
            present[part.fileName] = try part.content(in: folder)
            settled[part.fileName] = try present[part.fileName] ?? part.make(random: random)
        }
        if let database { settled = try await PostgresDemoMaterial.settle(settled, in: database, at: now) }
        for part in allCases where settled[part.fileName] != present[part.fileName] {
            try PrivateFile.replace(folder.path(of: part), with: Array((settled[part.fileName] ?? "").utf8))
        }
    }
}

/// Why a demo did not begin where it was told to.
enum DemoRefusal: Error, Hashable, CustomStringConvertible {
    case folder(String)
    case database(String)

    var description: String {
        switch self {
        case .folder(let path): "what is in \(path) is not a demo's; name another folder with --data"
        case .database(let address): "the database \(address) is not a demo's; name another with --database"
        }
    }
}
