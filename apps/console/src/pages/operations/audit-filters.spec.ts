import { readAuditQuery } from './audit-filters.js';

it('reads the filters of the address', () => {
  expect(readAuditQuery({ kind: 'close', author: 'olivia', since: '2026-11-01' })).toEqual({
    kind: ['close'],
    author: ['olivia'],
    since: '2026-11-01T00:00:00+08:00',
  });
});

it('ignores what is not possible', () => {
  expect(readAuditQuery({ kind: 'Close!', since: '2026-13-45' })).toEqual({});
});
