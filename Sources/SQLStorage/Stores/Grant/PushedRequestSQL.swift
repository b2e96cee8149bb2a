/// The statements about pushed authorization requests.
enum PushedRequestSQL {
    static let insert: SQLStatement = """
        INSERT INTO pushed_request (digest, client_id, parameters, expires_at) VALUES ($1, $2, $3, $4)
        """

    static let select: SQLStatement = """
        SELECT digest, client_id, parameters, expires_at, used_at FROM pushed_request WHERE digest = $1
        """

    static let consume: SQLStatement = """
        UPDATE pushed_request SET used_at = $2 WHERE digest = $1 AND used_at IS NULL
        """

    static let purge: SQLStatement = """
        DELETE FROM pushed_request WHERE digest IN
            (SELECT digest FROM pushed_request WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
        RETURNING digest
        """
}
