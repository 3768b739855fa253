import { describeRecheck } from './recheck-outcome.js';

it('counts what was released', () => {
  expect(describeRecheck({ result: { evaluated: 3, released: 2, stillQuarantined: 1 } })).toBe(
    '3 evaluated, 2 released, 1 still quarantined.',
  );
  expect(describeRecheck({})).toBe('unknown evaluated, unknown released, unknown still quarantined.');
});
