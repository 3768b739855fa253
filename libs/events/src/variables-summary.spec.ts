import { createFactEvent } from './event.js';
import { DETECTION, FACTS, PARTICIPANT, VARIABLES_SUMMARY } from '../test/sample-events.js';
import { withVariablesSummary } from './variables-summary.js';

it('a summary replaces the variables and changes nothing else', () => {
  const type = 'settlementbus.statement.published.v1';
  const event = createFactEvent({ type, data: FACTS[type] }, PARTICIPANT, DETECTION);
  const summarised = withVariablesSummary(event, VARIABLES_SUMMARY);
  const data = { ...event.data, variables: undefined, variablesSummary: VARIABLES_SUMMARY };
  expect(summarised).toEqual({ ...event, data });
  expect(summarised.data).not.toHaveProperty('variables');
  expect(Object.isFrozen(summarised)).toBe(true);
});
