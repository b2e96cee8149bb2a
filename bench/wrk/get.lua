-- GET of one path; the lines of COOKIES, when set, go along in turn. Answers are counted by wrk itself.
local count = dofile(os.getenv("BENCH_WRK") .. "/count.lua")
local cookies = os.getenv("COOKIES") and count.lines(os.getenv("COOKIES"))
local requests, at = {}, 0

function init()
    for _, cookie in ipairs(cookies or { "" }) do
        requests[#requests + 1] = wrk.format("GET", nil, { Host = wrk.headers.Host, Cookie = cookie ~= "" and cookie or nil })
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end
