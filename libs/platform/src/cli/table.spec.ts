import { renderFittedTable, renderRow, renderTable, type Column } from './table.js';

interface Row {
  readonly name: string;
  readonly amount: string;
  readonly note?: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'name', cell: ({ name }) => name },
  { head: 'amount', cell: ({ amount }) => amount, align: 'right', style: () => 'bad' },
  { head: 'note', cell: ({ note }) => note, rank: 1 },
];

const ROWS: readonly Row[] = [
  { name: 'margin', amount: '-5.00', note: 'below the threshold' },
  { name: 'a long name of a sink', amount: '1,250.00' },
];

it('has all columns where it fits, with figures on the right', () => {
  expect(renderFittedTable(COLUMNS, ROWS).plain.split('\n')).toEqual([
    'name                     amount  note',
    '─────────────────────  ────────  ───────────────────',
    'margin                    -5.00  below the threshold',
    'a long name of a sink  1,250.00',
  ]);
});

it('leaves out columns of a high rank, and says so, then cuts the widest texts, but no figure and no whole text', () => {
  expect(renderFittedTable(COLUMNS, ROWS, 40).plain.split('\n')).toEqual([
    'name                     amount',
    '─────────────────────  ────────',
    'margin                    -5.00',
    'a long name of a sink  1,250.00',
    'Left out at this width: note. --json has all.',
  ]);
  expect(renderFittedTable(COLUMNS, ROWS, 20).plain.split('\n').slice(0, 4)).toEqual([
    'name          amount',
    '──────────  ────────',
    'margin         -5.00',
    'a long na…  1,250.00',
  ]);
  const amount = '-12,345,678,901,234.50';
  expect(renderFittedTable(COLUMNS, [{ name: 'a long name', amount }], 20).plain).toContain(
    `a long …  ${amount}`,
  );
  const [name, ...others] = COLUMNS;
  const whole = renderFittedTable([{ ...name!, whole: true }, ...others], ROWS, 20).plain;
  expect(whole).toContain('\na long name of a sink  1,250.00\n');
});

it('leaves out a column without any value, and does not say so', () => {
  const rows = ROWS.map(({ note: _, ...row }) => row);
  expect(renderFittedTable(COLUMNS, rows, 30).plain).toMatch(/^name +amount\n─+ {2}─+\n.*\n[^\n]*$/);
  expect(renderFittedTable(COLUMNS, [], 40).plain).toMatch(/^name +amount +note\n/);
});

it('leaves out no column while its texts can be read', () => {
  const note = 'a text that is much longer than the terminal is wide';
  expect(renderFittedTable(COLUMNS, [{ name: 'margin', amount: '-5.00', note }], 40).plain).toContain(
    '\nmargin   -5.00  a text that is much lon…',
  );
});

it('escapes what a terminal would obey, also where a style is given', () => {
  const { plain, coloured } = renderFittedTable(COLUMNS, [{ name: 'x\u001b[2J', amount: '\u009b1\r\n' }]);
  expect(plain).not.toMatch(/[^\P{Cc}\n]/u);
  expect(coloured.replaceAll(/\p{Cc}\[[0-9;]*m/gu, '')).toBe(plain);
});

it('renderTable pads each column to its widest cell', () => {
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

it('renderRow pads a single row to the given widths', () => {
  expect(renderRow(['a', 'longer', 'c', ''], [3, 4, 1, 9])).toBe('a    longer  c');
});
