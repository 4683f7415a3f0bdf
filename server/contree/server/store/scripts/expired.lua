-- The matches whose lease has ended as far as the index of leases knows, longest ago first.
-- KEYS: index of leases.  ARGV: how many at most.
local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
return redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', '0', ARGV[1])
