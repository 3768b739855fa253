import { EVENT_TYPES } from './envelope/event-type.js';
import {
  documentVersionOf,
  isRestated,
  isUrgent,
  announcesState,
  announcesProblem,
  timePrecisionOf,
} from './event-rules.js';
import type { SignedEvent } from './event.js';
import { SIGNED_EVENTS } from '../test/sample-events.js';

/** The types that announce a state, and whether the sample of each announces a problem. */
const PRESENT_STATE: Readonly<Record<string, boolean>> = {
  'settlementbus.statement.disagreement-due.v1': true,
  'settlementbus.statement.disagreement-lapsed.v1': false,
  'settlementbus.position.stale.v1': true,
  'settlementbus.position.resumed.v1': false,
  'settlementbus.margin.warning.v1': true,
  'settlementbus.margin.breached.v1': true,
  'settlementbus.margin.restored.v1': false,
  'settlementbus.margin.breach-forecast.v1': true,
  'settlementbus.margin.forecast-cleared.v1': false,
  'settlementbus.credit-support.short.v1': true,
  'settlementbus.credit-support.restored.v1': false,
  'settlementbus.market.unreachable.v1': true,
  'settlementbus.market.recovered.v1': false,
  'settlementbus.bridge.alert.raised.v1': true,
  'settlementbus.bridge.alert.cleared.v1': false,
};

it('events of these types replace each other, and some announce a problem', () => {
  const present = EVENT_TYPES.filter(announcesState);
  expect(Object.fromEntries(present.map((type) => [type, announcesProblem(SIGNED_EVENTS[type])]))).toEqual(
    PRESENT_STATE,
  );
  expect(
    EVENT_TYPES.filter((type) => !announcesState(type)).some((type) => announcesProblem(SIGNED_EVENTS[type])),
  ).toBe(false);
});

it('a breach and a shortage are urgent', () => {
  expect(EVENT_TYPES.filter(isUrgent)).toEqual([
    'settlementbus.margin.breached.v1',
    'settlementbus.credit-support.short.v1',
  ]);
});

it('a margin that is restored to a warning still announces a problem', () => {
  const event = SIGNED_EVENTS['settlementbus.margin.restored.v1'];
  expect(announcesProblem({ ...event, data: { ...event.data, level: 'WARNING' } })).toBe(true);
});

it('the facts of these types have only a date', () => {
  expect(EVENT_TYPES.filter((type) => timePrecisionOf(type) === 'day')).toEqual([
    'settlementbus.statement.disagreement-due.v1',
    'settlementbus.statement.disagreement-lapsed.v1',
    'settlementbus.invoice.issued.v1',
    'settlementbus.invoice.adjusted.v1',
    'settlementbus.invoice.reversed.v1',
    'settlementbus.payment.due.v1',
  ]);
});

describe('documentVersionOf', () => {
  const published = SIGNED_EVENTS['settlementbus.statement.published.v1'];
  const revised = SIGNED_EVENTS['settlementbus.statement.revised.v1'];
  const issued = SIGNED_EVENTS['settlementbus.invoice.issued.v1'];
  const adjusted = SIGNED_EVENTS['settlementbus.invoice.adjusted.v1'];
  const reversed = SIGNED_EVENTS['settlementbus.invoice.reversed.v1'];
  const change = <E extends SignedEvent>(event: E, data: object): E => ({
    ...event,
    data: { ...event.data, ...data },
  });

  it('is the run of a statement, published or revised', () => {
    expect(documentVersionOf(change(published, { runId: 4803, digest: revised.data.digest }))).toBe(
      documentVersionOf(revised),
    );
    expect(documentVersionOf(published)).not.toBe(documentVersionOf(revised));
  });

  it('is the id and the digest of an invoice, issued, adjusted or replacing another', () => {
    const { id, digest } = reversed.data;
    expect(documentVersionOf(change(issued, { id, digest }))).toBe(documentVersionOf(reversed));
    expect(documentVersionOf(change(adjusted, { id, digest, designation: 'INITIAL' }))).toBe(
      documentVersionOf(reversed),
    );
    expect(documentVersionOf(change(issued, { id }))).not.toBe(documentVersionOf(reversed));
    expect(documentVersionOf(change(issued, { digest }))).not.toBe(documentVersionOf(reversed));
  });

  it('differs between participants and runs', () => {
    for (const event of [published, issued]) {
      const versions = [
        event,
        { ...event, participant: 'BETA' },
        change(event, { designation: 'ADJ3' }),
        change(event, { periodFrom: '2026-03-08T00:00:00' }),
      ].map(documentVersionOf);
      expect(new Set(versions).size).toBe(4);
    }
  });

  it('is undefined for an invoice without a digest, and for other facts', () => {
    expect(documentVersionOf(change(issued, { digest: undefined }))).toBeUndefined();
    expect(documentVersionOf(SIGNED_EVENTS['settlementbus.margin.breached.v1'])).toBeUndefined();
  });
});

it('only an event with the member is restated', () => {
  const event = SIGNED_EVENTS['settlementbus.invoice.issued.v1'];
  expect(isRestated(event)).toBe(false);
  expect(isRestated({ ...event, data: { ...event.data, restated: true } })).toBe(true);
});
