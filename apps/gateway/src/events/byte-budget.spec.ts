import { ByteBudget, type BudgetHolder } from './byte-budget.js';

let evicted: string[];
const holder = (name: string): BudgetHolder => ({ evict: () => void evicted.push(name) });

beforeEach(() => {
  evicted = [];
});

it('evicts the holder with the most bytes once all of them exceed the limit, and not before', () => {
  const budget = new ByteBudget(100);
  const [a, b, c] = [holder('a'), holder('b'), holder('c')];
  const release = budget.reserve(a, 40);
  budget.reserve(b, 30);
  budget.reserve(b, 30);
  expect(evicted).toEqual([]);
  release();
  budget.reserve(c, 40);
  expect(evicted).toEqual([]);
  budget.reserve(a, 1);
  expect(evicted).toEqual(['b']);
});

it('no longer counts the bytes of an evicted holder, whether they are released or not', () => {
  const budget = new ByteBudget(100);
  const [a, b] = [holder('a'), holder('b')];
  const releaseA = budget.reserve(a, 60);
  budget.reserve(b, 50);
  expect(evicted).toEqual(['a']);
  // Not released yet: 50 are reserved and 50 more fit.
  const releaseB = budget.reserve(b, 50);
  expect(evicted).toEqual(['a']);
  releaseA();
  releaseB();
  // The late release of the evicted holder frees nothing a second time.
  budget.reserve(b, 50);
  expect(evicted).toEqual(['a']);
  budget.reserve(b, 1);
  expect(evicted).toEqual(['a', 'b']);
});

it('evicts a holder that reserves more at once than the whole budget', () => {
  const budget = new ByteBudget(10);
  budget.reserve(holder('a'), 5);
  budget.reserve(holder('b'), 11);
  expect(evicted).toEqual(['b']);
});
