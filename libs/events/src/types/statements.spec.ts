import { createFactEvent } from '../event.js';
import { DETECTION, FACTS, PARTICIPANT, VARIABLES_SUMMARY } from '../testing/sample-events.js';
import { withVariablesSummary } from './statements.js';

const TYPE = 'settlementbus.statement.published.v1';
const STATEMENT = FACTS[TYPE];
const create = (change: object = {}, participant = PARTICIPANT) =>
  createFactEvent({ type: TYPE, data: { ...STATEMENT, ...change } }, participant, DETECTION);

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
