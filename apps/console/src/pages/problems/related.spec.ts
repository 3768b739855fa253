import type { ProblemChange } from '../../api/operations.js';
import { newestEventOf, statementOf } from './related.js';

const change = (number: number, eventId?: string): ProblemChange => ({
  number,
  at: '2026-11-30T10:00:00Z',
  kind: 'updated',
  severity: 'warning',
  ...(eventId !== undefined && { eventId }),
});

const changes = [change(1, 'first'), change(2, 'second'), change(3)];

it('takes the newest event, also when a person changed the problem later', () => {
  expect(newestEventOf({ changes })).toBe('second');
  expect(newestEventOf({ changes: [] })).toBeUndefined();
});

it('finds the settlement run by an event about it', () => {
  expect(statementOf({ kind: 'invoice-overdue', changes })).toBe('second');
  expect(statementOf({ kind: 'margin', changes })).toBeUndefined();
});
