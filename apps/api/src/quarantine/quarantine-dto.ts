import { Flag, Integer, Text, Time } from '../http/fields.js';
import { IsOneOf, IsRepeatable, PageQuery } from '../http/page.js';
import { isStorable, storableSchema } from '../http/texts.js';

const STATES = ['open', 'released'] as const;
const REASON = /^[a-z-]{1,64}$/;
const MAX_CHANNEL_LENGTH = 255;

/** Which quarantined messages a listing has. */
export class QuarantineQuery extends PageQuery {
  @IsRepeatable((text) => REASON.test(text), 'must be a reason, such as signer-mismatch', {
    description: 'Why the message was refused.',
    items: { type: 'string', pattern: REASON.source },
  })
  readonly reason?: readonly string[];

  @IsRepeatable(
    (text) => isStorable(text, MAX_CHANNEL_LENGTH),
    `must have 1 to ${MAX_CHANNEL_LENGTH} characters`,
    { description: 'Channel of the message.', items: storableSchema(MAX_CHANNEL_LENGTH) },
  )
  readonly channel?: readonly string[];

  @IsOneOf(STATES, 'released: a later evaluation accepted it. Default: open.')
  readonly state: readonly string[] = ['open'];
}

/** A message that failed verification. Nothing in it is verified. */
export class QuarantineRow {
  @Text({ description: 'Id of the message in the quarantine.' }) readonly id!: string;
  @Text({ description: 'Whether a later evaluation accepted it.', values: STATES }) readonly state!: string;
  @Text({ description: 'Why it was refused.' }) readonly reason!: string;
  @Text({ description: 'What was wrong with it.' }) readonly detail!: string;
  @Text({ description: 'Channel that it was read from.' }) readonly channel!: string;
  @Text({ description: 'Id of the message on the bus.' }) readonly messageId!: string;
  @Text({ description: 'Topic of the message.', optional: true }) readonly topic?: string;
  @Text({ description: 'DID of the gateway that posted it.' }) readonly sender!: string;
  @Flag({ description: 'A trusted gateway or bridge signed it.' }) readonly trusted!: boolean;
  @Integer({ description: 'Size of its payload, bytes.' }) readonly payloadBytes!: number;
  @Time({ description: 'When the bus stored it.', optional: true }) readonly appendedAt?: Date;
  @Time({ description: 'When it was quarantined.' }) readonly quarantinedAt!: Date;
  @Time({ description: 'When it was released.', optional: true }) readonly releasedAt?: Date;
}

/** A quarantined message with its payload. */
export class QuarantineDetail extends QuarantineRow {
  @Text({ description: 'Signature of the gateway.' }) readonly signature!: string;
  @Text({ description: 'Transaction id of the message.', optional: true }) readonly transactionId?: string;
  @Text({ description: 'Its payload, as `encoding` says.' }) readonly payload!: string;
  @Text({ description: 'base64 for a payload that is not text.', values: ['utf8', 'base64'] })
  readonly encoding!: string;
  @Flag({ description: 'Only the beginning of the payload is shown, or was stored.' })
  readonly payloadTruncated!: boolean;
}

export const QUARANTINE_COLUMNS = [
  'id',
  'state',
  'reason',
  'detail',
  'channel',
  'messageId',
  'topic',
  'sender',
  'trusted',
  'payloadBytes',
  'appendedAt',
  'quarantinedAt',
  'releasedAt',
];
