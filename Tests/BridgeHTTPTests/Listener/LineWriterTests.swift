import Bridge
import Dispatch
import Synchronization
import Testing

@testable import BridgeHTTP

/// Lines that nobody waits for.
@Suite struct LineWriterTests {
    /// A sink that takes nothing until it is told to.
    private final class Stalled: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let taken = Mutex<[UInt8]>([])

        var text: String { String(decoding: taken.withLock { $0 }, as: UTF8.self) }

        func take(_ bytes: [UInt8]) {
            gate.wait()
            taken.withLock { $0 += bytes }
            gate.signal()
        }

        func goOn() { gate.signal() }
    }

    @Test(.timeLimit(.minutes(1))) func `a sink that stalls holds up nobody who writes`() async {
        let sink = Stalled()
        let writer = LineWriter(name: "test") { bytes in
            sink.take(bytes)
            return true
        }
        for number in 0..<1000 { writer.write("\(number)\n".utf8) }
        await writer.flush(within: .milliseconds(1))
        writer.write("last\n".utf8)
        #expect(sink.text.isEmpty)
        sink.goOn()
        await writer.flush(within: .seconds(60))
        #expect(sink.text == (0..<1000).map { "\($0)\n" }.joined() + "last\n")
    }

    @Test(.timeLimit(.minutes(1))) func `what is written is taken without a flush`() async {
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        let writer = LineWriter(name: "test") { bytes in
            sink.yield(String(decoding: bytes, as: UTF8.self))
            return true
        }
        for number in 0..<3 {
            writer.write("\(number)\n".utf8)
            for await line in lines.prefix(1) { #expect(line == "\(number)\n") }
        }
    }

    @Test func `a line that has no room is counted, and a shorter one still written`() {
        let sink = TextSink()
        let writer = LineWriter(name: "test", delay: .never) { bytes in
            sink.append(bytes)
            return true
        }
        let long = String(repeating: "x", count: LineWriter.capacity - 2) + "\n"
        for line in [long, "too long\n", "\n"] { writer.write(line.utf8) }
        writer.flush()
        #expect(sink.text == long + "\n{\"dropped_lines\":1}\n")
    }

    @Test func `lines that the sink fails to take are counted once it takes some again`() {
        let sink = TextSink()
        let isFull = Mutex(true)
        let writer = LineWriter(name: "test", delay: .never) { bytes in
            guard !isFull.withLock({ $0 }) else { return false }
            sink.append(bytes)
            return true
        }
        for number in 0..<3 { writer.write("\(number)\n".utf8) }
        writer.flush()
        // Now the count alone is refused.
        writer.flush()
        writer.write("3\n".utf8)
        writer.flush()
        isFull.withLock { $0 = false }
        writer.write("4\n".utf8)
        writer.flush()
        writer.flush()
        #expect(sink.text == "\n4\n{\"dropped_lines\":4}\n")
    }

    @Test func `a line that comes after half of another one begins in a line of its own`() {
        let sink = TextSink()
        let isFull = Mutex(true)
        let writer = LineWriter(name: "test", delay: .never) { bytes in
            let takesHalf = isFull.withLock { $0 }
            sink.append(takesHalf ? Array(bytes.prefix(bytes.count / 2)) : bytes)
            return !takesHalf
        }
        writer.write("first\n".utf8)
        writer.flush()
        isFull.withLock { $0 = false }
        writer.write("second\n".utf8)
        writer.flush()
        #expect(sink.text == "fir\nsecond\n{\"dropped_lines\":1}\n")
    }
}
