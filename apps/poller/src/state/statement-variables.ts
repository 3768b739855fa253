import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import type { StatementVariable } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import {
  AuthenticatedHash,
  isWrongTypeError,
  type DiscardedValue,
  type Fence,
  type RedisConnection,
} from '@ssb/redis-queue';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { parseSaved } from './parse-saved.js';
import { FencedOffError, type FencingToken, type PollerKeys } from './poller-keys.js';
import { FENCED_WRITE } from './poller-state-store.js';
import { TermMemory } from './saved-state.js';

/** Version of the saved form. The text of another version is not read. */
const VERSION = 1;
/** Of one statement, as it is saved. 100,000 variables that share no digits take 2.4 MB. */
export const MAX_SAVED_BYTES = 4 * 1024 * 1024;
const MAX_JSON_BYTES = 64 * 1024 * 1024;
/** In one command. */
const MAX_DELETED_FIELDS = 1_000;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export interface StatementVariablesOptions {
  readonly redis: RedisConnection;
  readonly keys: Pick<PollerKeys, 'fence' | 'variables'>;
  readonly integrityKeys: KeySource;
  /** Changes with each new connection. */
  readonly currentServer: () => number;
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
  readonly log: Logger;
}

/**
 * The variables of the announced version of each statement in Redis, compressed, so that a revision can say what changed. They carry a
 * message authentication code and the digest of their version, so those of another version are never compared.
 *
 * All methods throw FencedOffError when another replica leads.
 */
export class StatementVariables {
  private readonly hash: AuthenticatedHash;
  /** Digests that are saved, by part. */
  private readonly saved: TermMemory<Map<string, string>>;

  constructor(private readonly options: StatementVariablesOptions) {
    const { redis, keys, integrityKeys, currentServer } = options;
    this.hash = new AuthenticatedHash(
      redis,
      keys.variables,
      new ContentAuthenticator(integrityKeys, 'poller-state'),
    );
    this.saved = new TermMemory(currentServer);
  }

  /** Undefined when the variables of this version are not saved. */
  async read(
    token: FencingToken,
    part: string,
    digest: string,
  ): Promise<readonly StatementVariable[] | undefined> {
    const content = await this.readContent(token, part);
    const start = startOf(digest);
    return content?.startsWith(start) ? parseVariables(content.slice(start.length)) : undefined;
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
    const saved = this.savedIn(token);
    if (saved.get(part) === digest) return;
    if (!(await this.isStored(part, digest))) {
      const variables = list();
      if (variables === undefined) return;
      const content = startOf(digest) + (await formatVariables(variables));
      if (content.length > MAX_SAVED_BYTES)
        this.options.log.warn(
          { document: part, bytes: content.length },
          'statement variables too large to save',
        );
      else await this.write(token, part, content);
    }
    saved.set(part, digest);
  }

  /** Deletes those of all other parts, which are not requested again. */
  async keepOnly(token: FencingToken, parts: ReadonlySet<string>): Promise<void> {
    const { redis } = this.options;
    const fields = await redis.hkeysBuffer(this.hash.key).catch(async (error: unknown) => {
      if (!isWrongTypeError(error)) throw error;
      await this.readContent(token, '');
      return [] as Buffer[];
    });
    const others = fields.filter((field) => !parts.has(field.toString())).slice(0, MAX_DELETED_FIELDS);
    if (others.length === 0) return;
    await this.writeFenced(token, '', '', others);
    for (const field of others) this.savedIn(token).delete(field.toString());
  }

  private savedIn(token: FencingToken): Map<string, string> {
    const known = this.saved.get(token) ?? new Map<string, string>();
    this.saved.set(token, this.options.currentServer(), known);
    return known;
  }

  /** Reads the start of the value only. Without its code it decides no more than whether the variables are saved again. */
  private async isStored(part: string, digest: string): Promise<boolean> {
    const { redis } = this.options;
    try {
      const start = (await redis.eval(READ_START, 1, this.hash.key, part)) as string;
      return start.includes(` ${startOf(digest)}`);
    } catch (error) {
      if (isWrongTypeError(error)) return false;
      throw error;
    }
  }

  private async readContent(token: FencingToken, part: string): Promise<string | undefined> {
    const fence: Fence = { key: this.options.keys.fence, token };
    const reading = await this.hash.read([part], fence);
    if (!(await this.hash.apply(reading, fence))) throw new FencedOffError(token);
    if (reading.discarded.length > 0) this.options.onDiscarded(reading.discarded);
    return reading.values.get(part)?.content;
  }

  private async write(token: FencingToken, part: string, content: string): Promise<void> {
    const text = this.hash.toText(part, content);
    await this.writeFenced(token, part, text).catch(async (error: unknown) => {
      if (!isWrongTypeError(error)) throw error;
      // The reading deletes a key that is not a hash.
      await this.readContent(token, part);
      await this.writeFenced(token, part, text);
    });
  }

  private async writeFenced(
    token: FencingToken,
    field: string,
    text: string,
    deleted: readonly Buffer[] = [],
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

/** The first characters of a value: its code and the digest. KEYS: hash. ARGV: field. */
const READ_START = `return string.sub(redis.call('HGET', KEYS[1], ARGV[1]) or '', 1, 200)`;

const startOf = (digest: string): string => `${VERSION} ${digest} `;

const rows = z.array(z.tuple([z.string(), z.string(), z.string(), z.string(), z.string()]));

async function formatVariables(variables: readonly StatementVariable[]): Promise<string> {
  const text = JSON.stringify(
    variables.map(({ tradingDay, variable, pOrC, gstApplicable, value }) => [
      tradingDay,
      variable,
      pOrC,
      gstApplicable,
      value,
    ]),
  );
  return (await compress(text)).toString('base64');
}

/** @returns undefined when the text is not in the form of this release */
async function parseVariables(text: string): Promise<readonly StatementVariable[] | undefined> {
  const bytes = Buffer.from(text, 'base64');
  const json = await decompress(bytes, { maxOutputLength: MAX_JSON_BYTES }).catch(() => undefined);
  return parseSaved(rows, json?.toString() ?? '')?.map(
    ([tradingDay, variable, pOrC, gstApplicable, value]) => ({
      tradingDay,
      variable,
      pOrC,
      gstApplicable,
      value,
    }),
  );
}
