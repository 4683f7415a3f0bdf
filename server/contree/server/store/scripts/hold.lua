-- Hold a small lease: take it when it is free, prolong it when it is ours.
-- KEYS: lease.  ARGV: owner, lease in ms.  Returns 1, or 0 when another holds it.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
