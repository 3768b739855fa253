import { SettingsAgreement } from './settings-agreement.js';

let nowMs: number;
let agreement: SettingsAgreement;

beforeEach(() => {
  nowMs = 0;
  agreement = new SettingsAgreement(() => nowMs);
});

const own = { ALPHA: { margin: 'a', payments: 'p' } };
const update = (...others: readonly (readonly [holder: string, margin: string])[]): void =>
  agreement.update(
    own,
    new Map(others.map(([holder, margin]) => [holder, { ALPHA: { margin, payments: 'p' } }])),
  );

it('is reached alone, with equal replicas, and with replicas of other participants', () => {
  expect(agreement.isReached('ALPHA')).toBe(true);
  update();
  expect(agreement.isReached('ALPHA')).toBe(true);
  update(['second', 'a']);
  agreement.update(own, new Map([['third', { BETA: { margin: 'b' } }]]));
  expect(agreement.isReached('ALPHA')).toBe(true);
});

it('names the replica and the keys that differ, until they are equal', () => {
  update(['second', 'b']);
  expect(agreement.isReached('ALPHA')).toBe(false);
  expect(agreement.describe('ALPHA')).toMatch('second (margin).');
  update(['second', 'a']);
  expect(agreement.describe('ALPHA')).toBeUndefined();
});

it('waits five minutes for a replica that has ended, because it may come back', () => {
  update(['second', 'b']);
  update();
  nowMs = 5 * 60_000 - 1;
  update();
  expect(agreement.isReached('ALPHA')).toBe(false);
  nowMs += 1;
  update();
  expect(agreement.isReached('ALPHA')).toBe(true);
});

it('does not wait when another replica has the same settings', () => {
  update(['second', 'b']);
  update(['third', 'a']);
  expect(agreement.isReached('ALPHA')).toBe(true);
});
