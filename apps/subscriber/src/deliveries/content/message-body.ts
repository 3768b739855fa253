import type { DetectedEvent, EventType, ProblemKind } from '@ssb/events';
import type { ProblemState } from '../../domain/delivery-kind.js';

/** The part of an archived event that people read. */
export type EventPart = Pick<DetectedEvent, 'id' | 'type' | 'participant' | 'time' | 'data'>;

export interface Person {
  readonly at: string;
  readonly by: string;
  readonly comment?: string;
}

export interface SilencePart {
  readonly endsAt: string;
  readonly author: string;
  readonly comment: string;
  readonly ended?: Person;
}

/** Values of the events of a problem, by their names in the data. */
type Figures = Readonly<Record<string, string>>;

export interface ProblemPart {
  readonly kind: ProblemKind;
  readonly since: string;
  readonly worsened: number;
  /** Of the newest event. */
  readonly figures: Figures;
  readonly worstFigures: Figures;
  readonly acknowledged?: Person;
  readonly closed?: Person;
  /** Only of a problem as it is now. */
  readonly state?: ProblemState;
  /** How many the sink has, only of a problem as it is now. */
  readonly reminders?: number;
  readonly escalations?: number;
}

/** The part of a body of its own that people read. Each kind of message has some of it. */
export interface DeliveryPart {
  readonly number?: number;
  readonly event?: EventPart;
  /** Of a digest. */
  readonly events?: readonly EventPart[];
  readonly problem?: ProblemPart;
  readonly silence?: SilencePart;
  readonly sink?: string;
  readonly requestedBy?: string;
  readonly comment?: string;
}

/** `event` of an archived event; else the word in the type of the body: reminder, escalation, acknowledged, closed, silence-began, silence-ended, digest, test. */
export interface MessageBody extends DeliveryPart {
  readonly message: string;
}

const DELIVERY_TYPE = /^settlementbus\.delivery\.([a-z-]+)\.v\d+$/;

/** Reads the body of a delivery. The subscriber wrote it, or has verified the event that it is. */
export function readMessageBody(text: string): MessageBody {
  const body = JSON.parse(text) as { readonly type: EventType; readonly data: DeliveryPart };
  const [, message] = DELIVERY_TYPE.exec(body.type) ?? [];
  return message === undefined
    ? { message: 'event', event: body as unknown as EventPart }
    : { ...body.data, message };
}
