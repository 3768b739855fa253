import type { IdentityTemplates } from './identity.js';
import type { Schema } from './types/json-schema.js';

/** Order of an event among those of its subject, and the time of its fact. */
export interface FactOrder {
  /** Grows from one event of the subject to the next. */
  readonly sequence: bigint;
  /** Zone-less market time. */
  readonly marketTime: string;
}

/** What a person needs to know about an event type; `docs/events.md` is generated from it. Each text is one or more sentences. */
export interface EventGuide {
  readonly when: string;
  /** What a treasurer or analyst does about it. */
  readonly response: string;
  /** What cannot be recovered after a loss of the poller's state. */
  readonly notRecovered: string;
}

/** One event type: its `data`, its identity and its order within its subject. */
export interface EventDefinition<Data> {
  readonly schema: Schema<Data>;
  readonly identity: IdentityTemplates;
  readonly guide: EventGuide;
  /** `day`: the market gives the time of the fact as a date only. Default `second`. */
  readonly timePrecision?: 'day' | 'second';
  /**
   * Present for types that announce a state: each event of the subject replaces the previous one. Returns whether this event announces a
   * problem that lasts.
   */
  readonly announcesProblem?: (data: Data) => boolean;
  /** True for the types that are handled before all others, and that no newer event of their subject replaces. */
  readonly urgent?: true;
  /**
   * Present for types that announce one version of a document of the operator: events with the same text announce the same version. Undefined for data
   * without a digest.
   */
  readonly documentVersion?: (participant: string, data: Data) => string | undefined;
}

/** An event type whose order follows from its data. Events about the bridge itself are ordered by their creator. */
export interface FactDefinition<Data> extends EventDefinition<Data> {
  readonly order: (data: Data, detectedAt: Date) => FactOrder;
}
