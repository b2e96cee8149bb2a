-- POST of forms, the lines of a file, in turn. Answers are counted by wrk itself.
local count = dofile(os.getenv("BENCH_WRK") .. "/count.lua")
local forms = count.lines(os.getenv("FORMS"))
local requests, at = {}, 0

function init()
    for _, form in ipairs(forms) do
        requests[#requests + 1] = wrk.format("POST", nil, {
            Host = wrk.headers.Host, ["Content-Type"] = "application/x-www-form-urlencoded",
        }, form)
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end
