import Bridge
import OAuth2

/// The metadata document; both well-known addresses give the same.
enum ProviderMetadata {
    static func document(
        issuer: String, endpoints: [(member: String, path: String)], grantTypes: [GrantType],
        offersNativeSSO: Bool, languages: [String]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "issuer": .string(issuer),
            "require_pushed_authorization_requests": .bool(false),
            "response_types_supported": texts(["code"]),
            "response_modes_supported": texts(ResponseMode.allCases.map(\.rawValue)),
            "grant_types_supported": texts(grantTypes.map(\.rawValue)),
            "subject_types_supported": texts(["public"]),
            "id_token_signing_alg_values_supported": texts(SigningAlgorithm.allCases.map(\.rawValue)),
            "userinfo_signing_alg_values_supported": texts(SigningAlgorithm.allCases.map(\.rawValue)),
            "scopes_supported": texts(
                [Scope.openID, "profile", "email", "address", "phone", UserGroups.claim, Scope.offlineAccess]
                    + (offersNativeSSO ? [Scope.deviceSSO] : [])),
            "acr_values_supported": texts(AuthenticationLevel.allCases.map(\.rawValue)),
            "dpop_signing_alg_values_supported": texts(DPoPProof.algorithms),
            "code_challenge_methods_supported": texts(["S256"]),
            "authorization_response_iss_parameter_supported": .bool(true),
            "claim_types_supported": texts(["normal"]),
            "claims_supported": texts(
                ["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash"]
                    + (offersNativeSSO ? ["ds_hash"] : []) + ScopeClaims.all),
            "claims_parameter_supported": .bool(true),
            "request_parameter_supported": .bool(false),
            "request_uri_parameter_supported": .bool(false),
            "prompt_values_supported": texts(Prompt.allCases.map(\.rawValue)),
            "ui_locales_supported": texts(languages),
            "backchannel_logout_supported": .bool(true),
            "backchannel_logout_session_supported": .bool(true),
            "native_sso_supported": .bool(offersNativeSSO),
            "native_sso_token_exchange_supported": .bool(offersNativeSSO),
            "native_sso_device_secret_supported": .bool(offersNativeSSO),
        ]
        members.merge(clientAuthentication) { member, _ in member }
        for route in endpoints { members[route.member] = .string(issuer + route.path) }
        return .object(members)
    }

    /// How clients prove at each endpoint who they are.
    private static var clientAuthentication: [String: JSONValue] {
        let methods = texts(ClientAuthenticationMethod.allCases.map(\.rawValue))
        let assertionAlgorithms = texts(VerificationKey.announcedAlgorithms.map(\.rawValue))
        return [
            "token_endpoint_auth_methods_supported": methods,
            "token_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "revocation_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "introspection_endpoint_auth_methods_supported": texts(
                ClientAuthenticationMethod.allCases.filter { $0 != .none }.map(\.rawValue)),
            "introspection_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
        ]
    }

    private static func texts(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
}
