-- Take the lease of a match unless another owner's is alive.
-- KEYS: journal, lease.  ARGV: owner, lease in ms.
-- Returns the new fencing number, or 'held', or 'missing'.
if redis.call('EXISTS', KEYS[1]) == 0 then return 'missing' end
local lease = redis.call('HMGET', KEYS[2], 'owner', 'until')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if lease[1] and lease[1] ~= '' and lease[1] ~= ARGV[1] and tonumber(lease[2]) > now then
  return 'held'
end
local fence = redis.call('HINCRBY', KEYS[2], 'fence', 1)
redis.call('HSET', KEYS[2], 'owner', ARGV[1], 'until', string.format('%d', now + ARGV[2]))
return fence
