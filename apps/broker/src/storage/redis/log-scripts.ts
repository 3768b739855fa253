import { LuaScript } from './redis-engine.js';

/** Whole nodes of the stream that are older than the retention, some thousand entries at most. */
const TRIM = `
local function trim(log, retention)
  local time = redis.call('TIME')
  local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - retention
  return redis.call('XTRIM', log, 'MINID', '~', string.format('%d', math.max(0, oldest)))
end
`;

/**
 * Append, message by message: repeat? → add → remember; then keep the log for its time and wake. One step for all of them.
 * KEYS: log, newest, and for each message its own (`sent`). ARGV: retention ms, log's life ms, newest's life ms, pub/sub topic, fqcn, and
 * for each message its duplicate window ms, the number of its fields' names and values, these.
 * Each entry names the one before it (`after`), so that a reader sees whether anything between went. The newest id outlives the log.
 * Returns {id, 1 when repeated} for each. Trimming is approximate (whole nodes), so reading hides what is too old.
 */
export const APPEND = new LuaScript(`${TRIM}
local newest = redis.call('GET', KEYS[2]) or '0-0'
local answers = {}
local added = false
local at = 6
for number = 3, #KEYS do
  local window, count = ARGV[at], tonumber(ARGV[at + 1])
  local id = redis.call('GET', KEYS[number])
  if id then
    answers[#answers + 1] = {id, 1}
  else
    id = redis.call('XADD', KEYS[1], '*', 'after', newest, unpack(ARGV, at + 2, at + 1 + count))
    redis.call('SET', KEYS[number], id, 'PX', window)
    answers[#answers + 1] = {id, 0}
    newest = id
    added = true
  end
  at = at + 2 + count
end
if added then
  trim(KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('SET', KEYS[2], newest, 'PX', ARGV[3])
  redis.call('PUBLISH', ARGV[4], ARGV[5])
end
return answers
`);

/**
 * Takes from a log what retention has passed. A full Redis refuses the first write of a script that could grow, but not this; and once a
 * script has written, nothing in it is refused any more: so this is one of its own, before APPEND is tried again.
 * KEYS: log. ARGV: retention ms.
 */
export const MAKE_ROOM = new LuaScript(`${TRIM}
return trim(KEYS[1], ARGV[1])
`);

/** Positions that one move looks at. */
const SOME = 8;

/**
 * Moves a reader's position forward only, and takes away some of those whose time is over: of readers who are gone.
 * KEYS: positions. ARGV: reader, stream id, life of a position ms. Returns 1 when it moved. A position is held as
 * `<stream id>|<end, epoch ms>`.
 */
export const MOVE_POSITION = new LuaScript(`
-- A stream id as two numbers, as Redis compares them.
local function parts(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function id(held) return string.match(held, '^[^|]+') end
local function over(held) return tonumber(string.match(held, '%d+$')) <= now end
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current and not over(current) then
  local oldMs, oldSeq = parts(id(current))
  local newMs, newSeq = parts(ARGV[2])
  if newMs < oldMs or (newMs == oldMs and newSeq <= oldSeq) then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. '|' .. string.format('%d', now + ARGV[3]))
local some = redis.call('HRANDFIELD', KEYS[1], ${SOME}, 'WITHVALUES')
for at = 1, #some, 2 do
  if over(some[at + 1]) then redis.call('HDEL', KEYS[1], some[at]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`);
