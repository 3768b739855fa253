/**
 * The steps of the shared budget, each one Lua script and so indivisible in Redis, by Redis' own clock: the replicas' clocks do not matter.
 * KEYS[1]: sorted set of the requests; score = the latest moment at which each may have arrived (`domain/windows.ts`), ms since 1970.
 * KEYS[2]: there while nobody may ask; expires by itself.
 *
 * Milliseconds are rounded down where a permit is given and up where a request is over, so that rounding never lets one go too early.
 */
export const REDIS_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ended = time[1] * 1000 + math.ceil(time[2] / 1000)
`;

/**
 * ARGV: id, hold (ms), then number and milliseconds of each window. Returns 0 when the request is counted, else the wait in ms.
 * What left the longest window is dropped at each permit, so that the set never holds more than that window allows.
 */
export const TAKE = `
local paused = redis.call('PTTL', KEYS[2])
if paused > 0 then return paused end
local wait, longest = 0, 0
for i = 3, #ARGV, 2 do
  local requests, ms = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  longest = math.max(longest, ms)
  local blocking = redis.call('ZRANGE', KEYS[1], -requests, -requests, 'WITHSCORES')[2]
  if blocking then wait = math.max(wait, math.min(tonumber(blocking), now) + ms - now) end
end
if wait > 0 then return wait end
if longest == 0 then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - longest))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', longest + ARGV[2]))
return 0`;

/** ARGV: id. */
export const SETTLE = `
local latest = redis.call('ZSCORE', KEYS[1], ARGV[1])
if latest and tonumber(latest) > ended then redis.call('ZADD', KEYS[1], string.format('%.0f', ended), ARGV[1]) end
return 0`;

/** ARGV: milliseconds. */
export const PAUSE = `
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[2], '1', 'PX', ARGV[1]) end
return 0`;
