import { largestOf, toBars } from './payment-bars.js';

const days = [
  { payable: '0', receivable: '400.50' },
  { payable: '801.00', receivable: '0.01' },
];

it('compares all amounts with the largest', () => {
  const largest = largestOf(days);
  expect(largest).toBe(801);
  expect(days.map((day) => toBars(day, largest))).toEqual([
    { pay: 0, receive: 50 },
    { pay: 100, receive: 1 },
  ]);
});

it('has no bars where nothing is due', () => {
  expect(toBars({ payable: '0', receivable: '0' }, largestOf([]))).toEqual({ pay: 0, receive: 0 });
});
