/// The statements about consent.
enum ConsentSQL {
    static let select: SQLStatement = "SELECT scope FROM consent WHERE subject = $1 AND client_id = $2"

    static let save: SQLStatement = """
        INSERT INTO consent (subject, client_id, scope, granted_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (subject, client_id) DO UPDATE SET scope = excluded.scope, granted_at = excluded.granted_at
        """
}
