-- Prolong a lease from now if it is still the newest.
-- KEYS: lease.  ARGV: owner, fence, lease in ms.  Returns 1, or 0 when it is lost.
local lease = redis.call('HMGET', KEYS[1], 'owner', 'fence')
if lease[1] ~= ARGV[1] or lease[2] ~= ARGV[2] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'until', string.format('%d', now + ARGV[3]))
return 1
