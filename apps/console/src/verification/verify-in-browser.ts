import {
  Trust,
  verifyEvidence,
  type ConsistentReason,
  type EvidenceKey,
  type EvidenceResult,
  type TrustFile,
} from 'settlement-bus-downstream/verify';
import { toChannelTrust, type KeyInterval } from 'settlement-bus-downstream/checks';

/** A key of `GET /v1/trusted-keys`. */
export type TrustedKey = KeyInterval & { readonly channel: string };

/** Where the trusted keys come from. Callers of some participants may only read those of the evidence file. */
export type TrustSource = 'trusted-keys' | 'evidence';

interface VerificationInput {
  /** The evidence file, byte for byte. */
  readonly evidence: Uint8Array;
  /** The text of the event that the page shows. */
  readonly shownText: string;
  /** Those of the server; undefined: those that the evidence names. */
  readonly trustedKeys: readonly TrustedKey[] | undefined;
}

/** What this browser found out, in sentences for people. */
export interface Verification {
  /** `unsigned`: nobody signed the event, so there is nothing to verify. */
  readonly verdict: 'verified' | 'not-verified' | 'unsigned';
  /** Why it is not verified; the reason of the verifier and a sentence. */
  readonly reason?: string;
  readonly detail?: string;
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
  /** What follows from keys that were retired or revoked. */
  readonly notes: readonly string[];
  readonly keys: readonly SignerKey[];
  readonly trustSource: TrustSource;
}

export interface SignerKey extends EvidenceKey {
  readonly role: 'gateway' | 'bridge';
}

/** Verifies both signatures of an event, and that the page shows this event. Never throws. */
export function verifyInBrowser({ evidence, shownText, trustedKeys }: VerificationInput): Verification {
  const file = parse(evidence);
  const trustSource = trustedKeys === undefined ? 'evidence' : 'trusted-keys';
  const result = verifyEvidence(evidence, createTrust(file, trustedKeys));
  const isShown = file?.message === undefined || file.message.payload === shownText;
  if (result.status === 'invalid') return refuse(result.reason, result.detail, trustSource);
  if (!isShown)
    return refuse('event-mismatch', 'The page shows another text than the one that was signed.', trustSource);
  return describe(result, trustSource);
}

function describe(
  result: Exclude<EvidenceResult, { status: 'invalid' }>,
  trustSource: TrustSource,
): Verification {
  const { proved, notProved, notes, gateway, origin } = result;
  const keys = [
    ...(origin === undefined ? [] : [{ role: 'bridge' as const, ...origin }]),
    ...(gateway === undefined ? [] : [{ role: 'gateway' as const, ...gateway }]),
  ];
  const toWords = (sentence: string): string => nameKeys(withoutTrustFile(sentence, trustSource), keys);
  return {
    verdict: result.ok ? 'verified' : result.reason === 'unsigned' ? 'unsigned' : 'not-verified',
    ...(!result.ok && { reason: result.reason, detail: explain(result.reason, result.detail, trustSource) }),
    proved: proved.map(toWords),
    notProved: [...notProved.map(toWords), ...(keys.length === 0 ? [] : TRUST_LIMITS[trustSource])],
    notes: notes.map(toWords),
    keys,
    trustSource,
  };
}

const SCHEME_LIMIT =
  'That gateways of this bus sign in the way that the file names: a trust file says which way is the right one.';

const TRUST_LIMITS: Readonly<Record<TrustSource, readonly string[]>> = {
  'trusted-keys': [
    'That the trusted keys are the right ones: their list comes from this server, as the event does.',
    SCHEME_LIMIT,
  ],
  evidence: [
    'That the trusted keys are the right ones: their list is in the evidence file, which comes from this server.',
    SCHEME_LIMIT,
  ],
};

/** The browser has a list of keys in place of the trust file of the command line. */
const withoutTrustFile = (sentence: string, source: TrustSource): string =>
  sentence.replaceAll('The trust file', TRUST_LISTS[source]);

const TRUST_LISTS: Readonly<Record<TrustSource, string>> = {
  'trusted-keys': 'The list of trusted keys',
  evidence: 'The evidence file',
};

/** The page has the DIDs of the signers elsewhere. */
const nameKeys = (sentence: string, keys: readonly SignerKey[]): string =>
  keys.reduce((text, { did, role }) => text.replaceAll(did, `the ${role}`), sentence);

function explain(reason: ConsistentReason, detail: string, source: TrustSource): string {
  return reason === 'signer-not-verified'
    ? 'Both signatures are valid, but the list of trusted keys could not be read.'
    : withoutTrustFile(detail, source);
}

function refuse(reason: string, detail: string, trustSource: TrustSource): Verification {
  return {
    verdict: 'not-verified',
    reason,
    detail,
    proved: [],
    notProved: ['Everything that the page shows of this event.'],
    notes: [],
    keys: [],
    trustSource,
  };
}

/** The members of a file that the verifier has not checked yet. */
interface UncheckedFile {
  readonly signatureScheme?: TrustFile['signatureScheme'];
  readonly message?: { readonly fqcn?: unknown; readonly payload?: unknown };
  readonly trusted?: unknown;
}

function parse(evidence: Uint8Array): UncheckedFile | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(evidence)) as UncheckedFile;
  } catch {
    return undefined;
  }
}

/** Without a valid list nothing is trusted: the result says that the signers are not verified. */
function createTrust(
  file: UncheckedFile | undefined,
  keys: readonly TrustedKey[] | undefined,
): { readonly trust?: Trust } {
  if (file?.message === undefined) return {};
  const { signatureScheme, message, trusted } = file;
  const channels =
    keys === undefined
      ? { [String(message.fqcn)]: trusted }
      : Object.fromEntries([...groupByChannel(keys)].map(([name, each]) => [name, toChannelTrust(each)]));
  try {
    return { trust: Trust.fromJson({ version: 1, signatureScheme, channels }) };
  } catch {
    return {};
  }
}

function groupByChannel(keys: readonly TrustedKey[]): ReadonlyMap<string, TrustedKey[]> {
  const groups = new Map<string, TrustedKey[]>();
  for (const key of keys) groups.set(key.channel, [...(groups.get(key.channel) ?? []), key]);
  return groups;
}
