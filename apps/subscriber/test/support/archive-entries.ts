import type { ProblemSignal } from '@ssb/events';
import type { AlertPolicy } from '../../src/archive/alert-policy.js';
import type { VerifiedEntry, RejectedEntry } from '../../src/archive/archive-entries.js';

const GATEWAY = 'did:ethr:0x1111111111111111111111111111111111111111';
const ORIGIN = 'did:ethr:0x2222222222222222222222222222222222222222';

export interface VerifiedEntryOptions {
  readonly id: string;
  readonly messageId?: string;
  readonly subject?: string;
  readonly sequence?: number;
  readonly sinks?: readonly string[];
  /** It opens a problem of its own. */
  readonly alert?: boolean;
  readonly problem?: ProblemSignal;
  readonly text?: string;
  readonly type?: VerifiedEntry['event']['type'];
  readonly time?: string;
  readonly participant?: string;
  readonly signedat?: string;
  readonly announcesProblem?: boolean;
  readonly documentVersion?: string;
  readonly isRestated?: boolean;
}

const sinksOf = new WeakMap<VerifiedEntry['event'], readonly string[]>();

/** Each entry goes to the sinks that it was created with. */
export const TEST_POLICY: AlertPolicy = {
  severityOf: (signal) => signal?.severity ?? 'info',
  findSinks: ({ event }) => sinksOf.get(event) ?? [],
  findWithholdingRules: () => [],
  hasSink: () => true,
};

/** An entry for the storage, which does not verify signatures. */
export function verifiedEntry(options: VerifiedEntryOptions): VerifiedEntry {
  const { id, messageId = `message-of-${id}`, subject = `subject-of-${id}`, sequence = 1 } = options;
  const problem = options.alert ? openingSignal(id) : options.problem;
  const entry: VerifiedEntry = {
    kind: 'verified',
    message: {
      id: messageId,
      fqcn: 'prudential.channels.bridge.apps.participant.iam.market',
      topic: 'margin.breached.v1',
      payload: options.text ?? JSON.stringify({ id }),
      signature: `0x${'ab'.repeat(65)}`,
      sender: GATEWAY,
      timestampNanos: 1_700_000_000_123_456_789n,
      transactionId: id,
    },
    event: {
      id,
      type: options.type ?? 'settlementbus.margin.breached.v1',
      subject,
      participant: options.participant ?? 'WPGENCO',
      sequence: String(sequence).padStart(20, '0'),
      time: options.time ?? '2026-03-02T08:00:00+08:00',
      signedat: options.signedat ?? '2026-03-02T00:00:01.500Z',
      detectedat: '2026-03-02T00:00:01.250Z',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    },
    origin: ORIGIN,
    problem,
    amount: undefined,
    marks: [],
    announcesProblem: options.announcesProblem ?? true,
    documentVersion: options.documentVersion,
    isRestated: options.isRestated ?? false,
  };
  sinksOf.set(entry.event, options.sinks ?? []);
  return entry;
}

function openingSignal(key: string): ProblemSignal {
  return {
    kind: 'position-stale',
    key,
    effect: 'lasts',
    severity: 'warning',
    figures: {},
    closedByPerson: false,
  };
}

export function rejectedEntry(
  options: Partial<RejectedEntry['message']> &
    Partial<Pick<RejectedEntry, 'reason' | 'detail' | 'trustedSource'>>,
): RejectedEntry {
  const {
    reason = 'signer-mismatch',
    detail = 'the payload was signed by another address',
    trustedSource,
    ...message
  } = options;
  return {
    kind: 'rejected',
    message: { ...verifiedEntry({ id: 'unsigned' }).message, id: 'bad-1', ...message },
    reason,
    detail,
    trustedSource,
  };
}
