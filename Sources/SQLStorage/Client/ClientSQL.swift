/// The statements about registered clients.
enum ClientSQL {
    static let all: SQLStatement = "SELECT client_id, document FROM client ORDER BY client_id"

    static let insert: SQLStatement = """
        INSERT INTO client (client_id, document, updated_at) VALUES ($1, $2, $3)
        ON CONFLICT (client_id) DO NOTHING RETURNING client_id
        """

    static let update: SQLStatement = """
        UPDATE client SET document = $2, updated_at = $3 WHERE client_id = $1 RETURNING client_id
        """

    static let delete: SQLStatement = "DELETE FROM client WHERE client_id = $1 RETURNING client_id"
}
