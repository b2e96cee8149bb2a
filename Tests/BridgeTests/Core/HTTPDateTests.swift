import Bridge
import Foundation
import Testing

/// RFC 9110 §5.6.7.
@Suite struct HTTPDateTests {
    @Test(arguments: [
        (Int64(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `an instant is written in the fixed form and read back`(seconds: Int64, text: String) {
        #expect(HTTPDate(Timestamp(seconds: seconds)).text == text)
        #expect(HTTPDate(text)?.instant == Timestamp(seconds: seconds))
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Mon, 06 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37Z GMT",
    ])
    func `what has another form, zone or day of the week is no date`(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `a leap second is the first of the day after`() {
        let leap = HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT")
        #expect(leap?.text == "Sun, 01 Jan 2017 00:00:00 GMT")
    }

    @Test func `every day of four centuries agrees with Foundation`() {
        let style = DateFormatter()
        style.locale = Locale(identifier: "en_US_POSIX")
        style.timeZone = TimeZone(secondsFromGMT: 0)
        style.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for day in stride(from: Int64(-73_000), to: 73_000, by: 13) {
            let instant = Timestamp(seconds: day * 86_400 + 3_661)
            let text = HTTPDate(instant).text
            #expect(text == style.string(from: Date(timeIntervalSince1970: TimeInterval(instant.seconds))))
            #expect(HTTPDate(text)?.instant == instant)
        }
    }

    @Test func `what is finer than a second is cut off, and beyond the years there is the nearest text`() {
        #expect(HTTPDate(Timestamp(milliseconds: 784_111_777_999)).text == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate(Timestamp(milliseconds: .max)).text == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate(Timestamp(milliseconds: .min)).text == "Sat, 01 Jan 0000 00:00:00 GMT")
    }
}
