import Testing

@testable import Bridge

@Suite struct RetryPlanTests {
    @Test(
        arguments: [
            // A stored number of tries that cannot be.
            (-1, Duration.seconds(1)), (0, .seconds(1)), (1, .seconds(1)), (2, .seconds(10)), (3, nil), (Int.max, nil),
        ] as [(Int, Duration?)])
    func `every try but the last has a pause after it, whatever the count`(attempts: Int, pause: Duration?) {
        #expect(RetryPlan(pauses: [.seconds(1), .seconds(10)]).pause(after: attempts) == pause)
    }
}
