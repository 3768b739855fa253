import { describe, expect, it } from '@jest/globals';
import type { Journey } from '../system/journey.js';
import { coloured, eventLine, plain, shortDid, shortType } from './events.js';

const journey: Journey = {
  eventId: '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b',
  type: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  at: { detected: '2026-11-20T08:12:12.527Z', verified: '2026-11-20T08:12:12.567Z' },
  signer: 'did:ethr:0x2D217D0000000000000000000000000000a205',
  sinks: [],
};

describe('the line of an event', () => {
  it('is the one that the README shows', () => {
    expect(eventLine(journey, true, plain)).toBe(
      '!! 08:12:12.567  margin.breached        WPGENCO/prudential                 verified in 40 ms    did:ethr:0x2D217D…a205',
    );
  });

  it('has no mark when it is no alert', () => {
    expect(eventLine(journey, false, plain)).toMatch(/^ {3}08:12:12\.567/);
  });

  it('lets an alert stand out in red where there is colour', () => {
    expect(eventLine(journey, true, coloured)).toContain('\u001b[1;31m!! 08:12:12.567');
    expect(eventLine(journey, false, coloured)).not.toContain('\u001b[1;31m');
  });

  it('leaves out what it does not know', () => {
    const line = eventLine({ ...journey, at: {}, signer: undefined }, false, plain);
    expect(line).toMatch(/^ {3}- .*verified in - +-$/);
  });
});

it.each([
  ['settlementbus.statement.published.v1', 'statement.published'],
  ['settlementbus.margin.warning.v12', 'margin.warning'],
])('shortens %s', (type, short) => {
  expect(shortType(type)).toBe(short);
});

it('keeps what it cannot shorten of a DID', () => {
  expect(shortDid('did:web:example.org')).toBe('did:web:example.org');
});
