-- Asks Drawbridge whether a request is signed in, and takes Drawbridge's cookies away from what goes to the website.

-- Steps that need a fresh or a strong sign-in ask for it: /auth/check?max_age=300
local check = "http://127.0.0.1:8080/auth/check"
-- What concerns the check, and nothing else of the visitor's request.
local asked = {"host", "cookie", "authorization", "x-forwarded-for"}
local told = {"x-auth-subject", "x-auth-session", "x-auth-acr"}

local function all(values)
  local list = {}
  for index = 0, #values do list[#list + 1] = values[index] end
  return list
end

-- They open sessions there, so they have no place in the website's memory or logs.
local function without_own_cookies(txn, values)
  local kept = {}
  for _, line in ipairs(values) do
    for pair in string.gmatch(line, "[^;]+") do
      local cookie = string.match(pair, "^%s*(.-)%s*$")
      local name = string.gsub(cookie, "^__Host%-", "")
      if cookie ~= "" and string.sub(name, 1, 11) ~= "drawbridge_" then kept[#kept + 1] = cookie end
    end
  end
  txn.http:req_del_header("cookie")
  if #kept > 0 then txn.http:req_add_header("cookie", table.concat(kept, "; ")) end
end

core.register_action("drawbridge_check", {"http-req"}, function(txn)
  local seen = txn.http:req_get_headers()
  local headers = {}
  for _, name in ipairs(asked) do
    if seen[name] then headers[name] = all(seen[name]) end
  end
  -- HAProxy asks four times before it gives up: a Drawbridge that hangs holds a page for five seconds.
  local answer = core.httpclient():get{url = check, headers = headers, timeout = 1250}
  if answer == nil or answer.status == nil or answer.status == 0 then return end
  txn:set_var("txn.drawbridge_status", answer.status)
  for _, name in ipairs(told) do
    local values = answer.headers and answer.headers[name]
    if values and values[0] then txn.http:req_set_header(name, values[0]) end
  end
  if seen["cookie"] then without_own_cookies(txn, all(seen["cookie"])) end
end, 0)
