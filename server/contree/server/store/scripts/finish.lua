-- Put the archive of an ended match in the place of its journal.
-- KEYS: journal, lease, archive.
-- ARGV: fence, version, last entry, seconds to keep the archive ('' for ever), field, value...
-- Returns {'archived'}, {'missing'}, {'fenced', fence} or {'conflict', version}.
-- A client sends again when the reply got lost: then the archive is there already.
if redis.call('EXISTS', KEYS[1]) == 0 then
  if redis.call('EXISTS', KEYS[3]) == 1 then return {'archived'} end
  return {'missing'}
end
local fence = redis.call('HGET', KEYS[2], 'fence')
if fence ~= ARGV[1] then return {'fenced', tonumber(fence or 0)} end
-- The archive was made of what its writer remembers: it must be all of the journal.
local version = redis.call('XLEN', KEYS[1])
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if version ~= tonumber(ARGV[2]) or last[1][2][2] ~= ARGV[3] then return {'conflict', version} end
redis.call('HSET', KEYS[3], unpack(ARGV, 5))
if ARGV[4] ~= '' then redis.call('EXPIRE', KEYS[3], ARGV[4]) end
redis.call('UNLINK', KEYS[1], KEYS[2])
return {'archived'}
