import { expect, it } from '@jest/globals';
import { OutgoingBudget, type Holder } from './outgoing-budget.js';

const cutOff: string[] = [];
const holder = (name: string): Holder => ({ tooSlow: () => void cutOff.push(name) });

it('lets go whoever has the most waiting when all have too much together, and nobody before', () => {
  const budget = new OutgoingBudget(100);
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
