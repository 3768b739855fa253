import { StaleEvents } from './stale-events.js';

it('an event is stale when an earlier one of its subject has a higher sequence', () => {
  const stale = new StaleEvents(new Map([['a', '05']]));
  const events = ['a04', 'a05', 'a07', 'a06', 'a07', 'b01', 'b00'];
  const found = events.filter((text) => stale.check({ subject: text.slice(0, 1), sequence: text.slice(1) }));
  expect(found).toEqual(['a04', 'a06', 'b00']);
});
