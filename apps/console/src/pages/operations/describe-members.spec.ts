import { formatTime } from '../../format/market-time.js';
import { describeMembers } from './describe-members.js';

it('describes the members of a record in words, in market time and without ids', () => {
  expect(
    describeMembers({
      seconds: 3_600,
      matchers: { problems: ['disagreement'], participants: ['ALPHA'] },
      silenceId: 'd1df5ca2',
      endsAt: '2026-11-30T20:18:43.995Z',
      unverified: false,
      absent: undefined,
    }),
  ).toBe(
    `for 1 h; covers last day to dispute, of ALPHA; ends at: ${formatTime('2026-11-30T20:18:43.995Z')}; unverified: no`,
  );
});

it('shows the value of a member that is of another kind than it was', () => {
  expect(describeMembers({ ids: ['a', 'b'], sink: 'treasury' })).toBe('2 messages; sink treasury');
  expect(describeMembers({ matchers: null, seconds: { from: 1 }, ids: 3 })).not.toBe('');
});
