import {
  compileSchema,
  endsFormerAlert,
  type SchemaError,
  type SchemaValidator,
  type TrustedSenders,
} from '@ssb/events';
import { isDid, isSameIdentity, type SignatureScheme } from '@ssb/identity';
import { TRUST_SCHEMA } from './trust-schema.js';
import { parseUtcTime } from './utc-time.js';

/** A gateway or bridge of a trust file, and when it was trusted: times in RFC 3339, UTC. */
export interface TrustEntry {
  readonly did: string;
  readonly from?: string;
  /** When it ceased to be trusted. */
  readonly until?: string;
  /** Since when its key may be in other hands. */
  readonly revoked?: string;
}

export interface OriginTrustEntry extends TrustEntry {
  /** Participants about which the bridge may announce facts. */
  readonly participants: readonly string[];
}

export interface ChannelTrust {
  readonly gateways: readonly TrustEntry[];
  readonly origins: readonly OriginTrustEntry[];
}

/** The content of a trust file; `trust.schema.json` is its schema. */
export interface TrustFile {
  readonly version: 1;
  /** How the gateways sign. */
  readonly signatureScheme: SignatureScheme;
  /** By fully qualified channel name. */
  readonly channels: Readonly<Record<string, ChannelTrust>>;
}

/** The content is not that of a trust file. The message names the place and what is allowed. */
export class InvalidTrustError extends Error {
  override readonly name = 'InvalidTrustError';

  constructor(
    /** JSON Pointer (RFC 6901) to the wrong value; empty for the whole content. */
    readonly path: string,
    problem: string,
  ) {
    super(`${path === '' ? 'the trust file' : `${path} of the trust file`} ${problem}`);
  }
}

const NO_SENDERS: TrustedSenders = { gateways: [], origins: [] };
const NO_ENTRIES: ChannelTrust = { gateways: [], origins: [] };

/** The gateways and bridges that are trusted on each channel. There is no default: whoever receives events decides. */
export class Trust {
  /** How the gateways sign. */
  readonly signatureScheme: SignatureScheme;
  private readonly entries: ReadonlyMap<string, ChannelTrust>;
  private readonly senders: ReadonlyMap<string, TrustedSenders>;

  /** Those of all channels. */
  private readonly participants: ReadonlySet<string>;

  private constructor({ signatureScheme, channels }: TrustFile) {
    this.signatureScheme = signatureScheme;
    this.entries = new Map(Object.entries(channels));
    this.senders = new Map(Object.entries(channels).map(([fqcn, each]) => [fqcn, toTrustedSenders(each)]));
    this.participants = new Set(
      [...this.senders.values()].flatMap(({ origins }) =>
        origins.flatMap(({ participants }) => participants),
      ),
    );
  }

  /** @param value the parsed content of a trust file. @throws InvalidTrustError */
  static fromJson(value: unknown): Trust {
    validator ??= compileSchema(TRUST_SCHEMA);
    if (!validator(value)) throw describe(validator.errors?.[0]);
    // A copy: the caller may change its value later.
    const file = JSON.parse(JSON.stringify(value)) as TrustFile;
    for (const [fqcn, channel] of Object.entries(file.channels)) assertChannel(fqcn, channel);
    return new Trust(file);
  }

  /** Reads a trust file of at most a few kilobytes; blocks. Only in Node. @throws InvalidTrustError */
  static fromFile(path: string): Trust {
    const text = readText(path);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new InvalidTrustError('', 'is not JSON');
    }
    return Trust.fromJson(value);
  }

  /** The senders that are trusted on a channel now, without those that were retired or revoked. None for an unknown channel. */
  sendersOf(fqcn: string): TrustedSenders {
    return this.senders.get(fqcn) ?? NO_SENDERS;
  }

  /**
   * As `sendersOf`, together with the bridges that were retired only after a time. Revoked ones are not among them.
   * @param at epoch milliseconds
   */
  sendersAt(fqcn: string, at: number): TrustedSenders {
    const { gateways, origins } = this.sendersOf(fqcn);
    const entries = this.entriesOf(fqcn).origins;
    const revoked = entries.filter((entry) => entry.revoked !== undefined);
    const retired = entries.filter(
      (entry) =>
        entry.until !== undefined &&
        coversTime(entry, at) &&
        !revoked.some(({ did }) => isSameIdentity(did, entry.did)),
    );
    return {
      gateways,
      origins: [...origins, ...retired.map(({ did, participants }) => ({ did, participants }))],
    };
  }

  /**
   * Whether an event only ends an alert about a participant that no entry of the file names.
   * @param at epoch milliseconds: the entries of that time count, instead of the present ones
   */
  endsFormerAlert(event: { readonly type: string; readonly participant: string }, at?: number): boolean {
    return endsFormerAlert(event, (code) =>
      at === undefined ? this.participants.has(code) : this.namedParticipant(code, at),
    );
  }

  private namedParticipant(code: string, at: number): boolean {
    return [...this.entries.values()].some(({ origins }) =>
      origins.some((entry) => entry.participants.includes(code) && coversTime(entry, at)),
    );
  }

  /** Every entry of a channel, with those that were retired or revoked. */
  entriesOf(fqcn: string): ChannelTrust {
    return this.entries.get(fqcn) ?? NO_ENTRIES;
  }

  /** Fully qualified names of the channels. */
  get channels(): readonly string[] {
    return [...this.entries.keys()];
  }
}

/** How far the clocks of bridges, subscribers and databases may differ, milliseconds. */
const TOLERANCE_MS = 60_000;

/** Whether a sender was trusted at a time: epoch milliseconds. */
export function coversTime({ from, until }: TrustEntry, at: number): boolean {
  return (
    (from === undefined || at >= parseUtcTime(from) - TOLERANCE_MS) &&
    (until === undefined || at <= parseUtcTime(until) + TOLERANCE_MS)
  );
}

let validator: SchemaValidator | undefined;

function toTrustedSenders({ gateways, origins }: ChannelTrust): TrustedSenders {
  const isTrusted = ({ until, revoked }: TrustEntry): boolean => until === undefined && revoked === undefined;
  return {
    gateways: gateways.filter(isTrusted).map(({ did }) => did),
    origins: origins.filter(isTrusted).map(({ did, participants }) => ({ did, participants })),
  };
}

/** Checks what the schema cannot express. @throws InvalidTrustError */
function assertChannel(fqcn: string, { gateways, origins }: ChannelTrust): void {
  const path = `/channels/${fqcn.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  for (const [index, entry] of gateways.entries()) assertEntry(`${path}/gateways/${index}`, entry);
  for (const [index, entry] of origins.entries()) assertEntry(`${path}/origins/${index}`, entry);
}

function assertEntry(path: string, { did, from, until, revoked }: TrustEntry): void {
  if (!isDid(did))
    throw new InvalidTrustError(
      `${path}/did`,
      'is not a DID of the form did:<method>:0x<40 hexadecimal digits>, or has a wrong checksum (EIP-55)',
    );
  for (const [name, time] of Object.entries({ from, until, revoked })) {
    if (time === undefined) continue;
    if (Number.isNaN(parseUtcTime(time)))
      throw new InvalidTrustError(`${path}/${name}`, 'is not a valid time');
    if (name === 'until' && from !== undefined && parseUtcTime(time) < parseUtcTime(from))
      throw new InvalidTrustError(`${path}/until`, 'is before from; it must be at or after it');
  }
}

function describe(error: SchemaError | undefined): InvalidTrustError {
  const { instancePath = '', keyword, params = {}, message = 'is wrong', schemaPath = '' } = error ?? {};
  const { properties = {}, description } = findSchema(schemaPath);
  const fail = (problem: string): InvalidTrustError => new InvalidTrustError(instancePath, problem);
  switch (keyword) {
    case 'required':
      return fail(`lacks ${String(params['missingProperty'])}`);
    case 'additionalProperties':
      return fail(
        `has the unknown member ${JSON.stringify(params['additionalProperty'])}; allowed are ${Object.keys(properties).join(', ')}`,
      );
    case 'const':
    case 'enum':
      return fail(`must be ${[params['allowedValues'] ?? params['allowedValue']].flat().join(' or ')}`);
    default:
      return fail(description === undefined ? message : `is wrong: ${message}. ${description}`);
  }
}

interface SchemaPart {
  readonly properties?: object;
  readonly description?: string;
}

/** The part of the schema that has the keyword to which the path leads. */
function findSchema(schemaPath: string): SchemaPart {
  let part: unknown = TRUST_SCHEMA;
  for (const name of schemaPath.split('/').slice(1, -1))
    part = (part as Readonly<Record<string, unknown>>)[name] ?? {};
  return part as SchemaPart;
}

/** Without an import of `node:fs`, so that bundles for browsers contain none. */
function readText(path: string): string {
  const runtime = (globalThis as { process?: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> }).process;
  const fs = runtime?.getBuiltinModule?.('node:fs');
  if (fs === undefined)
    throw new Error(
      'Trust.fromFile reads files only in Node. Use Trust.fromJson with the content of the file.',
    );
  return fs.readFileSync(path, 'utf8');
}
