extension Migration {
    /// Room beside each login token for what its redemption adds to its row: on a full page of PostgreSQL the row would
    /// move to another one, with an entry of its own in each index. SQLite changes rows where they are.
    static let redemptionRoom = Migration(version: 49, name: "room for a redemption beside its token") { dialect in
        dialect.isRemote ? ["ALTER TABLE login_token_use SET (fillfactor = 50)"] : []
    }
}
