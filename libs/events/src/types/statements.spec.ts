import { createFactEvent } from '../event.js';
import { DETECTION, FACTS, PARTICIPANT, VARIABLES_SUMMARY } from '../testing/sample-events.js';
import { statementSubject, withVariablesSummary } from './statements.js';

const TYPE = 'settlementbus.statement.published.v1';
const STATEMENT = FACTS[TYPE];
const create = (change: object = {}, participant = PARTICIPANT) =>
  createFactEvent({ type: TYPE, data: { ...STATEMENT, ...change } }, participant, DETECTION);

it('a published statement is put into its envelope', () => {
  expect(create()).toEqual({
    specversion: '1.0',
    id: '40e038a7-6058-44eb-b218-30e1f57bbb70',
    type: TYPE,
    source: 'urn:settlement-bus-bridge:ALPHA',
    subject: 'ALPHA/WEM/2026-03-01/INITIAL',
    time: '2026-03-20T17:00:05+08:00',
    datacontenttype: 'application/json',
    dataschema: 'urn:settlement-bus-bridge:schema:settlementbus.statement.published.v1',
    participant: 'ALPHA',
    sequence: '00000000000000004711',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    detectedat: '2026-03-02T02:15:31.007Z',
    data: STATEMENT,
  });
});

it('keeps every digit of a 23-digit amount in JSON', () => {
  const payment = '123456789012345.67890123';
  expect(JSON.stringify(create({ totals: { payment, charge: '-0.00000001' } }))).toContain(
    '"totals":{"payment":"123456789012345.67890123","charge":"-0.00000001"}',
  );
});

it('escapes the participant in the source URN', () => {
  const { source, subject } = create({}, 'A:B/C');
  expect([source, subject]).toEqual(['urn:settlement-bus-bridge:A%3AB%2FC', 'A:B/C/WEM/2026-03-01/INITIAL']);
});

it('an event is frozen, and marked when a backfill raised it', () => {
  expect(Object.isFrozen(create())).toBe(true);
  const detection = { ...DETECTION, backfilled: true } as const;
  expect(createFactEvent({ type: TYPE, data: STATEMENT }, PARTICIPANT, detection)).toEqual({
    ...create(),
    backfilled: true,
  });
});

it('throws for an invalid time of detection', () => {
  const detection = { ...DETECTION, detectedAt: new Date('never') };
  expect(() => createFactEvent({ type: TYPE, data: STATEMENT }, PARTICIPANT, detection)).toThrow(RangeError);
});

it('a summary replaces the variables and changes nothing else', () => {
  const event = create();
  const summarised = withVariablesSummary(event, VARIABLES_SUMMARY);
  const data = { ...event.data, variables: undefined, variablesSummary: VARIABLES_SUMMARY };
  expect(summarised).toEqual({ ...event, data });
  expect(summarised.data).not.toHaveProperty('variables');
  expect(Object.isFrozen(summarised)).toBe(true);
});

it('statementSubject joins participant, market service, day and designation', () => {
  const run = { marketService: 'NSTEM', periodFrom: '2026-02-01T08:00:00', designation: 'ADJ3' } as const;
  expect(statementSubject('BETA', run)).toBe('BETA/NSTEM/2026-02-01/ADJ3');
});
