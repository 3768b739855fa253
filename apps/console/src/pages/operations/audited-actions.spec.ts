import type { AuditRow } from '../../api/operations.js';
import { describeKind, foldActions, KINDS } from './audited-actions.js';

const record = (id: string, step: AuditRow['step'], more: Partial<AuditRow> = {}): AuditRow => ({
  id,
  at: '2026-11-30T19:18:43.916Z',
  kind: 'silence',
  step,
  author: 'olivia',
  databaseRole: 'api',
  parameters: {},
  ...more,
});

it('has one row for a request and its end', () => {
  const actions = foldActions([
    record('4', 'done', { requestId: 'b' }),
    record('3', 'refused'),
    record('2', 'requested', { requestId: 'b', comment: 'known' }),
    record('1', 'requested', { requestId: 'a' }),
  ]);
  expect(actions.map(({ first, last, comment }) => [first.id, last.id, comment])).toEqual([
    ['2', '4', 'known'],
    ['3', '3', undefined],
    ['1', '1', undefined],
  ]);
});

it('has words for each kind', () => {
  expect(KINDS.filter((kind) => !describeKind(kind).includes(' '))).toEqual([]);
  expect(describeKind('something-new')).toBe('Something new');
});
