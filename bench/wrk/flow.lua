-- The whole road: issue, redeem what was issued, check what was opened; a third of the requests each.
-- wrk does not say which connection an answer came from, so the answers say themselves what they are.
local count = dofile(os.getenv("BENCH_WRK") .. "/count.lua")
local bearers = count.lines(os.getenv("BEARERS"))
local checks = os.getenv("CHECKS") ~= "0"
local issues, tokens, cookies, at = {}, {}, {}, 0

function init()
    for _, bearer in ipairs(bearers) do
        issues[#issues + 1] = wrk.format("POST", "/api/auth/create-sso-token", {
            Host = wrk.headers.Host, ["Content-Type"] = "application/json", Authorization = "Bearer " .. bearer,
        }, '{"redirect":"/contacts"}')
    end
end

function request()
    local cookie = table.remove(cookies)
    if cookie then
        return "GET /auth/check HTTP/1.1\r\nHost: " .. wrk.headers.Host .. "\r\nCookie: " .. cookie .. "\r\n\r\n"
    end
    local token = table.remove(tokens)
    if token then
        return "GET /login-with-token?token=" .. token .. " HTTP/1.1\r\nHost: " .. wrk.headers.Host
            .. "\r\nUser-Agent: bench\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
            .. "Sec-Fetch-Site: none\r\n\r\n"
    end
    at = at % #issues + 1
    return issues[at]
end

function response(status, headers, body)
    if status == 200 then
        local token = body:match('"token":"([^"]+)"')
        if token then
            tokens[#tokens + 1] = token
        elseif not headers["X-Auth-Subject"] and not headers["x-auth-subject"] then
            count.fail("check 200")
        end
    elseif status == 303 then
        -- Of several Set-Cookie lines wrk keeps the last; the service sends the session cookie last.
        local line = headers["Set-Cookie"] or headers["set-cookie"] or ""
        local cookie = line:match("^(__Host%-drawbridge_session=[^;]+)")
        if not cookie then
            count.fail("redeem without a session cookie")
        elseif checks then
            cookies[#cookies + 1] = cookie
        end
    else
        count.fail("status " .. status)
    end
end
