import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import type { StatementVariable } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import {
  AuthenticatedHash,
  isWrongTypeError,
  type DiscardedValue,
  type Fence,
  type HashReading,
  type RedisConnection,
} from '@ssb/redis-queue';
import { FencedOffError, type FencingToken, type PollerKeys } from './poller-keys.js';
import { FENCED_WRITE } from './poller-state-store.js';
import { TermMemory } from './saved-state.js';
import { DIGEST, formatVariables, parseVariables, startOf } from './variables-text.js';

/** Of one statement, as it is saved. 100,000 variables that share no digits take 2.4 MB. */
export const MAX_SAVED_BYTES = 4 * 1024 * 1024;
/** Of one participant. Redis has the queue too. */
export const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
/** In one command. */
const MAX_DELETED_FIELDS = 1_000;

/** `no-room`: left out because of MAX_TOTAL_BYTES. `unreadable`: not in the form of this release, or changed by another client. */
export type MissingReason = 'not-saved' | 'too-large' | 'no-room' | 'unreadable';

/** What this replica knows of a part. */
interface Known {
  readonly digest: string;
  /** Of the value in Redis. */
  readonly bytes: number;
  /** Why the variables of this version are not saved. */
  readonly missing?: MissingReason;
}

export interface StatementVariablesOptions {
  readonly redis: RedisConnection;
  readonly keys: Pick<PollerKeys, 'fence' | 'variables'>;
  readonly integrityKeys: KeySource;
  /** Changes with each new connection. */
  readonly currentServer: () => number;
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
  readonly log: Logger;
  /** MAX_TOTAL_BYTES by default. */
  readonly maxBytes?: number;
}

/**
 * The variables of the announced version of each statement in Redis, compressed, so that a revision can say what changed. They carry a
 * message authentication code and the digest of their version, so those of another version are never compared. Those of the earliest
 * periods give way when a participant has too many.
 *
 * All methods throw FencedOffError when another replica leads.
 */
export class StatementVariables {
  private readonly hash: AuthenticatedHash;
  /** By part. */
  private readonly memory: TermMemory<Map<string, Known>>;

  constructor(private readonly options: StatementVariablesOptions) {
    const { redis, keys, integrityKeys, currentServer } = options;
    this.hash = new AuthenticatedHash(
      redis,
      keys.variables,
      new ContentAuthenticator(integrityKeys, 'poller-state'),
    );
    this.memory = new TermMemory(currentServer);
  }

  /** The variables of this version, or why there are none. */
  async read(
    token: FencingToken,
    part: string,
    digest: string,
  ): Promise<readonly StatementVariable[] | MissingReason> {
    const { values, discarded } = await this.readPart(token, part);
    if (discarded.length > 0) return 'unreadable';
    const content = values.get(part)?.content;
    const start = startOf(digest);
    if (content?.startsWith(start))
      return (await parseVariables(content.slice(start.length))) ?? 'unreadable';
    const known = this.memory.get(token)?.get(part);
    return (known?.digest === digest ? known.missing : undefined) ?? 'not-saved';
  }

  /**
   * Saves the variables of the announced version, unless they are saved.
   * @param list undefined when the variables of this version are not at hand
   */
  async save(
    token: FencingToken,
    part: string,
    digest: string,
    list: () => readonly StatementVariable[] | undefined,
  ): Promise<void> {
    const known = await this.knownIn(token);
    if (known.get(part)?.digest === digest) return;
    const variables = list();
    if (variables === undefined) return;
    const content = startOf(digest) + (await formatVariables(variables));
    const bytes = content.length;
    const earlier = known.get(part)?.bytes ?? 0;
    if (bytes > MAX_SAVED_BYTES) {
      this.options.log.warn({ document: part, bytes }, 'statement variables too large to save');
      known.set(part, { digest, bytes: earlier, missing: 'too-large' });
      return;
    }
    const text = this.hash.toText(part, content);
    const given = this.makeRoom(known, part, text.length);
    if (given === undefined) {
      known.set(part, { digest, bytes: earlier, missing: 'no-room' });
      return;
    }
    // Before the writing, because other parts are saved at the same time.
    known.set(part, { digest, bytes: text.length });
    await this.write(token, part, text, given).catch((error: unknown) => {
      this.memory.forget();
      throw error;
    });
  }

  /** Deletes those of all other parts, which are not requested again. */
  async keepOnly(token: FencingToken, parts: ReadonlySet<string>): Promise<void> {
    const { redis } = this.options;
    const fields = await this.replaceOtherType<Buffer[]>(token, [], () => redis.hkeysBuffer(this.hash.key));
    const others = fields.filter((field) => !parts.has(field.toString())).slice(0, MAX_DELETED_FIELDS);
    if (others.length === 0) return;
    await this.writeFenced(token, '', '', others);
    const known = this.memory.get(token);
    for (const field of others) known?.delete(field.toString());
    // They are tried again.
    for (const [part, { bytes, missing }] of known ?? [])
      if (missing === 'no-room') known?.set(part, { digest: '', bytes });
  }

  /** Reads the start of the values only. Without their codes they decide no more than what is saved. */
  private async knownIn(token: FencingToken): Promise<Map<string, Known>> {
    const { redis, currentServer } = this.options;
    const server = currentServer();
    const found = this.memory.get(token);
    if (found !== undefined) return found;
    type Row = readonly [part: string, bytes: number, start: string];
    const rows = await this.replaceOtherType<readonly Row[]>(
      token,
      [],
      () => redis.eval(READ_STARTS, 1, this.hash.key) as Promise<Row[]>,
    );
    // Another part was saved meanwhile.
    const meanwhile = this.memory.get(token);
    if (meanwhile !== undefined) return meanwhile;
    const known = new Map(
      rows.map(([part, bytes, start]) => [part, { digest: DIGEST.exec(start)?.[1] ?? '', bytes }]),
    );
    this.memory.set(token, server, known);
    return known;
  }

  /** The parts of earlier periods that give way. @returns undefined when there is no room even without them */
  private makeRoom(known: Map<string, Known>, part: string, bytes: number): readonly string[] | undefined {
    const { maxBytes = MAX_TOTAL_BYTES, log } = this.options;
    const others = [...known].filter(([name, { bytes }]) => name !== part && bytes > 0);
    let total = others.reduce((sum, [, each]) => sum + each.bytes, bytes);
    const given: string[] = [];
    const earlier = others.filter(([name]) => periodOf(name) < periodOf(part));
    for (const [name, each] of earlier.sort(([one], [other]) => (periodOf(one) < periodOf(other) ? -1 : 1))) {
      if (total <= maxBytes) break;
      given.push(name);
      total -= each.bytes;
    }
    const hasRoom = total <= maxBytes;
    const isFirst = ![...known.values()].some(({ missing }) => missing === 'no-room');
    if (isFirst && (!hasRoom || given.length > 0))
      log.warn({ document: part, bytes: maxBytes }, 'no room for all statement variables');
    if (!hasRoom) return undefined;
    for (const name of given)
      known.set(name, { digest: known.get(name)?.digest ?? '', bytes: 0, missing: 'no-room' });
    return given;
  }

  private async readPart(token: FencingToken, part: string): Promise<HashReading> {
    const fence: Fence = { key: this.options.keys.fence, token };
    const reading = await this.hash.read([part], fence);
    if (!(await this.hash.apply(reading, fence))) throw new FencedOffError(token);
    if (reading.discarded.length > 0) this.options.onDiscarded(reading.discarded);
    return reading;
  }

  private async write(
    token: FencingToken,
    part: string,
    text: string,
    deleted: readonly string[],
  ): Promise<void> {
    const write = () => this.writeFenced(token, part, text, deleted);
    const isWritten = await this.replaceOtherType(token, false, () => write().then(() => true));
    if (!isWritten) await write();
  }

  /** @returns the second value when the key was not a hash; the reading deletes it */
  private async replaceOtherType<Result>(
    token: FencingToken,
    otherwise: Result,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return work().catch(async (error: unknown) => {
      if (!isWrongTypeError(error)) throw error;
      await this.readPart(token, '');
      return otherwise;
    });
  }

  private async writeFenced(
    token: FencingToken,
    field: string,
    text: string,
    deleted: readonly (Buffer | string)[] = [],
  ): Promise<void> {
    const { redis, keys } = this.options;
    const written = await redis.eval(
      FENCED_WRITE,
      2,
      keys.fence,
      this.hash.key,
      token,
      field,
      text,
      ...deleted,
    );
    if (written !== 1) throw new FencedOffError(token);
  }
}

/** Of each value the field, its bytes and its first characters: the code and the digest. KEYS: hash. */
const READ_STARTS = `
local rows = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local text = redis.call('HGET', KEYS[1], field)
  rows[#rows + 1] = {field, #text, string.sub(text, 1, 200)}
end
return rows`;

/** As `statement:WEM|2026-03-01|INITIAL` has it. */
const periodOf = (part: string): string => part.split('|')[1] ?? '';
