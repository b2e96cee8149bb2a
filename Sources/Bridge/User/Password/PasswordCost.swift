/// What one password hash costs: scrypt's parameters (RFC 7914 §2).
package struct PasswordCost: Hashable, Sendable {
    /// Base-2 logarithm of N.
    package let logarithm: Int
    /// r.
    package let blockSize: Int
    /// p.
    package let parallelism: Int

    /// - Returns: `nil` outside the range that this server computes: a stored hash must not be able to ask for more
    ///   memory or time than an operator would ever configure.
    package init?(logarithm: Int, blockSize: Int = 8, parallelism: Int) {
        guard (10...20).contains(logarithm), (1...16).contains(blockSize), (1...16).contains(parallelism) else {
            return nil
        }
        self.init(checked: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    private init(checked logarithm: Int, blockSize: Int, parallelism: Int) {
        self.logarithm = logarithm
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// 16 MiB and five passes, one of the equal choices of the OWASP password storage cheat sheet: the least memory,
    /// because several sign-ins are computed at once.
    package static let standard = PasswordCost(checked: 14, blockSize: 8, parallelism: 5)

    /// For throwaway passwords.
    package static let light = PasswordCost(checked: 14, blockSize: 8, parallelism: 1)
}
