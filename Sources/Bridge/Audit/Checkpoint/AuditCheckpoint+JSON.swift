package import OAuth2

extension AuditCheckpoint {
    /// A line of an export, told from an event's by its one member.
    package var json: [UInt8] {
        var inner = JSONObjectWriter()
        inner.add("node", node)
        inner.add("size", size)
        inner.add("at", at.rfc3339)
        inner.add("hash", hash)
        inner.add("note", note)
        var writer = JSONObjectWriter()
        writer.add("checkpoint", json: String(decoding: inner.finish(), as: UTF8.self))
        return writer.finish()
    }

    /// Reads the object inside `checkpoint`.
    package init(json members: [String: JSONValue]) throws(AuditRecord.FieldProblem) {
        func text(_ name: String) throws(AuditRecord.FieldProblem) -> String {
            guard let text = members[name]?.string else { throw .init(field: name) }
            return text
        }
        guard let size = members["size"]?.integer, AuditRecord.sequences.contains(size) else {
            throw .init(field: "size")
        }
        guard let at = Timestamp(rfc3339: try text("at")) else { throw .init(field: "at") }
        self.init(node: try text("node"), size: size, at: at, hash: try text("hash"), note: try text("note"))
        let known: Set = ["node", "size", "at", "hash", "note"]
        if let unknown = members.keys.filter({ !known.contains($0) }).min() { throw .init(field: unknown) }
    }
}
