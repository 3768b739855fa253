import type { SignedEvent } from './event.js';
import { findForeignAttribute } from './stated-identity.js';
import { FURTHER_EVENTS, SIGNED_EVENTS } from './testing/sample-events.js';

/** As a receiver parses them. */
const EVENTS = [...Object.values(SIGNED_EVENTS), ...FURTHER_EVENTS].map(
  (event) => JSON.parse(JSON.stringify(event)) as SignedEvent,
);
const OTHER_ID = 'f3a1c3de-0000-4000-8000-000000000000' as SignedEvent['id'];

it.each(EVENTS)('each attribute of $type belongs to its fact', (event) => {
  expect(findForeignAttribute(event)).toBeUndefined();
});

it.each(EVENTS)('finds an attribute of $type that belongs to another fact', (event) => {
  expect(findForeignAttribute({ ...event, id: OTHER_ID })).toBe('id');
  expect(findForeignAttribute({ ...event, source: `${event.source}2` })).toBe('source');
  expect(findForeignAttribute({ ...event, subject: `BETA${event.subject}` })).toBe('subject');
  expect(findForeignAttribute({ ...event, participant: 'BETA' })).toBe('id');
});
