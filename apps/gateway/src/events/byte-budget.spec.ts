import { ByteBudget, type Holder } from './byte-budget.js';

let cutOff: string[];
const holder = (name: string): Holder => ({ letGo: () => void cutOff.push(name) });

beforeEach(() => {
  cutOff = [];
});

it('lets go whoever has the most waiting when all have too much together, and nobody before', () => {
  const budget = new ByteBudget(100);
  const [a, b, c] = [holder('a'), holder('b'), holder('c')];
  const given = budget.take(a, 40);
  budget.take(b, 30);
  budget.take(b, 30);
  expect(cutOff).toEqual([]);
  given();
  budget.take(c, 40);
  expect(cutOff).toEqual([]);
  budget.take(a, 1);
  expect(cutOff).toEqual(['b']);
});

it('counts no longer what one held that was let go, whether its socket has given it back or not', () => {
  const budget = new ByteBudget(100);
  const [a, b] = [holder('a'), holder('b')];
  const given = budget.take(a, 60);
  budget.take(b, 50);
  expect(cutOff).toEqual(['a']);
  // Not given back yet: 50 wait and 50 more may.
  const room = budget.take(b, 50);
  expect(cutOff).toEqual(['a']);
  given();
  room();
  // What was given back late is no room twice over.
  budget.take(b, 50);
  expect(cutOff).toEqual(['a']);
  budget.take(b, 1);
  expect(cutOff).toEqual(['a', 'b']);
});

it('lets one go that takes more at once than all may have', () => {
  const budget = new ByteBudget(10);
  budget.take(holder('a'), 5);
  budget.take(holder('b'), 11);
  expect(cutOff).toEqual(['b']);
});

it('keeps the account of one who gives nothing back twice', () => {
  const budget = new ByteBudget(100);
  const [a, b] = [holder('a'), holder('b')];
  const nothing = [budget.take(a, 0), budget.take(a, 0)];
  nothing[0]?.();
  budget.take(a, 60);
  nothing[1]?.();
  budget.take(b, 50);
  expect(cutOff).toEqual(['a']);
});
