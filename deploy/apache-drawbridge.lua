-- Leads each request of the website's origin to Drawbridge or to the website, which it first asks Drawbridge about.
-- One function decides both, so that no spelling of a path gets to the website past the check. Needs LuaSocket.

local http = require "socket.http"

local drawbridge = "http://127.0.0.1:8080"
local website = "http://127.0.0.1:3000"
-- Steps that need a fresh or a strong sign-in ask for it: /auth/check?max_age=300
local check = drawbridge .. "/auth/check"
-- The website's own hosts, with and without :443, which is the same. Host says which website the check is about, and visitors
-- choose it: a session that is good for another website, or for none, opens nothing here.
local hosts = {["www.example.com"] = true, ["www.example.com:443"] = true}
-- What concerns the check, and nothing else of the visitor's request.
local asked = {"Host", "Cookie", "Authorization"}
local told = {"X-Auth-Subject", "X-Auth-Session", "X-Auth-Acr"}
-- Drawbridge's paths at the website's origin: login links and the sessions that they open.
local exact = {"/login-with-token", "/user/login-with-token.php", "/session", "/errors"}
local below = {"/api/auth/", "/v0/sign_in/", "/session/", "/assets/", "/errors/", "/.well-known/"}

http.TIMEOUT = 2

local function is_drawbridges(path)
  for _, name in ipairs(exact) do
    if path == name then return true end
  end
  for _, name in ipairs(below) do
    if string.sub(path, 1, #name) == name then return true end
  end
  return false
end

-- They open sessions there, so they have no place in the website's memory or logs.
local function without_own_cookies(line)
  local kept = {}
  for pair in string.gmatch(line, "[^;]+") do
    local cookie = string.match(pair, "^%s*(.-)%s*$")
    local name = string.gsub(cookie, "^__Host%-", "")
    if cookie ~= "" and string.sub(name, 1, 11) ~= "drawbridge_" then kept[#kept + 1] = cookie end
  end
  local others = table.concat(kept, "; ")
  -- Apache joins several lines with commas: should one of ours be behind one, all are left out.
  if others == "" or string.find(string.gsub(others, "__Host%-", ""), ",%s*drawbridge_") then return nil end
  return others
end

-- Of the visitor's fields, what only a proxy may say. To a website by CGI, WSGI or PHP, X_Auth_Subject and its like are
-- X-Auth-Subject; to PHP, X.Auth.Subject is too.
local function without_forged_names(r)
  for name in pairs(r:headers_in_table()) do
    local plain = string.gsub(string.lower(name), "[_.]", "-")
    for _, suffix in ipairs({"subject", "session", "acr", "name", "email", "groups"}) do
      if plain == "x-auth-" .. suffix then r.headers_in[name] = nil end
    end
    if string.find(plain, "^x%-forwarded%-") or plain == "x-real-ip" or plain == "forwarded" then r.headers_in[name] = nil end
  end
end

local function lead(r, origin, target)
  r.handler = "proxy-server"
  r.proxyreq = apache2.PROXYREQ_REVERSE
  -- As it came, byte for byte.
  r.notes["proxy-nocanon"] = "1"
  r.filename = "proxy:" .. origin .. target
  return apache2.OK
end

function route(r)
  local target = string.gsub(r.unparsed_uri, "^%a[%w+.-]*://[^/?]*", "")
  if string.sub(target, 1, 1) ~= "/" then return 400 end
  if not hosts[string.lower(r.headers_in["Host"] or "")] then return 421 end
  -- What the visitor sent is not passed on; mod_proxy adds the connection's own.
  r.headers_in["X-Forwarded-For"] = nil
  if is_drawbridges(r.uri) then return lead(r, drawbridge, target) end
  local headers = {["X-Forwarded-For"] = r.useragent_ip}
  for _, name in ipairs(asked) do headers[name] = r.headers_in[name] end
  local _, status, answer = http.request{url = check, headers = headers, redirect = false}
  if status == 401 then
    -- A script has no use for a sign-in page. What is absent comes of an old browser.
    local kind = r.headers_in["Sec-Fetch-Dest"]
    if kind and kind ~= "document" then
      r.err_headers_out["WWW-Authenticate"] = "Bearer"
      return 401
    end
    -- The page is led back to when return_paths of the website have it.
    r.err_headers_out["Location"] = "/session/sign-in?redirect=" .. r:escape(target)
    return 303
  end
  if status ~= 200 then return 503 end
  without_forged_names(r)
  -- mod_proxy adds X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Server by itself.
  r.headers_in["X-Forwarded-Proto"] = "https"
  for _, name in ipairs(told) do r.headers_in[name] = answer[string.lower(name)] end
  if r.headers_in["Cookie"] then r.headers_in["Cookie"] = without_own_cookies(r.headers_in["Cookie"]) end
  return lead(r, website, target)
end
