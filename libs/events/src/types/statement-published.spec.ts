import { DETECTION, STATEMENT, VARIABLES_SUMMARY } from '../testing/sample-events.js';
import {
  createStatementPublishedEvent,
  statementSubject,
  withVariablesSummary,
} from './statement-published.js';

describe('createStatementPublishedEvent', () => {
  it('puts the fact into its envelope', () => {
    const { participant, ...data } = STATEMENT;
    expect(createStatementPublishedEvent(STATEMENT, DETECTION)).toEqual({
      specversion: '1.0',
      id: '40e038a7-6058-44eb-b218-30e1f57bbb70',
      type: 'settlementbus.statement.published.v1',
      source: 'urn:settlement-bus-bridge:ALPHA',
      subject: 'ALPHA/WEM/2026-03-01/INITIAL',
      time: '2026-03-20T17:00:05+08:00',
      datacontenttype: 'application/json',
      dataschema: 'urn:settlement-bus-bridge:schema:settlementbus.statement.published.v1',
      participant,
      sequence: '00000000000000004711',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      detectedat: '2026-03-02T02:15:31.007Z',
      data,
    });
  });

  it('keeps every digit of a 23-digit amount in JSON', () => {
    const event = JSON.stringify(createStatementPublishedEvent(STATEMENT, DETECTION));
    expect(event).toContain('"value":"123456789012345.67890123"');
    expect(event).toContain('"payment":"123456789012345.67890123"');
  });

  it('depends on the detection only in traceparent and detectedat', () => {
    const again = { detectedAt: new Date(0), traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00` };
    const { traceparent, detectedat, ...fact } = createStatementPublishedEvent(STATEMENT, DETECTION);
    expect(createStatementPublishedEvent(STATEMENT, again)).toEqual({
      ...fact,
      traceparent: again.traceparent,
      detectedat: '1970-01-01T00:00:00.000Z',
    });
    expect([traceparent, detectedat]).toEqual([DETECTION.traceparent, DETECTION.detectedAt.toISOString()]);
  });

  it.each([
    ['participant', { participant: 'BETA' }],
    ['market service', { marketService: 'STEM' }],
    ['first day', { periodFrom: '2026-03-08T08:00:00' }],
    ['designation', { designation: 'ADJ1' }],
    ['run', { runId: 4712 }],
  ])('gives another id for another %s', (_, change) => {
    const ids = [STATEMENT, { ...STATEMENT, ...change }].map(
      (fact) => createStatementPublishedEvent(fact, DETECTION).id,
    );
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('gives the same id when only the figures differ', () => {
    const { id } = createStatementPublishedEvent({ ...STATEMENT, tradingDays: 6, variables: [] }, DETECTION);
    expect(id).toBe(createStatementPublishedEvent(STATEMENT, DETECTION).id);
  });

  it('has a sequence whose text order is the numeric order of the runs', () => {
    const runs = [1, 9, 10, 99, 100, 4711, 1_000_000, 2_147_483_647];
    const sequences = runs.map(
      (runId) => createStatementPublishedEvent({ ...STATEMENT, runId }, DETECTION).sequence,
    );
    expect(sequences.toReversed().sort()).toEqual(sequences);
    expect(sequences[0]).toBe('00000000000000000001');
    expect(sequences.at(-1)).toBe('00000000002147483647');
  });

  it('escapes the participant in the source URN', () => {
    const { source, subject } = createStatementPublishedEvent(
      { ...STATEMENT, participant: 'A:B/C' },
      DETECTION,
    );
    expect([source, subject]).toEqual([
      'urn:settlement-bus-bridge:A%3AB%2FC',
      'A:B/C/WEM/2026-03-01/INITIAL',
    ]);
  });

  it('returns a frozen event', () => {
    expect(Object.isFrozen(createStatementPublishedEvent(STATEMENT, DETECTION))).toBe(true);
  });

  it.each([
    ['a run that is not a whole number', { ...STATEMENT, runId: 1.5 }, DETECTION],
    ['an invalid detection time', STATEMENT, { ...DETECTION, detectedAt: new Date('never') }],
  ])('throws for %s', (_, fact, detection) => {
    expect(() => createStatementPublishedEvent(fact, detection)).toThrow(RangeError);
  });
});

it('a summary replaces the variables and changes nothing else', () => {
  const event = createStatementPublishedEvent(STATEMENT, DETECTION);
  const summarised = withVariablesSummary(event, VARIABLES_SUMMARY);
  const data = { ...event.data, variables: undefined, variablesSummary: VARIABLES_SUMMARY };
  expect(summarised).toEqual({ ...event, data });
  expect(summarised.data).not.toHaveProperty('variables');
  expect(Object.isFrozen(summarised)).toBe(true);
});

it('statementSubject joins participant, market service, day and designation', () => {
  expect(statementSubject('BETA', 'NSTEM', '2026-02-01', 'ADJ3')).toBe('BETA/NSTEM/2026-02-01/ADJ3');
});
