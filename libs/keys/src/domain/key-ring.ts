import { z } from 'zod';

/** One secret of a key ring. */
export interface KeyVersion {
  /** From 1; a later version has a later `activeFrom`. */
  readonly version: number;
  /** From this time on the key makes new signatures, until a later version is active. */
  readonly activeFrom: Date;
  readonly secret: string;
}

/** The file is not a key ring, or a secret in it is too short. The message holds nothing of the content. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError';
  readonly startFault = 'configuration';
}

export const MAX_KEYS = 10;
export const MIN_SECRET_LENGTH = 32;

const EPOCH = new Date(0);

const keyRingSchema = z.strictObject({
  keys: z
    .array(
      z.strictObject({
        version: z.int().min(1).max(1_000_000),
        activeFrom: z.iso.datetime({ offset: true }),
        secret: z.string().min(1).max(1_024),
      }),
    )
    .min(1)
    .max(MAX_KEYS),
});

/** Versions of one secret. All of them verify, one signs: so a rotation needs no moment at which every process changes. */
export class KeyRing {
  /** Oldest first. */
  readonly keys: readonly KeyVersion[];

  /** @throws KeyRingError when a version is repeated, or a later version is active before an earlier one */
  constructor(keys: readonly KeyVersion[]) {
    this.keys = keys.toSorted((a, b) => a.version - b.version);
    for (const [index, { version, activeFrom }] of this.keys.entries()) {
      const next = this.keys[index + 1];
      if (next !== undefined && (next.version === version || next.activeFrom <= activeFrom))
        throw new KeyRingError(
          `The keys need different versions, and a later version a later activeFrom; see versions ${version} and ${next.version}.`,
        );
    }
  }

  /** The key that signs at a time: the latest that is active, otherwise the oldest. */
  activeAt(time: Date): KeyVersion {
    const key = this.keys.findLast(({ activeFrom }) => activeFrom <= time) ?? this.keys[0];
    if (key === undefined) throw new KeyRingError('The key ring has no key.');
    return key;
  }

  find(version: number): KeyVersion | undefined {
    return this.keys.find((key) => key.version === version);
  }
}

/**
 * Parses a key ring: JSON of `formatKeyRing`, or a plain text, which counts as version 1.
 * @param minSecretLength characters of each secret
 * @throws KeyRingError
 */
export function parseKeyRing(text: string, minSecretLength = MIN_SECRET_LENGTH): KeyRing {
  const trimmed = text.trim();
  const keys = trimmed.startsWith('{')
    ? parseJsonKeys(trimmed)
    : [{ version: 1, activeFrom: EPOCH, secret: trimmed }];
  for (const { version, secret } of keys)
    if (secret.length < minSecretLength)
      throw new KeyRingError(
        `The secret of version ${version} has ${secret.length} characters; at least ${minSecretLength} are needed.`,
      );
  return new KeyRing(keys);
}

function parseJsonKeys(text: string): KeyVersion[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new KeyRingError('The key ring is not JSON.');
  }
  const result = keyRingSchema.safeParse(value);
  if (!result.success)
    throw new KeyRingError(
      `The key ring must be {"keys": [{"version", "activeFrom", "secret"}]} with 1 to ${MAX_KEYS} keys; see ${result.error.issues
        .map(({ path }) => path.join('.') || 'the top level')
        .join(', ')}.`,
    );
  return result.data.keys.map((key) => ({ ...key, activeFrom: new Date(key.activeFrom) }));
}

/** The content of a key ring file. */
export function formatKeyRing({ keys }: KeyRing): string {
  const entries = keys.map((key) => ({ ...key, activeFrom: key.activeFrom.toISOString() }));
  return `${JSON.stringify({ keys: entries }, undefined, 2)}\n`;
}
