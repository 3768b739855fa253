import { describeMembers } from './describe-members.js';

it('has the members of a record as one line', () => {
  expect(
    describeMembers({ sink: 'treasury', unverified: false, states: ['parked', 'pending'], cursor: null }),
  ).toBe('sink: treasury; unverified: no; states: parked, pending');
  expect(describeMembers({ matchers: { types: ['margin.*'] } })).toBe('matchers: {"types":["margin.*"]}');
  expect(describeMembers({})).toBe('');
});
