import type { SignedEvent } from './event.js';
import { findForeignAttribute } from './foreign-attribute.js';
import { FURTHER_EVENTS, SIGNED_EVENTS } from '../test/sample-events.js';

/** As a receiver parses them. */
const EVENTS = [...Object.values(SIGNED_EVENTS), ...FURTHER_EVENTS].map(
  (event) => JSON.parse(JSON.stringify(event)) as SignedEvent,
);

it('finds the attribute of each event that belongs to another fact', () => {
  const id = 'f3a1c3de-0000-4000-8000-000000000000' as SignedEvent['id'];
  const foundIn = (event: SignedEvent) =>
    [
      event,
      { ...event, id },
      { ...event, source: `${event.source}2` },
      { ...event, subject: `BETA${event.subject}` },
      { ...event, participant: 'BETA' },
    ].map(findForeignAttribute);
  expect(EVENTS.map(foundIn)).toEqual(EVENTS.map(() => [undefined, 'id', 'source', 'subject', 'id']));
});
