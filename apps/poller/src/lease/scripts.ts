/**
 * The lease's steps, each one Lua script and so each indivisible in Redis.
 * KEYS: the lease (holder's name, expires by itself), and the counter of fencing tokens (stays).
 */

/**
 * Takes the lease if nobody holds it, or takes up the caller's own again. ARGV: holder, time to live (ms). Returns the fencing token, or nil.
 * A token is greater than every one before it; it also never falls behind the server's clock, so that a Redis that lost its data does
 * not hand out a number again that an old leader still carries.
 */
export const ACQUIRE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return nil end
local current = redis.call('GET', KEYS[2])
if holder and current then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return current
end
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local token = redis.call('INCR', KEYS[2])
if token < clock then
  token = clock
  redis.call('SET', KEYS[2], string.format('%.0f', token))
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return string.format('%.0f', token)`;

/**
 * Prolongs the lease if it is still the caller's, and its token still the latest: with the counter gone, a holder that kept the lease could
 * never write again. ARGV: holder, time to live (ms), token. Returns 1 or 0.
 */
export const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GET', KEYS[2]) ~= ARGV[3] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/** Gives the lease back if it is still the caller's. ARGV: holder. Returns 1 or 0. */
export const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;
