-- Refreshes: every answer's token is the next request's, so each is rotated once. LINES holds a token for each session;
-- there must be more of them than connections.
local count = dofile(os.getenv("BENCH_WRK") .. "/count.lua")
local tokens, client = count.lines(os.getenv("LINES")), os.getenv("CLIENT")
local head

function init()
    head = "POST /oauth/token HTTP/1.1\r\nHost: " .. wrk.headers.Host
        .. "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
end

function request()
    local body = "grant_type=refresh_token&client_id=" .. client .. "&refresh_token=" .. (table.remove(tokens, 1) or "none-left")
    return head .. #body .. "\r\n\r\n" .. body
end

function response(status, headers, body)
    local token = status == 200 and body:match('"refresh_token":"([^"]+)"')
    if token then tokens[#tokens + 1] = token else count.fail("refresh " .. status) end
end
