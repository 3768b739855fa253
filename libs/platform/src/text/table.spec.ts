import { renderRow, renderTable } from './table.js';

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

it('pads a row that comes alone to the widths given', () => {
  expect(renderRow(['a', 'longer', 'c', ''], [3, 4, 1, 9])).toBe('a    longer  c');
});
