import Testing

@testable import Bridge

@Suite struct GenerationsTests {
    @Test func `what is looked up stays, and what is not goes`() {
        var values = Generations<Int, String>(capacity: 4)
        values.insert("kept", for: 0)
        for key in 1...10 {
            values.insert("other", for: key)
            #expect(values.value(for: 0) == "kept")
        }
        #expect(!values.contains(1))
    }

    @Test func `there are never more than the capacity`() {
        var values = Generations<Int, Int>(capacity: 10)
        for key in 0..<100 {
            values.insert(key, for: key)
            #expect((0...key).count(where: values.contains) <= 10)
        }
    }

    @Test func `what an insertion drops is told`() {
        var values = Generations<Int, String>(capacity: 2)
        #expect(values.insert("a", for: 1).isEmpty)
        #expect(values.insert("b", for: 2).isEmpty)
        #expect(values.insert("c", for: 3) == [1: "a"])
    }

    @Test func `what a look-up drops is told`() {
        var values = Generations<Int, String>(capacity: 4)
        for (key, value) in [(1, "a"), (2, "b"), (3, "c"), (4, "d")] { values.insert(value, for: key) }
        var dropped: [Int: String] = [:]
        #expect(values.value(for: 3, dropped: &dropped) == "c")
        #expect(dropped.isEmpty)
        #expect(values.value(for: 1, dropped: &dropped) == "a")
        #expect(dropped == [1: "a", 2: "b"])
        #expect(values.contains(1) && !values.contains(2))
    }

    @Test func `what was removed is in neither generation`() {
        var values = Generations<Int, String>(capacity: 4)
        for key in 1...3 { values.insert("x", for: key) }
        #expect(values.value(for: 1) != nil)
        values.remove(1)
        #expect(!values.contains(1))
    }

    @Test func `only a value of the young generation is changed in place`() {
        var values = Generations<Int, String>(capacity: 2)
        values.insert("a", for: 1)
        values.update(1) { $0 = "b" }
        values.insert("c", for: 2)
        values.update(1) { $0 = "d" }
        #expect(values.value(for: 1) == "b")
    }
}
