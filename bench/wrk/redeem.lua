-- Each token of a file once, as a browser's own navigation; every answer must be a 303 with the session cookie.
local count = dofile(os.getenv("BENCH_WRK") .. "/count.lua")
local tokens, at = count.lines(os.getenv("TOKENS")), 0
local head, tail

function init()
    head = "GET /login-with-token?token="
    tail = " HTTP/1.1\r\nHost: " .. wrk.headers.Host .. "\r\nUser-Agent: bench\r\nSec-Fetch-Mode: navigate\r\n"
        .. "Sec-Fetch-Dest: document\r\nSec-Fetch-Site: none\r\n\r\n"
end

function request()
    at = at + 1
    return head .. (tokens[at] or "out-of-tokens") .. tail
end

function response(status, headers, body)
    -- Of several Set-Cookie lines wrk keeps the last; the service sends the session cookie last.
    local cookie = headers["Set-Cookie"] or headers["set-cookie"] or ""
    if status ~= 303 or not cookie:find("__Host-drawbridge_session=", 1, true) then count.fail("redeem " .. status) end
end
