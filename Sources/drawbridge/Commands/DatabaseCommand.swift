/// A command that works on one database, which its failures name.
protocol DatabaseCommand {
    /// `nil` where nothing says which.
    var databaseName: String? { get }
}

/// One whose options say which.
protocol StorageCommand: DatabaseCommand {
    var options: StorageOptions { get }
}

extension StorageCommand {
    var databaseName: String? { options.databaseName }
}

extension AuditCommand.Tail: StorageCommand {}
extension AuditCommand.Search: StorageCommand {}
extension AuditCommand.Export: StorageCommand {}
extension AuditCommand.Verify: StorageCommand {}
extension AuditCommand.Accept: StorageCommand {}
extension BackupCommand: StorageCommand {}
extension ClientsCommand.List: StorageCommand {}
extension ClientsCommand.Show: StorageCommand {}
extension ClientsCommand.Add: StorageCommand {}
extension ClientsCommand.Remove: StorageCommand {}
extension KeysCommand.List: StorageCommand {}
extension KeysCommand.Rotate: StorageCommand {}
extension KeysCommand.Retire: StorageCommand {}
extension MigrateCommand: StorageCommand {}
extension RestoreCommand: StorageCommand {}
extension UsersCommand.List: StorageCommand {}
extension UsersCommand.Add: StorageCommand {}
extension UsersCommand.Password: StorageCommand {}
extension UsersCommand.Claims: StorageCommand {}
extension UsersCommand.Role: StorageCommand {}
extension UsersCommand.Disable: StorageCommand {}
extension UsersCommand.Enable: StorageCommand {}

extension ServeCommand: DatabaseCommand {
    var databaseName: String? {
        (try? DrawbridgeSettings.load(options.inputs(flags: overrides))).map { StorageLocation($0).databaseName }
    }
}
