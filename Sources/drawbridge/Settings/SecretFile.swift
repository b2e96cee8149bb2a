import Bridge
import Foundation
import OAuth2

/// A file with one secret that a setting names: which of its bytes are the secret, at a start as at a reload
/// (docs/operations.md#files-with-secrets).
///
/// Clients' webhooks have files with several secrets; files of the secrets directory hold settings, not secrets alone.
struct SecretFile: Sendable {
    let path: String

    /// A secret that is shown as text. Line ends around it are no part of it: clients' secrets and header fields have
    /// none (RFC 6749 appendix A.2, RFC 9110 §5.5), while editors and templates leave empty lines.
    /// - Throws: ``SecretFileError``.
    func text() throws -> Secret<String> {
        guard let whole = String(validating: try content(), as: UTF8.self) else { throw SecretFileError.notText }
        let secret = whole.trimmingCharacters(in: .newlines)
        guard !secret.isEmpty else { throw SecretFileError.empty }
        return Secret(secret)
    }

    /// A key, which may be any bytes, line ends at either end included: only one is left out, LF or CRLF, which
    /// editors, `echo` and `openssl rand` put behind it.
    /// - Parameter shortest: how many bytes it needs; none where its algorithm says so later.
    /// - Throws: ``SecretFileError``.
    func key(atLeast shortest: Int = 0) throws -> Secret<[UInt8]> {
        let key = Self.withoutLineEnd(try content())
        guard key.count >= shortest else { throw SecretFileError.short(least: shortest) }
        return Secret(key)
    }

    /// The value of an `Authorization` header.
    /// - Throws: ``SecretFileError``.
    func authorization() throws -> Secret<String> {
        let value = try text()
        guard value.expose().utf8.allSatisfy(ASCII.isPrintable) else { throw SecretFileError.notOneLine }
        return value
    }

    private func content() throws -> [UInt8] {
        do {
            return try PrivateFile.read(path)
        } catch {
            throw SecretFileError.unreadable(error)
        }
    }

    private static func withoutLineEnd(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.last == UInt8(ascii: "\n") else { return bytes }
        let line = bytes.dropLast()
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}

/// Why a file has no secret that could be used, behind the name of the setting: what is wrong or what it must hold, and
/// never what is in it.
enum SecretFileError: Error, Hashable, CustomStringConvertible {
    case unreadable(PrivateFileError)
    case empty
    case notText
    case notOneLine
    case short(least: Int)

    var description: String {
        switch self {
        case .unreadable(.missing(let path)): "\(path) does not exist: write the secret there, mode 0600"
        case .unreadable(.system(let path, let code)): "\(path) cannot be read: \(SystemFailure.words(code))"
        case .unreadable(let error): error.description
        case .empty: "is empty: write the secret into it"
        case .notText: "must hold text in UTF-8"
        case .notOneLine: "must hold one line of ASCII, such as `Bearer …`"
        case .short(let least): "needs at least \(least) bytes"
        }
    }
}

extension SettingsReader {
    /// What is in the file that a setting names.
    /// - Parameters:
    ///   - path: the setting's value.
    ///   - read: which kind of secret it is.
    /// - Returns: `nil` when no file is named, and for one that cannot be used, which is noted.
    func secret<Value>(
        _ setting: Setting<String?>, at path: String?, _ read: (SecretFile) throws -> Value
    ) -> Value? {
        guard let path else { return nil }
        do {
            return try read(SecretFile(path: path))
        } catch {
            note(setting, value: path, "\(error)")
            return nil
        }
    }
}

extension SettingFields {
    /// What is in the file that a field names.
    /// - Parameters:
    ///   - path: the field's value, from the root on.
    ///   - read: which kind of secret it is.
    /// - Returns: `nil` when no file is named, and for one that cannot be used, which is noted.
    mutating func secret<Value>(
        _ name: String, at path: String?, _ read: (SecretFile) throws -> Value
    ) -> Value? {
        guard let path else { return nil }
        do {
            return try read(SecretFile(path: path))
        } catch {
            note(name, value: path, "\(error)")
            return nil
        }
    }
}
