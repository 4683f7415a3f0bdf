-- Append to a journal if the writer holds the newest lease and knows the whole journal.
-- KEYS: journal, lease.  ARGV: expected version, fence, entries...
-- Returns the version after the entries, or {'conflict', version}, {'fenced', fence}, {'missing'}.
-- The lease need not be unexpired: as long as nobody took a newer one, its holder is the only writer.
local fence = redis.call('HGET', KEYS[2], 'fence')
if fence ~= ARGV[2] then
  if not fence then return {'missing'} end
  return {'fenced', tonumber(fence)}
end
local version = redis.call('XLEN', KEYS[1])
local expected = tonumber(ARGV[1])
if version ~= expected then
  -- A client sends again when the reply got lost. Then exactly these entries stand at that place,
  -- written under this same lease, and the true answer is that they are appended.
  local count = #ARGV - 2
  if count == 0 or version < expected + count then return {'conflict', version} end
  local there = redis.call('XRANGE', KEYS[1], (expected + 1) .. '-0', (expected + count) .. '-0')
  for i = 1, count do
    if there[i][2][2] ~= ARGV[i + 2] then return {'conflict', version} end
  end
  return expected + count
end
for i = 3, #ARGV do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 'e', ARGV[i])
end
return version
