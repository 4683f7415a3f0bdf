-- Store the record of an ended match.
-- KEYS: journal, lease, record.  ARGV: record, seconds to keep all three ('' for ever).
-- Returns 1, or 0 when there is no journal.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[3], ARGV[1])
for i = 1, 3 do
  if ARGV[2] == '' then
    redis.call('PERSIST', KEYS[i])
  else
    redis.call('EXPIRE', KEYS[i], ARGV[2])
  end
end
return 1
