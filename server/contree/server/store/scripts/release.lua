-- Give a lease up if it is still the newest.  KEYS: lease.  ARGV: fence.
-- The number goes up too, so that an append still on its way under the old one is fenced.
if redis.call('HGET', KEYS[1], 'fence') == ARGV[1] then
  redis.call('HINCRBY', KEYS[1], 'fence', 1)
  redis.call('HSET', KEYS[1], 'owner', '', 'until', 0)
end
return 1
