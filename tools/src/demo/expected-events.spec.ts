import { scenarioFile } from '../system/scenario.js';
import { expectedEvents, NothingExpectedError, readExpectations } from './expected-events.js';

describe('expected events', () => {
  it.each([[undefined], [[]], [[['a type without a subject']]]])('refuses %j', (list) => {
    expect(() => expectedEvents(list)).toThrow(NothingExpectedError);
  });

  it('refuses a scenario without an end', () => {
    expect(() => readExpectations(scenarioFile('everyday'))).toThrow(NothingExpectedError);
  });

  it('reads the six events of the demonstration', () => {
    const types = readExpectations(scenarioFile('demo')).map(({ type }) => type.split('.')[2]);
    expect(types).toEqual(['published', 'published', 'issued', 'warning', 'breached', 'restored']);
  });
});
