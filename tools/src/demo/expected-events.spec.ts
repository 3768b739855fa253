import { findScenarioFile } from '../system/scenario.js';
import { parseExpectedEvents, readExpectedEvents } from './expected-events.js';

describe('expected events', () => {
  it.each([[undefined], [[]], [[['a type without a subject']]]])('rejects %j', (list) => {
    expect(() => parseExpectedEvents(list)).toThrow('no list "expect"');
  });

  it('rejects a scenario without an end', () => {
    expect(() => readExpectedEvents(findScenarioFile('everyday'))).toThrow('no list "expect"');
  });

  it('reads an event as often as it is expected', () => {
    const types = readExpectedEvents(findScenarioFile('handled-breach')).map(
      ({ type }) => type.split('.')[2],
    );
    expect(types).toEqual(['breached', 'breached', 'restored']);
  });

  it('reads the seven events of the demo scenario', () => {
    const types = readExpectedEvents(findScenarioFile('demo')).map(({ type }) => type.split('.')[2]);
    expect(types).toEqual([
      'published',
      'published',
      'issued',
      'document-stored',
      'warning',
      'breached',
      'restored',
    ]);
  });
});
