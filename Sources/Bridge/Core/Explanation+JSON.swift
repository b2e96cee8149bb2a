import OAuth2

extension Explanation {
    /// Contract §13.
    package var json: String {
        var object = JSONObjectWriter()
        object.add("passes", passes)
        if let reason { object.add("reason", reason) } else { object.addNull("reason") }
        object.add("rule", rule)
        let steps = steps.map { step in
            var object = JSONObjectWriter()
            object.add("check", step.check)
            object.add("outcome", step.outcome)
            return String(decoding: object.finish(), as: UTF8.self)
        }
        object.add("steps", json: "[\(steps.joined(separator: ","))]")
        return String(decoding: object.finish(), as: UTF8.self)
    }
}
