import {
  DIGEST_DELIVERY_TYPE,
  type DigestDetails,
  type ProblemDeliveryDetails,
  type Severity,
} from '@ssb/events';
import type { DeliveryOutcome } from '@ssb/net';
import type { ProblemPart } from '../content/message-body.js';
import type { DeliveryPriority } from '../domain/delivery-order.js';
import type { Verdict } from '../domain/delivery-policy.js';
import type { DeliveryKind, ProblemState } from '../../domain/delivery-kind.js';
import type { StoredEvent } from '../../receiver/domain/verify-stored-event.js';
import type { Mark } from '../../domain/marks.js';
import { presentProblem } from './present-problem.js';

/** Database channel that notifies every replica of new deliveries. */
export const DELIVERIES_CHANNEL = 'deliveries';

/** An archived event that one sink has not received yet. */
export interface PendingDelivery {
  /** The id that the sink sees. */
  readonly eventId: string;
  /** The archived event inside a body of its own; null when the archived event is the body. */
  readonly aboutEventId: string | null;
  /** What that body has besides the event. */
  readonly details: ProblemDeliveryDetails | DigestDetails | null;
  /** The archived events inside a digest, in the order of the archive; null for every other delivery. */
  readonly grouped: readonly StoredEvent[] | null;
  readonly sink: string;
  readonly kind: DeliveryKind;
  readonly severity: Severity;
  /** The problem of its event, and the state of that problem once the event was applied. */
  readonly problemId: string | null;
  readonly problemState: ProblemState | null;
  /** That problem as it is when the delivery is claimed. */
  readonly problem: ProblemPart | null;
  /** Added by a replay from the archive. */
  readonly replayed: boolean;
  /** It became pending again, because a person requested it. */
  readonly resent: boolean;
  /** Sent before all others, and never replaced. */
  readonly urgent: boolean;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  /** Order within the subject; sorts as text. */
  readonly sequence: string;
  readonly channel: string;
  readonly messageId: string;
  /** DID of the gateway that posted the message. */
  readonly sender: string;
  readonly signature: string;
  /** DID of the bridge that signed the event. */
  readonly origin: string;
  /** Time of the fact (CloudEvents "time"), RFC 3339 with offset. */
  readonly factTime: string;
  /** When the poller detected it, RFC 3339. */
  readonly detectedAt: string;
  readonly archivedAt: Date;
  readonly marks: readonly Mark[];
  /** Failed attempts so far. */
  readonly attempts: number;
  /** The archived CloudEvent, byte for byte. */
  readonly text: string;
}

/** A delivery as sinks and log see it. */
export interface SentDelivery extends Omit<PendingDelivery, 'grouped'> {
  /** Ids of the archived events inside a digest. */
  readonly eventIds?: readonly string[];
}

/** SQL: the delivery was ended without the result of an attempt. An attempt in progress is recorded nevertheless. */
export const SKIPPED_OR_REPLACED = '(skipped OR replaced_by IS NOT NULL)';

/** How an attempt ended. `unverified`: the archived event failed verification, so the sink was not called. */
export type AttemptOutcome = DeliveryOutcome['kind'] | 'unverified';

/** The result of one attempt, as the outbox records it. */
export interface AttemptResult {
  readonly eventId: string;
  readonly subject: string;
  readonly attempts: number;
  readonly outcome: AttemptOutcome;
  readonly status: number | undefined;
  /** The beginning of the sink's response, as `readBeginning` returns it. */
  readonly response: string | undefined;
  /** Short text for the operator. */
  readonly description: string;
  /** The end of the attempt. */
  readonly at: Date;
  readonly durationMs: number;
  readonly verdict: Verdict;
}

/** Due deliveries of one subject, which this replica has claimed, in the order in which they are attempted. */
export interface ClaimedSubject {
  readonly subject: string;
  readonly priority: DeliveryPriority;
  readonly deliveries: readonly PendingDelivery[];
  /** Older deliveries of the subject that a newer one has replaced. */
  readonly replaced: number;
}

/** SQL: joins the archived event of a row of the table `delivery` under this alias. */
export const archivedEventOf = (alias: string): string =>
  `archive ON archive.event_id = coalesce(${alias}.about_event_id, ${alias}.event_id)`;

/** SQL: the table `delivery` with the archived events, for a query that may begin with either. */
export const ARCHIVED_DELIVERIES =
  'archive JOIN delivery ON delivery.event_id = archive.event_id OR delivery.about_event_id = archive.event_id';

/** SQL: a row of the table `delivery` under this alias is a digest. */
export const isDigest = (alias: string): string => `is_digest(${alias}.details)`;

/** SQL: the type of a row of the table `delivery` under this alias, joined with its archive row. */
export const typeOf = (alias: string): string =>
  `CASE WHEN ${isDigest(alias)} THEN '${DIGEST_DELIVERY_TYPE}' ELSE archive.type END`;

/** SQL: the archived events of a digest, as `StoredEvent`. */
const groupedEvents = (alias: string): string =>
  `CASE WHEN ${isDigest(alias)} THEN (
     SELECT json_agg(json_build_object('eventId', found.event_id, 'type', found.type, 'subject', found.subject, 'participant', found.participant,
              'sequence', found.sequence, 'channel', found.channel, 'messageId', found.message_id, 'sender', found.sender, 'origin', found.origin,
              'signature', found.signature, 'marks', found.marks, 'text', found.event) ORDER BY found.archive_offset)
     FROM delivery AS member JOIN archive AS found ON found.event_id = member.event_id
     WHERE member.digest_id = ${alias}.event_id AND member.sink = ${alias}.sink
   ) END`;

/** A `PendingDelivery`, of a row of the table `delivery` under this alias, joined with its archive row. */
export const pendingColumns = (alias: string): string =>
  `${alias}.event_id AS "eventId", ${alias}.about_event_id AS "aboutEventId", ${alias}.details, ${groupedEvents(alias)} AS grouped, ${alias}.sink, ${alias}.kind, ${alias}.severity, ${alias}.problem_id AS "problemId",
   ${alias}.problem_state AS "problemState", ${presentProblem(`${alias}.problem_id`, `${alias}.sink`)} AS problem, ${alias}.replayed, ${alias}.resent_at IS NOT NULL AS resent, ${alias}.urgent,
   archive.type, ${alias}.subject, archive.participant, ${alias}.sequence, archive.channel, archive.message_id AS "messageId",
   archive.sender, archive.signature, archive.origin, archive.time AS "factTime", archive.detected_at AS "detectedAt",
   archive.archived_at AS "archivedAt", archive.marks, ${alias}.attempts, archive.event AS text`;
