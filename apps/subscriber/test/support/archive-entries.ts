import type { VerifiedEntry, RejectedEntry } from '../../src/storage/archive-entries.js';

const GATEWAY = 'did:ethr:0x1111111111111111111111111111111111111111';
const ORIGIN = 'did:ethr:0x2222222222222222222222222222222222222222';

export interface VerifiedEntryOptions {
  readonly id: string;
  readonly messageId?: string;
  readonly subject?: string;
  readonly sequence?: number;
  readonly sinks?: readonly string[];
  readonly alert?: boolean;
  readonly text?: string;
}

/** An entry for the storage, which does not verify signatures. */
export function verifiedEntry(options: VerifiedEntryOptions): VerifiedEntry {
  const { id, messageId = `message-of-${id}`, subject = `subject-of-${id}`, sequence = 1 } = options;
  return {
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
      type: 'settlementbus.margin.breached.v1',
      subject,
      participant: 'WPGENCO',
      sequence: String(sequence).padStart(20, '0'),
      time: '2026-03-02T08:00:00+08:00',
      detectedat: '2026-03-02T00:00:01.250Z',
    },
    origin: ORIGIN,
    sinks: options.sinks ?? [],
    alert: options.alert ?? false,
  };
}

export function rejectedEntry(
  options: Partial<RejectedEntry['message']> &
    Pick<Partial<RejectedEntry>, 'reason' | 'detail' | 'possibleRepeatOf'>,
): RejectedEntry {
  const {
    reason = 'signer-mismatch',
    detail = 'the payload was signed by another address',
    possibleRepeatOf,
    ...message
  } = options;
  return {
    kind: 'rejected',
    message: { ...verifiedEntry({ id: 'unsigned' }).message, id: 'bad-1', ...message },
    reason,
    detail,
    possibleRepeatOf,
  };
}
