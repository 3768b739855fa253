import type { CallerAccess } from '../api/operations.js';
import { accessKey } from './access-key.js';

const CALLER: CallerAccess = {
  name: 'vera',
  role: 'viewer',
  allParticipants: false,
  participants: ['ALPHA', 'BETA'],
};

it.each<[Partial<CallerAccess>, boolean]>([
  [{ participants: ['BETA', 'ALPHA'] }, true],
  [{ role: 'operator', expiresAt: '2026-11-30T10:00:00Z' }, true],
  [{ name: 'olivia' }, false],
  [{ participants: ['ALPHA'] }, false],
  [{ allParticipants: true }, false],
])('with %j the access is the same: %s', (change, isSame) => {
  expect(accessKey({ ...CALLER, ...change }) === accessKey(CALLER)).toBe(isSame);
});
