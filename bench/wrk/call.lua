-- Calls in turn, one a line of LINES: the Authorization header, a tab, the body (empty for a GET). Every answer must be a
-- 200 that holds EXPECT.
local count = dofile(os.getenv("BENCH_WRK") .. "/count.lua")
local lines, expected = count.lines(os.getenv("LINES")), os.getenv("EXPECT")
local requests, at = {}, 0

function init()
    for _, line in ipairs(lines) do
        local authorization, body = line:match("^([^\t]*)\t(.*)$")
        requests[#requests + 1] = wrk.format(body == "" and "GET" or "POST", nil, {
            Host = wrk.headers.Host, Authorization = authorization,
            ["Content-Type"] = body ~= "" and "application/x-www-form-urlencoded" or nil,
        }, body ~= "" and body or nil)
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function response(status, headers, body)
    if status ~= 200 or not body:find(expected, 1, true) then count.fail("status " .. status) end
end
