import Bridge
import OAuth2

/// Secrets belong in the body (contract §16.8): addresses stay in logs and histories.
enum SecretInAddress {
    /// What is refused there: everything by which somebody could sign in or out.
    private static let names: Set<String> = [
        "access_token", "actor_token", "anti_csrf_token", "assertion", "client_assertion", "client_secret", "code",
        "code_verifier", "device_code", "device_secret", "id_token", "login_token", "refresh_token", "subject_token",
        "token",
    ]

    /// - Parameter exception: one that its endpoint takes in the address as well.
    /// - Throws: `invalid_request`, with `secret_in_query` as detail, for a secret in the address.
    static func check(_ query: FormParameters, except exception: String? = nil) throws(OAuthError) {
        guard let name = query.names.filter({ names.contains($0) && $0 != exception }).min() else { return }
        throw OAuthError(
            .invalidRequest, "\(name) is a secret: send it in the body, not in the address", detail: .secretInQuery)
    }
}

extension TokenEndpoint {
    /// Refuses a secret in the address, and writes that down.
    /// - Throws: as ``SecretInAddress/check(_:except:)``; ``StorageError``.
    func refuseSecrets(
        in query: FormParameters, except exception: String? = nil, origin: RequestOrigin
    ) async throws {
        do throws(OAuthError) {
            try SecretInAddress.check(query, except: exception)
        } catch {
            try await record(error, origin: origin)
            throw error
        }
    }
}
