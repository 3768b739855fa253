import type { MarketDate } from '@ssb/market';
import type { Figure } from './expectation.js';
import { fillIn, fillInFigure } from './placeholders.js';
import type { OnceScenario } from './scenario.js';

/** An event that the bridge must publish, without placeholders. */
export interface ExpectedEvent {
  participant: string;
  /** Full name, such as `settlementbus.margin.breached.v1`. */
  type: string;
  subject: string;
  /** Figures that the event must have. An object may have more properties, a list no more entries. `null`: no such property. */
  data: { readonly [property: string]: Figure };
  /** Whether it may come at any place among the events of its participant. */
  unordered: boolean;
}

/** All events that a scenario must cause, except those about the bridge itself. */
export interface Expectations {
  /** By participant, each in the order of the causes; without position.calculated. */
  events: ExpectedEvent[];
  /** The number of position.calculated events of each participant. */
  calculations: Record<string, number>;
}

/** What must come of the scenario if it starts on this day. */
export function buildExpectations(
  { expect, calculations }: Pick<OnceScenario, 'expect' | 'calculations'>,
  participants: readonly string[],
  today: MarketDate,
): Expectations {
  const events = participants.flatMap((participant, index) => {
    const values = { participant, today };
    return expect
      .filter((each) => each.participant === undefined || each.participant === index + 1)
      .map(({ type, subject, data, unordered }) => ({
        participant,
        type: `settlementbus.${type}.v1`,
        subject: fillIn(subject, values),
        data: fillInFigure(data, values) as ExpectedEvent['data'],
        unordered,
      }));
  });
  return { events, calculations: Object.fromEntries(participants.map((code) => [code, calculations])) };
}

/** Type and subject of each event. */
export function listSubjects(events: readonly ExpectedEvent[]): [type: string, subject: string][] {
  return events.map(({ type, subject }) => [type, subject]);
}
