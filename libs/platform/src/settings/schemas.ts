import {
  describeHttpAddress,
  IpNetworks,
  isHttpAddress,
  WEBHOOK_SECRET,
  WEBHOOK_SECRET_FORM,
  type HttpAddressOptions,
} from '@ssb/net';
import { z } from 'zod';

/** Schemas that parse a variable's text. Each description completes the sentence "it takes …". */

export const text = (what = 'any text') => z.string().min(1).describe(what);

export const integer = ({ min, max }: { min: number; max: number }) =>
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number)
    .pipe(z.number().int().min(min).max(max))
    .describe(`a whole number from ${min} to ${max}`);

/** A share of a whole. */
export const ratio = () =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number)
    .pipe(z.number().min(0).max(1))
    .describe('a number from 0 to 1, such as 0.1');

export const port = () => integer({ min: 0, max: 65_535 });

/** A duration in milliseconds. */
export const milliseconds = ({ min = 0, max = 7 * 24 * 3_600_000 } = {}) =>
  integer({ min, max }).describe(`a duration in milliseconds from ${min} to ${max}`);

export const flag = () =>
  z
    .enum(['true', 'false', '1', '0'])
    .transform((value) => value === 'true' || value === '1')
    .describe('true or false');

export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values).describe(`one of ${values.join(', ')}`);

function urlWith(protocols: readonly string[]) {
  return z
    .string()
    .regex(new RegExp(`^(${protocols.join('|')})//`))
    .refine((value) => {
      return URL.canParse(value) && protocols.includes(new URL(value).protocol);
    })
    .describe(`an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
}

function httpAddress(options: HttpAddressOptions) {
  return z
    .string()
    .refine((value) => isHttpAddress(value, options))
    .describe(describeHttpAddress(options));
}

/**
 * An HTTP base address, without a trailing slash. It can have a path.
 * @param tls true where `http://` is only allowed on loopback
 */
export const httpUrl = ({ tls = false } = {}) => {
  const schema = httpAddress({ query: false, credentials: false, tls });
  return schema.transform((value) => value.replace(/\/+$/, '')).describe(schema.description ?? '');
};

const MAX_URLS = 50;

/** HTTP base addresses, without trailing slashes. */
export const httpUrls = () =>
  z
    .string()
    .transform((value, context): readonly string[] => {
      const urls = splitList(value);
      const areValid = urls.every((url) => isHttpAddress(url, { query: false, credentials: false }));
      if (urls.length === 0 || urls.length > MAX_URLS || !areValid) return refuse(context);
      return urls.map((url) => url.replace(/\/+$/, ''));
    })
    .describe(`http:// or https:// addresses, separated by commas; at most ${MAX_URLS}`);

/**
 * An HTTP address that keeps its trailing slash and its query.
 * @param credentials false where the client does not send the user and password of the address
 * @param tls true where `http://` is only allowed on loopback
 */
export const exactHttpUrl = ({ credentials = true, tls = false } = {}) =>
  httpAddress({ query: true, credentials, tls });

/** A WebSocket address, whose path and query are used. */
export const webSocketUrl = () =>
  urlWith(['ws:', 'wss:'])
    .refine((value) => !value.includes('#') && !/^[^/]*\/\/[^/?]*@/.test(value))
    .describe('an address that starts with ws:// or wss://, without user, password and fragment');

/** A key of Standard Webhooks: `whsec_` and the key in base64. */
export const webhookSecret = () => z.string().regex(WEBHOOK_SECRET).describe(WEBHOOK_SECRET_FORM);

/** ioredis uses database 0 for a path that is not a number. */
export const redisUrl = () =>
  urlWith(['redis:', 'rediss:'])
    .refine((value) => /^\/?\d*$/.test(new URL(value).pathname) && !value.includes('#'))
    .describe(
      'an address that starts with redis:// or rediss://, without a path or with the number of a database',
    );

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

export interface RedisAddresses {
  readonly addresses: readonly RedisAddress[];
  readonly tls: boolean;
}

/** The servers of a Redis Sentinel or Redis Cluster. */
export const redisAddresses = () =>
  z
    .string()
    .refine((value) => parseRedisAddresses(value) !== undefined)
    .describe('host:port, separated by commas; with TLS rediss://host:port, in every entry');

const REDIS_ADDRESS = /^(?:rediss?:\/\/)?(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/;

/** The scheme decides about TLS, so all entries have the same. @returns undefined when the text is not in the form */
export function parseRedisAddresses(value: string): RedisAddresses | undefined {
  const entries = splitList(value);
  const schemes = new Set(entries.map((entry) => /^rediss?:/.exec(entry)?.[0]));
  if (schemes.size !== 1 || !entries.every((entry) => REDIS_ADDRESS.test(entry))) return undefined;
  const texts = entries.map((entry) => (entry.includes('://') ? entry : `redis://${entry}`));
  if (!texts.every((text) => URL.canParse(text))) return undefined;
  const addresses = texts.map((text) => toAddress(new URL(text)));
  return addresses.every(({ port }) => port > 0) ? { addresses, tls: schemes.has('rediss:') } : undefined;
}

/** A URL has an IPv6 address in brackets. */
function toAddress({ hostname, port }: URL): RedisAddress {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

const KEY_PREFIX = /^(?:\{[A-Za-z0-9._-]{1,62}\}|[A-Za-z0-9._-]{1,64})$/;

/** A prefix of Redis keys. Without a colon in it, no prefix with its colon is the beginning of another. */
export const keyPrefix = () =>
  z
    .string()
    .regex(KEY_PREFIX)
    .describe(
      'at most 64 letters, digits, dots, - and _, in braces where all keys need one Redis Cluster slot',
    );

export const postgresUrl = () => {
  const schema = urlWith(['postgres:', 'postgresql:']);
  return schema.refine((value) => !value.includes('#')).describe(schema.description ?? '');
};

/** Comma-separated texts; empty ones are dropped. */
export const list = (what = 'a comma-separated list') =>
  z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .describe(what);

/**
 * IP addresses and networks.
 * @param every whether a network may have all addresses
 */
export const networks = ({ every = true } = {}) =>
  z
    .string()
    .transform((value, context): IpNetworks => {
      const texts = splitList(value);
      const allowed = texts.length > 0 && (every || !texts.some((text) => /\/0+$/.test(text)));
      return (allowed ? IpNetworks.parse(texts) : undefined) ?? refuse(context);
    })
    .describe(
      `networks such as 10.0.0.0/8 or fd00::/8, and addresses, separated by commas${every ? '' : '; no network of all addresses'}`,
    );

/** The entries of a text with commas or spaces between them. */
export function splitList(value: string): string[] {
  return value.split(/[\s,]+/).filter(Boolean);
}

/** Ends a transformation of a text that is not in the form of its description. */
export function refuse(context: { addIssue(message: string): void }): never {
  context.addIssue('not in the form');
  return z.NEVER;
}

/** The setting may be absent; the value is then undefined. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.optional().describe(schema.description ?? 'any text');
