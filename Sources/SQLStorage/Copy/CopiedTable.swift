/// A table whose rows are copied from one database to another.
struct CopiedTable: Sendable {
    let name: String
    let columns: [String]
    /// How many of the first columns are the primary key.
    let keyLength: Int

    /// Every table but `schema_migration`, `transaction_number`, `node_lease` and `restore_point`, which say what a
    /// database is and not what it holds, and those that are derived from the audit log. The column
    /// `web_session.ended_in` is not copied either: it counts in the numbers of its own database.
    static let all = [
        CopiedTable(
            "app_user", 1,
            """
            subject issuer first_seen_at disabled_at login_tokens_void_until told_groups app_ended_at \
            everything_ended_at
            """),
        CopiedTable(
            "account", 1,
            """
            subject username username_key display_name email password_hash role second_factor second_factor_step \
            created_at password_changed_at claims claims_changed_at
            """),
        CopiedTable("recovery_code", 2, "subject digest used_at"),
        CopiedTable("upstream_identity", 2, "issuer external_subject subject linked_at"),
        CopiedTable(
            "linked_key", 1,
            "thumbprint subject algorithm origin created_at last_used_at revoked_at told_name told_email"),
        CopiedTable(
            "passkey", 1,
            """
            mark subject relying_party credential_id algorithm public_key user_handle name sign_count created_at \
            last_used_at
            """),
        CopiedTable("passkey_challenge", 1, "digest expires_at"),
        CopiedTable("self_issued_transaction", 1, "digest content expires_at"),
        CopiedTable("consent", 2, "subject client_id scope granted_at"),
        CopiedTable("pushed_request", 1, "digest client_id parameters expires_at used_at"),
        CopiedTable("cross_device", 1, "record_key version content expires_at"),
        CopiedTable(
            "device_authorization", 1,
            """
            digest user_code client_id scope network created_at expires_at decision poll_interval next_poll_at \
            polled_too_soon
            """),
        CopiedTable("client", 1, "client_id document updated_at admin_epoch"),
        CopiedTable(
            "login_token_use", 1,
            """
            token_id subject client_id issued_at expires_at state misses used_at session_id address agent_digest scope \
            issued_after_end issuing_session_id
            """
        ),
        CopiedTable("idempotency_key", 1, "key_digest fingerprint token_id signing_key_id payload expires_at"),
        CopiedTable(
            "web_session", 1,
            """
            id secret_digest subject client_id app_client_id parent_id login_token_id opening auth_time acr amr \
            created_at expires_at idle_lifetime last_seen_at ended_at login_token_issued_at \
            ancestry scope wants_logout_notice handed_from apps_above
            """),
        CopiedTable("upstream_session", 1, "session_id issuer external_subject external_session expires_at"),
        CopiedTable(
            "audit_event", 2,
            """
            node sequence at type outcome reason subject client_id target_client_id session_id token_id address \
            user_agent request_id detail previous_hash hash
            """),
        CopiedTable("audit_checkpoint", 2, "node size at hash note"),
        CopiedTable("audit_cut", 2, "node through note"),
        CopiedTable("audit_forward", 2, "target node sequence updated_at checkpoint_size cut_through"),
        CopiedTable("heartbeat", 1, "node at"),
        CopiedTable(
            "authorization_code", 1,
            """
            digest client_id redirect_uri code_challenge nonce scope subject auth_time acr amr browser_session_id \
            requested_claims proof_key issued_at expires_at misses redeemed_at session_id granted_in
            """),
        CopiedTable(
            "app_session", 1,
            """
            id subject client_id scope opening auth_time acr amr browser_session_id device_secret_id parent_id \
            requested_claims wants_logout_notice created_at expires_at ended_at ancestry granted_in apps_above
            """),
        CopiedTable(
            "refresh_token", 1,
            "digest session_id scope proof_key issued_at expires_at rotated_at successor_digest"),
        CopiedTable(
            "signing_key", 1,
            """
            id algorithm sealed_key public_key created_at signs_from retires_at signs_when_known withdrawn_at added_in
            """),
        CopiedTable("signing_key_change", 1, "id number"),
        CopiedTable("signing_key_holder", 1, "node number seen_at"),
        CopiedTable("revoked_token", 1, "token_id expires_at"),
        CopiedTable("client_assertion_use", 1, "digest expires_at"),
        CopiedTable("logout_notice", 1, "id client_id subject session_id created_at attempts next_attempt_at"),
        CopiedTable("logout_subscriber", 1, "client_id"),
        CopiedTable("webhook_subscriber", 1, "client_id"),
        CopiedTable(
            "webhook_notice", 1,
            "id client_id kind subject object_id reason ended_at attempts next_attempt_at"),
        CopiedTable("demo_material", 1, "name content"),
        CopiedTable(
            "admin_session", 1,
            """
            secret_digest actor created_at expires_at last_seen_at token_id client_id session_id signed_in_at \
            admin_epoch
            """),
        CopiedTable("audit_tally", 5, "at node type outcome reason events"),
        CopiedTable("audit_tally_progress", 1, "node sequence"),
        CopiedTable("state_sample", 2, "name at value"),
        CopiedTable(
            "device_secret", 1,
            """
            id subject client_id session_id name platform created_at last_used_at use_count expires_at key_thumbprint \
            revoked_at revoke_reason
            """),
        CopiedTable(
            "device_secret_digest", 1, "digest device_secret_id issued_at replaced_at overlap_used_at session_id"),
        CopiedTable("web_session_refresh", 1, "digest session_id parent_digest issued_at expires_at used_at is_void"),
        CopiedTable("setting", 1, "name value updated_at"),
    ]

    private init(_ name: String, _ keyLength: Int, _ columns: String) {
        self.name = name
        self.keyLength = keyLength
        self.columns = columns.split(separator: " ").map(String.init)
    }

    var insert: SQLStatement {
        let parameters = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        return SQLStatement("INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(parameters))")
    }

    var count: SQLStatement { SQLStatement("SELECT count(*) FROM \(name)", isRecurring: false) }

    /// The first rows in order of the key; `$1` says how many.
    var firstRows: SQLStatement {
        SQLStatement("SELECT \(columns.joined(separator: ", ")) FROM \(name) ORDER BY \(key) LIMIT $1")
    }

    /// The rows after a key, which is `$1…`; the last parameter says how many.
    var nextRows: SQLStatement {
        let place = (1...keyLength).map { "$\($0)" }.joined(separator: ", ")
        return SQLStatement(
            """
            SELECT \(columns.joined(separator: ", ")) FROM \(name)
            WHERE (\(key)) > (\(place)) ORDER BY \(key) LIMIT $\(keyLength + 1)
            """)
    }

    private var key: String { columns.prefix(keyLength).joined(separator: ", ") }
}
