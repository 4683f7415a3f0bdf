-- A server says that it is there, and learns which others are.
-- KEYS: servers.  ARGV: its address, for how long in ms, what it lets others know, after how many ms
-- a server that is gone is forgotten.
-- Returns address, ms left (below 0 when it is over) and what it lets know, of every server.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d ', now + ARGV[2]) .. ARGV[3])
local all, found = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  local ends = string.find(all[i + 1], ' ', 1, true)
  local left = tonumber(string.sub(all[i + 1], 1, ends - 1)) - now
  if left < -ARGV[4] then
    redis.call('HDEL', KEYS[1], all[i])
  else
    found[#found + 1] = all[i]
    found[#found + 1] = string.format('%d', left)
    found[#found + 1] = string.sub(all[i + 1], ends + 1)
  end
end
return found
