-- Note in the index of leases until when these matches are leased.
-- KEYS: index of leases.  ARGV: NX (those it does not name) or XX (those it names), ms from now, ids...
local time = redis.call('TIME')
local ends = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2])
for i = 3, #ARGV do
  redis.call('ZADD', KEYS[1], ARGV[1], ends, ARGV[i])
end
return 1
