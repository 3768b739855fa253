import { SIGNATURE_SCHEMES } from '@ssb/identity';
import { AttemptRow } from '../deliveries/delivery-detail-dto.js';
import { Flag, Integer, Members, Part, Parts, Text, Texts, Time } from '../http/fields.js';

/** A key, and when the subscriber trusted it. */
class TrustedGateway {
  @Text({ description: 'DID of the key.' }) readonly did!: string;
  @Time({ description: 'Since when; absent: since before this was recorded.', optional: true })
  readonly from?: string;
  @Time({ description: 'Until when; absent: it is trusted at present.', optional: true })
  readonly until?: string;
  @Time({ description: 'Since when the key may be in other hands.', optional: true })
  readonly revoked?: string;
}

class TrustedOrigin extends TrustedGateway {
  @Texts({ description: 'Participants about which it may announce facts, of those the caller may see.' })
  readonly participants!: readonly string[];
}

/** An interval in which the subscriber trusted a key on a channel. */
export class TrustedKeyRow extends TrustedGateway {
  @Text({ description: 'Channel.' }) readonly channel!: string;
  @Text({ description: 'Who has the key.', values: ['gateway', 'origin'] })
  readonly role!: 'gateway' | 'origin';
  @Texts({ description: 'Of an origin: participants about which it may announce facts.' })
  readonly participants!: readonly string[];
}

class TrustedSenders {
  @Parts({ description: 'Gateways.', of: () => TrustedGateway }) readonly gateways!: readonly object[];
  @Parts({ description: 'Bridges.', of: () => TrustedOrigin }) readonly origins!: readonly object[];
}

class EvidenceArchived {
  @Time({ description: 'When the subscriber archived the event.' }) readonly at!: string;
  @Texts({ description: 'Marks of the event.' }) readonly marks!: readonly string[];
}

class EvidenceMessage {
  @Text({ description: 'Id that the bus gave it.' }) readonly id!: string;
  @Text({ description: 'Channel.' }) readonly fqcn!: string;
  @Text({ description: 'Topic.' }) readonly topic!: string;
  @Text({ description: 'The exact text of the event.' }) readonly payload!: string;
  @Text({ description: 'Signature of the gateway over the payload.' }) readonly signature!: string;
  @Text({ description: 'DID of the gateway.' }) readonly sender!: string;
  @Text({ description: 'When the bus appended it, nanoseconds since 1970.' })
  readonly timestampNanos!: string;
}

class EvidenceSigner {
  @Text({ description: 'DID of the signer.' }) readonly did!: string;
  @Text({ description: 'Public key that the signature gives.' }) readonly publicKey!: string;
}

class EvidenceDelivery {
  @Text({ description: 'Id that the sink sees.' }) readonly eventId!: string;
  @Text({ description: 'Name of the sink.' }) readonly sink!: string;
  @Text({ description: 'Kind of the message.' }) readonly kind!: string;
  @Text({ description: 'Severity of the message.' }) readonly severity!: string;
  @Text({ description: 'State of the delivery.' }) readonly state!: string;
  @Time({ description: 'When the delivery was added.' }) readonly addedAt!: string;
  @Time({ description: 'When it ended.', optional: true }) readonly deliveredAt?: string;
  @Text({ description: 'Id of the problem of the event.', optional: true }) readonly problemId?: string;
  @Parts({ description: 'Its attempts, oldest first.', of: () => AttemptRow })
  readonly attempts!: readonly AttemptRow[];
}

/** What proves an event. Without signatures for an event that the subscriber wrote itself. */
export class Evidence {
  @Integer({ description: 'Version of the form of the file: 1.' }) readonly version!: number;
  @Time({ description: 'When this was written.' }) readonly exportedAt!: string;
  @Text({ description: 'Id of the event.' }) readonly eventId!: string;
  @Members({ description: 'The event, as its JSON Schema describes it.' }) readonly event!: object;
  @Part({ description: 'Its place in the archive.', of: () => EvidenceArchived })
  readonly archived!: EvidenceArchived;
  @Texts({ description: 'Ids of the problems that it changed.' }) readonly problemIds!: readonly string[];
  @Parts({ description: 'Deliveries of the event and of messages about it.', of: () => EvidenceDelivery })
  readonly deliveries!: readonly EvidenceDelivery[];
  @Text({ description: 'How the gateway signed.', values: SIGNATURE_SCHEMES, optional: true })
  readonly signatureScheme?: string;
  @Part({ description: 'The message of the bus.', of: () => EvidenceMessage, optional: true })
  readonly message?: EvidenceMessage;
  @Part({ description: 'Who signed the message.', of: () => EvidenceSigner, optional: true })
  readonly gateway?: EvidenceSigner;
  @Part({ description: 'The bridge that signed the event.', of: () => EvidenceSigner, optional: true })
  readonly origin?: EvidenceSigner;
  @Part({ description: 'Senders that were trusted then.', of: () => TrustedSenders, optional: true })
  readonly trusted?: TrustedSenders;
  @Flag({ description: 'Nobody signed it: the subscriber wrote it itself.', optional: true })
  readonly unsigned?: boolean;
  @Text({ description: 'SHA-256 of the text without its last two lines.' }) readonly digest!: string;
}
