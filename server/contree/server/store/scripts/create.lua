-- Start a journal and lease it, unless it exists.
-- KEYS: journal, lease, archive.  ARGV: owner, lease in ms, nonce of this call, entries...
-- Returns 'created', 'exists' or 'finished'.
-- A client sends again when the reply got lost: the nonce tells that this very call made the match.
if redis.call('EXISTS', KEYS[3]) == 1 then return 'finished' end
if redis.call('EXISTS', KEYS[1]) == 1 then
  local lease = redis.call('HMGET', KEYS[2], 'fence', 'creation')
  if lease[1] == '1' and lease[2] == ARGV[3] then return 'created' end
  return 'exists'
end
for i = 4, #ARGV do
  redis.call('XADD', KEYS[1], (i - 3) .. '-0', 'e', ARGV[i])
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], 'fence', 1, 'owner', ARGV[1],
  'until', string.format('%d', now + ARGV[2]), 'creation', ARGV[3])
return 'created'
