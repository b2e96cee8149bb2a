-- Shared by all scripts: one line of JSON when the run is over. Failures are whatever `check` did not like.
local count = {}
local threads = {}

failures = 0
first_failure = ""

function count.fail(what)
    failures = failures + 1
    if first_failure == "" then first_failure = what end
end

function setup(thread)
    table.insert(threads, thread)
end

function done(summary, latency, requests)
    local failed, what = 0, ""
    for _, thread in ipairs(threads) do
        failed = failed + (thread:get("failures") or 0)
        if what == "" then what = thread:get("first_failure") or "" end
    end
    local errors = summary.errors
    io.stderr:write(string.format(
        '{"requests":%d,"seconds":%.6f,"p50_ms":%.3f,"p99_ms":%.3f,"p999_ms":%.3f,"max_ms":%.3f,"failures":%d,"not_2xx_3xx":%d,'
            .. '"socket_errors":%d,"first_failure":"%s"}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        latency:percentile(99.9) / 1e3, latency.max / 1e3, failed, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
        what:gsub('[^%w ._-]', '?')))
end

-- Lines of a file, as a list.
function count.lines(path)
    local list = {}
    for line in io.lines(path) do list[#list + 1] = line end
    return list
end

return count
