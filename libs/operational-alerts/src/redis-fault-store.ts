import type { BridgeApp, DetectedEvent } from '@ssb/events';
import type { Redis } from 'ioredis';
import type { AlertAllowance } from './domain/alert-allowance.js';
import type { FaultState } from './domain/fault-state.js';

/** The state of one fault as it is saved, with the latest calls that it contains. */
export interface SavedFault {
  readonly state: FaultState;
  readonly callIds: readonly string[];
}

export interface SavedRecords {
  readonly fault: SavedFault | undefined;
  readonly allowance: AlertAllowance | undefined;
}

/** Other replicas changed the state during every attempt; nothing was written. */
export class FaultStateContendedError extends Error {
  override readonly name = 'FaultStateContendedError';

  constructor(readonly attempts: number) {
    super(
      `The state of a fault was changed by other replicas during ${attempts} attempts; nothing was written`,
    );
  }
}

const MAX_ATTEMPTS = 20;

/** Field of the allowance. Fields of faults are alert subjects, which contain a slash. */
const ALLOWANCE = 'allowance';

/**
 * Saves values if the saved ones are as expected, and events to send. KEYS: faults, unsent events.
 * @param ARGV number of fields; for each: field, expected value ('' for none), new value ('' deletes); then id and text of each event
 * @returns 1 or 0
 */
const SAVE = `
local fields = tonumber(ARGV[1])
for i = 0, fields - 1 do
  local saved = redis.call('HGET', KEYS[1], ARGV[2 + i * 3]) or ''
  if saved ~= ARGV[3 + i * 3] then return 0 end
end
for i = 0, fields - 1 do
  if ARGV[4 + i * 3] == '' then redis.call('HDEL', KEYS[1], ARGV[2 + i * 3])
  else redis.call('HSET', KEYS[1], ARGV[2 + i * 3], ARGV[4 + i * 3]) end
end
for i = 2 + fields * 3, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1`;

/** The faults of one app and the alert events that are not on the queue yet, in Redis. All replicas share them. */
export class RedisFaultStore {
  private readonly faultsKey: string;
  private readonly unsentKey: string;
  private readonly unpostedKey: string;

  /** @param prefix prefix of every key of the bridge: QUEUE_PREFIX */
  constructor(
    private readonly redis: Redis,
    prefix: string,
    app: BridgeApp,
  ) {
    this.faultsKey = `${prefix}:alerts:${app}`;
    this.unsentKey = `${this.faultsKey}:unsent`;
    this.unpostedKey = `${this.faultsKey}:unposted`;
  }

  /**
   * Changes one fault and the allowance in one step, and saves events to send with them. Repeats `change` when another replica was faster.
   * @throws FaultStateContendedError
   */
  async update(
    key: string,
    change: (saved: SavedRecords) => SavedRecords & { readonly events: readonly DetectedEvent[] },
  ): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const [faultText = null, allowanceText = null] = await this.redis.hmget(this.faultsKey, key, ALLOWANCE);
      const saved = { fault: parse<SavedFault>(faultText), allowance: parse<AlertAllowance>(allowanceText) };
      const { fault, allowance, events } = change(saved);
      const fields = [
        [key, faultText ?? '', toText(fault)],
        [ALLOWANCE, allowanceText ?? '', toText(allowance)],
      ].filter(([, before, after]) => before !== after);
      if (fields.length === 0 && events.length === 0) return;
      const texts = events.flatMap((event) => [event.id, JSON.stringify(event)]);
      const args = [fields.length, ...fields.flat(), ...texts] as (string | number)[];
      if ((await this.redis.eval(SAVE, 2, this.faultsKey, this.unsentKey, ...args)) === 1) return;
    }
    throw new FaultStateContendedError(MAX_ATTEMPTS);
  }

  /** The number of saved faults. */
  async count(): Promise<number> {
    return this.redis.hlen(this.faultsKey);
  }

  async has(key: string): Promise<boolean> {
    return (await this.redis.hexists(this.faultsKey, key)) === 1;
  }

  async list(): Promise<{ readonly faults: ReadonlyMap<string, FaultState>; allowance?: AlertAllowance }> {
    const { [ALLOWANCE]: allowance = null, ...texts } = await this.redis.hgetall(this.faultsKey);
    const faults = Object.entries(texts).map(
      ([key, text]) => [key, (JSON.parse(text, reviveDate) as SavedFault).state] as const,
    );
    return { faults: new Map(faults), allowance: parse<AlertAllowance>(allowance) };
  }

  /** The events that are not on the queue for certain, in order. */
  async listUnsent(): Promise<readonly DetectedEvent[]> {
    return this.listEvents(this.unsentKey);
  }

  /** Deletes unsent events that are on the queue now. @param unposted those of them that the operations webhook has not accepted */
  async deleteUnsent(events: readonly DetectedEvent[], unposted: readonly DetectedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const change = this.redis.multi().hdel(this.unsentKey, ...idsOf(events));
    for (const event of unposted) change.hset(this.unpostedKey, event.id, JSON.stringify(event));
    await change.exec();
  }

  /** The events that the operations webhook has not accepted for certain, in order. */
  async listUnposted(): Promise<readonly DetectedEvent[]> {
    return this.listEvents(this.unpostedKey);
  }

  async deleteUnposted(events: readonly DetectedEvent[]): Promise<void> {
    if (events.length > 0) await this.redis.hdel(this.unpostedKey, ...idsOf(events));
  }

  private async listEvents(key: string): Promise<readonly DetectedEvent[]> {
    const texts = Object.values(await this.redis.hgetall(key));
    const events = texts.map((text) => JSON.parse(text) as DetectedEvent);
    return events.toSorted((a, b) => a.sequence.localeCompare(b.sequence));
  }
}

function idsOf(events: readonly DetectedEvent[]): string[] {
  return events.map(({ id }) => id);
}

function toText(value: object | undefined): string {
  return value === undefined ? '' : JSON.stringify(value);
}

function parse<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text, reviveDate) as T);
}

const DATE_FIELDS: ReadonlySet<string> = new Set([
  'since',
  'reportedAt',
  'endedAt',
  'startedAt',
  'heldSince',
] satisfies (keyof FaultState | keyof AlertAllowance)[]);

function reviveDate(key: string, value: unknown): unknown {
  return DATE_FIELDS.has(key) && typeof value === 'string' ? new Date(value) : value;
}
