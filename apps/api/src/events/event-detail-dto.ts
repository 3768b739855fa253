import { DeliveryDetail } from '../deliveries/delivery-detail-dto.js';
import { Flag, Members, Part, Parts, Text, Texts, Time } from '../http/fields.js';
import { EventRow } from './event-dto.js';

/** The message of the bus that had the event. */
export class BusMessage {
  @Text({ description: 'Id that the bus gave it.' }) readonly id!: string;
  @Text({ description: 'Channel.' }) readonly channel!: string;
  @Text({ description: 'Topic; that of the event.' }) readonly topic!: string;
  @Text({ description: 'DID of the gateway that signed the message.' }) readonly sender!: string;
  @Text({ description: 'Signature of the gateway over `text`.' }) readonly signature!: string;
  @Text({ description: 'When the bus appended it, nanoseconds since 1970.' })
  readonly timestampNanos!: string;
  @Time({ description: 'When the bus appended it, with nanoseconds.', optional: true })
  readonly appendedAt?: string;
}

/** Who signed, and whether the subscriber trusted the key when it archived the event. */
export class Signer {
  @Text({ description: 'DID of the signer.' }) readonly did!: string;
  @Flag({ description: 'The key was trusted on the channel when the event was archived.' })
  readonly trusted!: boolean;
  @Time({ description: 'Since when; absent: since before this was recorded.', optional: true })
  readonly trustedFrom?: Date;
  @Time({ description: 'Until when; absent: it is trusted at present.', optional: true })
  readonly trustedUntil?: Date;
  @Texts({
    description: 'Participants about which it may announce facts, of those the caller may see.',
    optional: true,
  })
  readonly participants?: readonly string[];
  @Time({ description: 'Since when the key may be in other hands.', optional: true })
  readonly revokedSince?: Date;
}

export class MarkMeaning {
  @Text({ description: 'A mark of the event.' }) readonly mark!: string;
  @Text({ description: 'What it means.' }) readonly meaning!: string;
}

/** The result of the verification by the subscriber. */
export class Verdict {
  @Flag({ description: 'Gateway and bridge signed it. false: the subscriber wrote it itself.' })
  readonly signed!: boolean;
  @Part({ description: 'The gateway that signed the message.', of: () => Signer, optional: true })
  readonly gateway?: Signer;
  @Part({ description: 'The bridge that signed the event.', of: () => Signer, optional: true })
  readonly origin?: Signer;
  @Parts({ description: 'What the marks of the event mean.', of: () => MarkMeaning })
  readonly marks!: readonly MarkMeaning[];
}

/** A problem that the event changed. */
export class EventProblem {
  @Text({ description: 'Id of the problem.' }) readonly id!: string;
  @Text({ description: 'Kind of the problem.' }) readonly kind!: string;
  @Text({ description: 'State of the problem now.' }) readonly state!: string;
  @Text({ description: 'What the event did to it: opened, worsened, lowered, updated or resolved.' })
  readonly change!: string;
}

/** An archived event, how it arrived, and what followed from it. */
export class EventDetail extends EventRow {
  @Members({ description: 'The event, as its JSON Schema describes it.' })
  readonly event!: Readonly<Record<string, unknown>>;
  @Text({ description: 'The exact text of the event, which the signatures cover.' }) readonly text!: string;
  @Part({
    description: 'Absent for an event of the subscriber itself.',
    of: () => BusMessage,
    optional: true,
  })
  readonly message?: BusMessage;
  @Part({ description: 'Why the event was archived.', of: () => Verdict }) readonly verdict!: Verdict;
  @Parts({ description: 'Problems that it changed.', of: () => EventProblem })
  readonly problems!: readonly EventProblem[];
  @Parts({
    description: 'The newest deliveries of the event and of messages about it.',
    of: () => DeliveryDetail,
  })
  readonly deliveries!: readonly DeliveryDetail[];
  @Flag({ description: 'There are further deliveries; `deliveriesAddress` lists all.' })
  readonly moreDeliveries!: boolean;
  @Text({ description: 'Address of all its deliveries.' }) readonly deliveriesAddress!: string;
}
