import { msUntilAllowed } from './memory-budget-store.js';

const THREE_A_SECOND = { requests: 3, ms: 1_000 };

describe('msUntilAllowed', () => {
  it.each<[string, number[], (typeof THREE_A_SECOND)[], number]>([
    ['nothing sent', [], [THREE_A_SECOND], 0],
    ['room for one', [9_100, 9_200], [THREE_A_SECOND], 0],
    ['a full window: until the first has left it', [9_100, 9_200, 9_300], [THREE_A_SECOND], 100],
    ['one at the exact edge has left', [9_000, 9_200, 9_300], [THREE_A_SECOND], 0],
    ['more than full: until there is room again', [9_100, 9_200, 9_300, 9_400], [THREE_A_SECOND], 200],
    ['all in flight: at least a whole window from now', [15_000, 15_000, 15_000], [THREE_A_SECOND], 1_000],
    ['one done, the others in flight', [9_500, 15_000, 15_000], [THREE_A_SECOND], 500],
    ['the longer window is full', [2_000, 9_900], [THREE_A_SECOND, { requests: 2, ms: 10_000 }], 2_000],
    ['both are full', [9_400, 9_500, 9_600], [THREE_A_SECOND, { requests: 3, ms: 5_000 }], 4_400],
    ['no windows', [9_999, 15_000], [], 0],
  ])('%s', (_, latest, windows, expected) => {
    expect(msUntilAllowed(latest, windows, 10_000)).toBe(expected);
  });
});
