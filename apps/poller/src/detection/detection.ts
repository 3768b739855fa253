import { factEventId, type Fact } from '@ssb/events';
import type { DetectionSettings } from '@ssb/config';

/** What a detector may use in addition to the previous state and the operator's response. */
export interface DetectionContext {
  readonly participant: string;
  readonly settings: DetectionSettings;
  readonly now: Date;
  /** The thresholds of the saved levels stay in force, because another replica has other settings. */
  readonly keepsThresholds?: boolean;
}

/** A part of a response that cannot be used. It affects nothing else and is requested again. */
export interface Unreadable {
  /** Path in the response, such as `data[3].calculatedAt`. */
  readonly path: string;
  /** Without values of the response. */
  readonly reason: string;
  /** Identifies the document that has the part. The same in every response. */
  readonly document?: string;
}

/** Facts that are left out because of a limit. They are reported as a fault of the participant while they are missing. */
export interface LeftOut {
  /** In the plural, such as `runs of the timeline`. */
  readonly what: string;
  readonly count: number;
  readonly kept: number;
  /** Which ones are kept, such as `invoice days from 2026-01-06`. */
  readonly range?: string;
}

/** Describes the facts above a limit; empty when all are kept. */
export function describeSurplus(what: string, count: number, max: number): LeftOut[] {
  return count <= max ? [] : [{ what, count: count - max, kept: max }];
}

/** What a detector found. A response that comes twice raises nothing the second time. */
export interface Detected<State> {
  /** In the order in which they must be queued. */
  readonly facts: readonly Fact[];
  /** To be saved after the facts are queued. */
  readonly state: State;
  readonly unreadable: readonly Unreadable[];
  readonly leftOut?: readonly LeftOut[];
}

/** The id of the event of a fact. It does not depend on the detection. */
export function eventIdOf(fact: Fact, { participant, now }: DetectionContext): string {
  return factEventId(fact, participant, now);
}
