import { isReplay } from './replay.js';

const EVENT = { sequence: '5', signedat: '2026-03-02T00:00:00.000Z' };
const LATER = new Date('2026-03-02T00:00:00.001Z');

it.each([
  ['its id may be deleted and its subject has it', LATER, '5', true],
  ['its id may be deleted and its subject has a later one', LATER, '6', true],
  ['its id may be deleted, but its subject has only earlier ones', LATER, '4', false],
  ['its id may be deleted, but its subject is new', LATER, undefined, false],
  ['its id would still be held: others overtook it', new Date(EVENT.signedat), '6', false],
  ['ids of its type are never deleted', undefined, '6', false],
])('an event is a replay when %s', (_, heldSince, highest, expected) => {
  expect(isReplay(EVENT, heldSince, highest)).toBe(expected);
});
