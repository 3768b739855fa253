import { renderTable } from './table.js';

it('pads each column to its widest cell', () => {
  expect(
    renderTable(
      ['type', 'subject'],
      [
        ['a', 'x'],
        ['longer', 'y'],
      ],
    ),
  ).toBe(['type    subject', '──────  ───────', 'a       x', 'longer  y'].join('\n'));
});
