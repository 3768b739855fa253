/*
 * Each step is one Lua script, because Redis runs a script atomically.
 * KEYS[1]: sorted set of the hashes; score = time of storing by the clock of Redis, epoch milliseconds, each one later.
 * KEYS[2]: hash of the compressed texts. KEYS[3]: hash of the descriptions. KEYS[4]: total of the stored bytes.
 */

/**
 * Removes expired records and then the oldest ones, until a new record fits.
 * ARGV[1]: maximum total of stored bytes. ARGV[2]: maximum age in milliseconds. Leaves `removed`: hash, bytes and reason of each.
 */
const REMOVE = `
local maxBytes, maxAge = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local total = tonumber(redis.call('GET', KEYS[4]) or '0')
local removed = {}
local function remove(hash, reason)
  local bytes = redis.call('HSTRLEN', KEYS[2], hash) + redis.call('HSTRLEN', KEYS[3], hash)
  redis.call('ZREM', KEYS[1], hash)
  redis.call('HDEL', KEYS[2], hash)
  redis.call('HDEL', KEYS[3], hash)
  total = redis.call('DECRBY', KEYS[4], bytes)
  removed[#removed + 1] = { hash, bytes, reason }
end
local function makeRoom(bytes)
  for _, hash in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', now - maxAge), 'LIMIT', 0, 1000)) do
    remove(hash, 'age')
  end
  while total + bytes > maxBytes do
    local oldest = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
    if not oldest then break end
    remove(oldest, 'bytes')
  end
end
`;

/** Returns the removed records. */
export const PRUNE = `${REMOVE}
makeRoom(0)
return removed`;

/**
 * ARGV[3..5]: hash, compressed text, description.
 * Returns 'stored', 'already-stored' or 'too-large', and the removed records. A record that is too large removes no other.
 */
export const PUT = `${REMOVE}
local hash, text, description = ARGV[3], ARGV[4], ARGV[5]
if redis.call('ZSCORE', KEYS[1], hash) then return { 'already-stored', removed } end
local bytes = #text + #description
if bytes > maxBytes then return { 'too-large', removed } end
makeRoom(bytes)
local latest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
redis.call('ZADD', KEYS[1], string.format('%.0f', math.max(now, (tonumber(latest) or 0) + 1)), hash)
redis.call('HSET', KEYS[2], hash, text)
redis.call('HSET', KEYS[3], hash, description)
redis.call('INCRBY', KEYS[4], bytes)
return { 'stored', removed }`;
