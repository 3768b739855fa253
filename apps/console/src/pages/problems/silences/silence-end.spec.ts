import { toBodyEnd } from './silence-end.js';

it('reads the end of a silence', () => {
  expect(toBodyEnd('4h', '2026-12-01T10:00')).toEqual({ for: '4h' });
  expect(toBodyEnd('until', '2026-12-01T10:00')).toEqual({ endsAt: '2026-12-01T10:00:00+08:00' });
  expect(toBodyEnd('until', '')).toBeUndefined();
});
