import Dispatch
import Foundation
import Targets

/// Which parser: libFuzzer hands arguments of its own to nobody.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError("FUZZ_TARGET must be one of " + FuzzTarget.all.map(\.name).joined(separator: ", "))
    }
    return target
}()

/// What libFuzzer calls with every input. A broken promise ends the program, as a trap or a report of the sanitizer does.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let broken = verdict(on: input) { fatalError("\(target.name): \(broken)") }
    return 0
}

private func verdict(on input: [UInt8]) -> String? {
    switch target.trial {
    case .plain(let run): return run(input)
    case .waiting(let run):
        let box = Box()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            box.verdict = await run(input)
            done.signal()
        }
        done.wait()
        return box.verdict
    }
}

/// Written before the signal, read after it.
private final class Box: @unchecked Sendable {
    var verdict: String?
}
