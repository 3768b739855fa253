import type { AcceptedEntry, RejectedEntry } from '../../src/storage/entries.js';

const GATEWAY = 'did:ethr:0x1111111111111111111111111111111111111111';
const ORIGIN = 'did:ethr:0x2222222222222222222222222222222222222222';

export interface AcceptedWish {
  readonly id: string;
  readonly messageId?: string;
  readonly subject?: string;
  readonly sequence?: number;
  readonly sinks?: readonly string[];
  readonly alert?: boolean;
  readonly text?: string;
}

/** An entry that storage takes as it is; whether its signatures are right is not storage's business. */
export function acceptedEntry(wish: AcceptedWish): AcceptedEntry {
  const { id, messageId = `message-of-${id}`, subject = `subject-of-${id}`, sequence = 1 } = wish;
  return {
    kind: 'accepted',
    message: {
      id: messageId,
      fqcn: 'prudential.channels.bridge.apps.participant.iam.market',
      topic: 'margin.breached.v1',
      payload: wish.text ?? JSON.stringify({ id }),
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
    signer: ORIGIN,
    sinks: wish.sinks ?? [],
    alert: wish.alert ?? false,
  };
}

export function rejectedEntry(
  wish: Partial<RejectedEntry['message']> & Pick<Partial<RejectedEntry>, 'reason' | 'detail' | 'unlessSeen'>,
): RejectedEntry {
  const { reason = 'signer-mismatch', detail = 'somebody else signed it', unlessSeen, ...message } = wish;
  return {
    kind: 'rejected',
    message: { ...acceptedEntry({ id: 'unproved' }).message, id: 'bad-1', ...message },
    reason,
    detail,
    unlessSeen,
  };
}
