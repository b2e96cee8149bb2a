/// The statements about registered clients.
enum ClientSQL {
    static let all: SQLStatement = "SELECT client_id, document FROM client ORDER BY client_id"

    static let insert: SQLStatement = """
        INSERT INTO client (client_id, document, updated_at) VALUES ($1, $2, $3)
        ON CONFLICT (client_id) DO NOTHING RETURNING client_id
        """

    static let update: SQLStatement = """
        UPDATE client SET document = $2, updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END
        WHERE client_id = $1 RETURNING client_id
        """

    /// `$4` is the document that the caller has seen.
    static let updateUnchanged: SQLStatement = """
        UPDATE client SET document = $2, updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END
        WHERE client_id = $1 AND document = $4 RETURNING client_id
        """

    static let delete: SQLStatement = "DELETE FROM client WHERE client_id = $1 RETURNING client_id"
    static let deleteUnchanged: SQLStatement = """
        DELETE FROM client WHERE client_id = $1 AND document = $2 RETURNING client_id
        """

    static let version: SQLStatement = "SELECT count(*), max(updated_at) FROM client"
}
