import { RecentMinimum } from './recent-minimum.js';

describe('RecentMinimum', () => {
  it('keeps the smallest value for one to two windows', () => {
    const recent = new RecentMinimum(100);
    expect(recent.add(5, 0)).toBe(5);
    expect(recent.add(9, 50)).toBe(5);
    expect(recent.add(8, 100)).toBe(5);
    expect(recent.add(9, 199)).toBe(5);
    expect(recent.add(9, 200)).toBe(8);
  });

  it('keeps nothing after a pause of two windows', () => {
    const recent = new RecentMinimum(100);
    recent.add(5, 0);
    expect(recent.add(9, 200)).toBe(9);
  });
});
