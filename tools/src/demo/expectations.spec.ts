import { scenarioFile } from '../system/scenario.js';
import { expectedEvents, NothingExpectedError, readExpectations } from './expectations.js';

/** 01:30 on 1 December in Perth, still 30 November in UTC. */
const now = new Date('2026-11-30T17:30:00Z');

describe('expected events', () => {
  it.each([
    ['{participant}/prudential', 'ACME/prudential'],
    ['{participant}/WEM/{today}/INITIAL', 'ACME/WEM/2026-12-01/INITIAL'],
    ['{participant}/WEM/{today-14}/INITIAL', 'ACME/WEM/2026-11-17/INITIAL'],
    ['{participant}/WEM/{today+31}/INITIAL', 'ACME/WEM/2027-01-01/INITIAL'],
    ['{participant}/{today-1}/invoice/INV-{today-1}', 'ACME/2026-11-30/invoice/INV-2026-11-30'],
    ['{participant}/NSTEM/{month-2}/INITIAL', 'ACME/NSTEM/2026-10-01/INITIAL'],
    ['{month} {month+1}', '2026-12-01 2027-01-01'],
  ])('fills %s in with market days', (template, subject) => {
    expect(expectedEvents({ expect: [['a.type', template]] }, 'ACME', now)).toEqual([
      { type: 'a.type', subject },
    ]);
  });

  it.each([[{}], [{ expect: [] }], [{ expect: [['a type without a subject']] }]])(
    'refuses a scenario that does not say what must come of it: %j',
    (scenario) => {
      expect(() => expectedEvents(scenario, 'ACME', now)).toThrow(NothingExpectedError);
    },
  );

  it('reads the six events of the demonstration', () => {
    expect(
      readExpectations(scenarioFile('demo'), 'WPGENCO', now).map(({ type }) => type.split('.')[2]),
    ).toEqual(['published', 'published', 'issued', 'warning', 'breached', 'restored']);
  });
});
