/// Finds the name that was probably meant.
enum NearestName {
    /// The candidate at the smallest edit distance, if that is small enough to be a slip; else the one that the name is
    /// the beginning of, as `data_dir` is of `data_directory`.
    static func of(_ name: String, among candidates: [String]) -> String? {
        let ranked = candidates.map { (candidate: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(2, name.utf8.count / 4)
        else { return continuation(of: name, among: candidates) }
        return best.candidate
    }

    /// What ends a sentence about an unknown name; empty where nothing is near.
    static func hint(for name: String, among candidates: [String]) -> String {
        of(name, among: candidates).map { ", did you mean \($0)?" } ?? ""
    }

    /// - Returns: `nil` where several candidates begin so, or the name is too short to tell.
    private static func continuation(of name: String, among candidates: [String]) -> String? {
        guard name.utf8.count >= 4 else { return nil }
        let longer = candidates.filter { $0.hasPrefix(name) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// Levenshtein's distance, one row at a time.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = a == b ? diagonal : 1 + min(diagonal, min(above, row[j]))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
