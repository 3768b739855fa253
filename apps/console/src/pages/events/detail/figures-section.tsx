import { useState, type ReactNode } from 'react';
import { DataTable } from '../../../ui/data-table.js';
import { Facts, Section } from '../../../ui/page.js';
import { Absent, Amount, Day, MarketTime } from '../../../ui/values.js';
import type { EventFigures, Figure, FigureTable } from './figures.js';

/** The data of the event: what matters most is the largest. */
export function FiguresSection({
  figures,
  aside,
}: {
  readonly figures: EventFigures;
  readonly aside: ReactNode;
}) {
  const { main, others, technical } = figures;
  return (
    <Section title="Figures" aside={aside}>
      {main.length > 0 && (
        <dl className="event-main">
          {main.map((figure) => (
            <div key={figure.name}>
              <dt>{figure.name}</dt>
              <dd className={figure.value.length > LONG ? 'event-long' : ''}>
                <Value of={figure} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Facts rows={others.map(toRow)} />
      {technical.length > 0 && (
        <details>
          <summary>Hashes and counters</summary>
          <Facts rows={technical.map(toRow)} />
        </details>
      )}
    </Section>
  );
}

/** Characters of a value that is shown as a text rather than as a figure. */
const LONG = 40;

const toRow = (figure: Figure) => [figure.name, <Value key="" of={figure} />] as const;

function Value({ of: figure }: { readonly of: Figure | undefined }) {
  if (figure === undefined) return <Absent />;
  const { value, kind } = figure;
  switch (kind) {
    case 'amount':
      return <Amount value={value} />;
    case 'time':
      return <MarketTime at={value} />;
    case 'day':
      return <Day value={value} />;
    case 'text':
      return value === '' ? <Absent /> : value;
  }
}

const FIRST_ROWS = 20;
const MORE_ROWS = 200;

type TableRow = FigureTable['rows'][number];

/** A list in the data of the event, such as the variables of a statement. */
export function FiguresTable({ table: { title, columns, rows } }: { readonly table: FigureTable }) {
  const [count, setCount] = useState(FIRST_ROWS);
  const isAmount = (column: number): boolean => rows[0]?.[column]?.kind === 'amount';
  return (
    <Section title={title} aside={<span className="hint">{rows.length.toLocaleString('en-AU')} rows</span>}>
      <DataTable<{ readonly cells: TableRow; readonly key: string }>
        caption={`${title}, row by row`}
        columns={columns.map((header, column) => ({
          id: header,
          header,
          ...(isAmount(column) && { kind: 'number' as const }),
          cell: ({ cells }) => <Value of={cells[column]} />,
        }))}
        rows={rows.slice(0, count).map((cells, index) => ({ cells, key: String(index) }))}
        rowKey={({ key }) => key}
        empty="The list is empty."
        onMore={count < rows.length ? () => setCount(count + MORE_ROWS) : undefined}
      />
    </Section>
  );
}
