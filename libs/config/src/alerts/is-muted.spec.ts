import { isMuted } from './is-muted.js';
import type { MuteWindow } from './mute-schema.js';

const nights: MuteWindow = { days: ['mon-fri'], from: '18:00', to: '07:30', timeZone: 'Australia/Perth' };
const weekend: MuteWindow = { days: ['sat-sun'], timeZone: 'Australia/Perth' };
const berlin = (from: string, to: string): MuteWindow => ({ from, to, timeZone: 'Europe/Berlin' });

/** The instants have the offset of the zone, so that they show the clock on the wall. 27 November 2026 is a Friday. */
it.each<[string, MuteWindow, string, boolean]>([
  ['before it begins', nights, '2026-11-26T17:59:59+08:00', false],
  ['as it begins', nights, '2026-11-26T18:00:00+08:00', true],
  ['after midnight', nights, '2026-11-27T00:00:00+08:00', true],
  ['in its last second', nights, '2026-11-27T07:29:59+08:00', true],
  ['as it ends', nights, '2026-11-27T07:30:00+08:00', false],
  ['in the night that begins on Friday', nights, '2026-11-28T07:00:00+08:00', true],
  ['in the night that begins on Saturday', nights, '2026-11-28T23:00:00+08:00', false],
  ['in the night that begins on Sunday', nights, '2026-11-30T06:00:00+08:00', false],
  ['on a day of whole days', weekend, '2026-11-29T23:59:59+08:00', true],
  ['on the day after them', weekend, '2026-11-30T00:00:00+08:00', false],
  ['on Saturday in Perth, Friday in UTC', weekend, '2026-11-27T16:00:00Z', true],
  ['without from, early', { to: '06:00', timeZone: 'UTC' }, '2026-11-27T05:59:00Z', true],
  ['without to, late', { from: '22:00', timeZone: 'UTC' }, '2026-11-27T23:59:00Z', true],
  ['without to, after midnight', { from: '22:00', timeZone: 'UTC' }, '2026-11-28T00:00:00Z', false],
  // Summer time begins on 29 March 2026 at 02:00 and ends on 25 October 2026 at 03:00.
  ['by the wall clock before summer time', berlin('07:00', '08:00'), '2026-03-28T06:30:00Z', true],
  ['by the wall clock in summer time', berlin('07:00', '08:00'), '2026-03-29T06:30:00Z', false],
  ['by the wall clock in summer time, earlier', berlin('07:00', '08:00'), '2026-03-29T05:30:00Z', true],
  ['over the hour that does not exist', berlin('01:30', '03:30'), '2026-03-29T01:29:00Z', true],
  ['in the repeated hour, first', berlin('02:15', '02:45'), '2026-10-25T00:30:00Z', true],
  ['between the repeats', berlin('02:15', '02:45'), '2026-10-25T00:50:00Z', false],
  ['in the repeated hour, again', berlin('02:15', '02:45'), '2026-10-25T01:30:00Z', true],
])('%s', (_, window, instant, expected) => {
  expect(isMuted([window], new Date(instant))).toBe(expected);
  expect(isMuted([], new Date(instant))).toBe(false);
});
