-- POST with a JSON body and, from a file, bearers in turn; with SAVE, the login tokens of the answers go to that file.
local count = dofile(os.getenv("BENCH_WRK") .. "/count.lua")
local bearers = os.getenv("BEARERS") and count.lines(os.getenv("BEARERS"))
local save = os.getenv("SAVE")
local requests, at, file = {}, 0, nil

function init()
    for _, bearer in ipairs(bearers or { "" }) do
        requests[#requests + 1] = wrk.format("POST", nil, {
            Host = wrk.headers.Host, ["Content-Type"] = "application/json",
            Authorization = bearer ~= "" and "Bearer " .. bearer or nil,
        }, '{"redirect":"/contacts"}')
    end
    if save then
        file = io.open(save, "w")
        file:setvbuf("line")
        response = function(status, headers, body)
            local token = status == 200 and body:match('"token":"([^"]+)"')
            if token then file:write(token, "\n") else count.fail("issue " .. status) end
        end
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end
